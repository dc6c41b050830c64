// All findings of a review: what each claims, where, and a way to its line in the diff.
import type { ReviewDetail } from '../../api/shared-queries.ts'
import { Badge, SeverityBadge } from '../../components/badge.tsx'
import { Panel } from '../../components/page.tsx'
import { DismissFinding } from './dismiss-finding.tsx'
import { FindingBody } from './finding-card.tsx'
import { FindingTitle } from './finding-title.tsx'
import type { Finding } from './review-queries.ts'

export function FindingsPanel({
  review,
}: {
  review: Pick<ReviewDetail, 'id' | 'pr_status' | 'findings'>
}) {
  const { findings } = review
  const open = findings.filter(({ state }) => state === 'open').length
  const settled = findings.length - open
  const title = `Findings: ${open} open${settled > 0 ? `, ${settled} settled` : ''}`
  return (
    <Panel title={title}>
      {findings.length === 0 ? (
        <p className="text-muted">None. The coverage below says what was looked at.</p>
      ) : (
        <ul className="divide-y divide-line">
          {findings.map((finding, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: they have no other name, and come in the service's order
            <li key={index} className="py-1.5 first:pt-0 last:pb-0">
              <FindingRow review={review} finding={finding} index={index} />
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}

interface FindingRowProps {
  readonly review: Pick<ReviewDetail, 'id' | 'pr_status'>
  readonly finding: Finding
  readonly index: number
}

function FindingRow({ review, finding, index }: FindingRowProps) {
  const { severity, title, path, start_line: line, state } = finding
  return (
    <details>
      <summary>
        <SeverityBadge severity={severity} />{' '}
        {state !== 'open' && (
          <>
            <Badge>{state}</Badge>{' '}
          </>
        )}
        <span className="font-medium">
          <FindingTitle text={title} />
        </span>{' '}
        <span className="font-mono text-muted text-xs">
          <bdi>{path}</bdi>:{line}
        </span>
      </summary>
      <div className="mt-2 ml-4">
        <FindingBody finding={finding} />
        <button
          type="button"
          className="my-2 text-accent underline"
          onClick={() => scrollToFinding(index)}
        >
          Show it in the diff
        </button>
        <DismissFinding review={review} finding={finding} />
      </div>
    </details>
  )
}

/** The id of a finding's place in the diff. */
export function findingElementId(index: number): string {
  return `finding-${index}`
}

/** Where the finding is on no line of the diff, to the diff itself. */
function scrollToFinding(index: number): void {
  const place = document.getElementById(findingElementId(index)) ?? document.getElementById('diff')
  const file = place?.closest('details')
  if (file) file.open = true
  place?.focus({ preventScroll: true })
  place?.scrollIntoView({ block: 'center' })
  // What came into sight on the way has its real height only now.
  requestAnimationFrame(() => place?.scrollIntoView({ block: 'center' }))
}
