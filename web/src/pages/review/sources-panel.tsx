// Panel with the tickets and discussions that the review used.
import type { ReviewDetail } from '../../api/shared-queries.ts'
import { Panel } from '../../components/page.tsx'
import { sanitizeUrl } from './sanitize-url.ts'

type Sources = NonNullable<ReviewDetail['sources']>

export function SourcesPanel({ sources: { records, missing } }: { sources: Sources }) {
  return (
    <Panel title="Sources">
      <ul className="list-disc pl-5">
        {records.map(({ source, kind, key, title, url }) => (
          <li key={`${source} ${kind} ${key} ${title}`}>
            {source}, {kind}:{' '}
            <RecordLink title={key === null ? title : `${key}: ${title}`} url={url} />
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

function RecordLink({ title, url }: { title: string; url: string | null }) {
  const safeUrl = sanitizeUrl(url)
  if (safeUrl === undefined) return <bdi>{title}</bdi>
  return (
    <a href={safeUrl} rel="noreferrer nofollow" className="text-accent underline">
      <bdi>{title}</bdi>
    </a>
  )
}
