// Panel with the tickets and discussions that the review used.
import type { ReviewDetail } from '../../api/shared-queries.ts'
import { ExternalLink } from '../../components/external-link.tsx'
import { Panel } from '../../components/page.tsx'

type Sources = NonNullable<ReviewDetail['sources']>

export function SourcesPanel({ sources: { records, missing } }: { sources: Sources }) {
  return (
    <Panel title="Sources">
      <ul className="list-disc pl-5">
        {records.map(({ source, kind, key, title, url }) => (
          <li key={`${source} ${kind} ${key} ${title}`}>
            {source}, {kind}:{' '}
            <ExternalLink href={url}>
              <bdi>{key === null ? title : `${key}: ${title}`}</bdi>
            </ExternalLink>
          </li>
        ))}
        {missing.map(({ source, reason }) => (
          <li key={`${source} ${reason}`} className="text-warn">
            {source} did not respond: {reason}
          </li>
        ))}
      </ul>
    </Panel>
  )
}
