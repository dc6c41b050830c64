// Panel with all findings of a review and links to their lines in the diff.
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
  const openCount = findings.filter(({ state }) => state === 'open').length
  const settledCount = findings.length - openCount
  const title = `Findings: ${openCount} open${settledCount > 0 ? `, ${settledCount} closed` : ''}`
  return (
    <Panel title={title}>
      {findings.length === 0 ? (
        <p className="text-muted">No findings. See Coverage below for what was reviewed.</p>
      ) : (
        <ul className="divide-y divide-line">
          {findings.map((finding, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the API gives no id and keeps the order
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
          className="my-2 mr-3 text-accent underline"
          onClick={() => scrollToFinding(index)}
        >
          Show in diff
        </button>
        <DismissFinding review={review} finding={finding} />
      </div>
    </details>
  )
}

export function findingElementId(index: number): string {
  return `finding-${index}`
}

/** Scrolls to a finding, or to the diff if the finding has no line there. */
function scrollToFinding(index: number): void {
  const element =
    document.getElementById(findingElementId(index)) ?? document.getElementById('diff')
  const file = element?.closest('details')
  if (file) file.open = true
  element?.focus({ preventScroll: true })
  element?.scrollIntoView({ block: 'center' })
  // Sections that were scrolled into view get their real height only in the next frame.
  requestAnimationFrame(() => element?.scrollIntoView({ block: 'center' }))
}
