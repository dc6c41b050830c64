// Panel with all findings of a review and links to their lines in the diff.
import { useEffect, useState } from 'react'
import type { ReviewDetail } from '../../api/shared-queries.ts'
import { Badge, SeverityBadge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
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
  const [chosen, setSeverity] = useState<Finding['severity'] | null>(null)
  // A later review may have none of that severity.
  const severity = findings.some((finding) => finding.severity === chosen) ? chosen : null
  useFindingKeys(findings.length)
  const openCount = findings.filter(({ state }) => state === 'open').length
  const settledCount = findings.length - openCount
  const title = `Findings: ${openCount} open${settledCount > 0 ? `, ${settledCount} closed` : ''}`
  return (
    <Panel
      title={title}
      aside={<SeverityFilter findings={findings} chosen={severity} onChoose={setSeverity} />}
    >
      {findings.length === 0 ? (
        <p className="text-muted">No findings. See Coverage below for what was reviewed.</p>
      ) : (
        <ul className="divide-y divide-line">
          {findings.map((finding, index) => (
            <li
              // biome-ignore lint/suspicious/noArrayIndexKey: there is no id, and the order stays
              key={index}
              hidden={severity !== null && finding.severity !== severity}
              className="py-1.5 first:pt-0 last:pb-0"
            >
              <FindingRow review={review} finding={finding} index={index} />
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}

const severities = ['critical', 'moderate', 'minor'] as const

/** Counts the findings of each severity, as buttons that show only these. */
function SeverityFilter({
  findings,
  chosen,
  onChoose,
}: {
  findings: readonly Finding[]
  chosen: Finding['severity'] | null
  onChoose: (severity: Finding['severity'] | null) => void
}) {
  const counts = severities
    .map((severity) => ({
      severity,
      count: findings.filter((finding) => finding.severity === severity).length,
    }))
    .filter(({ count }) => count > 0)
  if (counts.length < 2) return null
  return (
    <div className="flex gap-1">
      {counts.map(({ severity, count }) => (
        <Button
          key={severity}
          aria-pressed={chosen === severity}
          className="aria-pressed:bg-raised"
          onClick={() => onChoose(chosen === severity ? null : severity)}
        >
          {count} {severity}
        </Button>
      ))}
    </div>
  )
}

/** `n` shows the next finding in the diff, and `p` the previous one. */
function useFindingKeys(count: number): void {
  useEffect(() => {
    let current = -1
    const onKeyDown = (event: KeyboardEvent) => {
      const step = { n: 1, p: -1 }[event.key]
      if (step === undefined || count === 0 || isForOthers(event)) return
      current = (Math.max(current, step === 1 ? -1 : 0) + step + count) % count
      scrollToFinding(current)
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [count])
}

/** Whether a key is part of a shortcut of the browser, or is typed into a field. */
function isForOthers({ ctrlKey, metaKey, altKey, target }: KeyboardEvent): boolean {
  const isField = target instanceof HTMLElement && target.matches('input, textarea, select')
  return ctrlKey || metaKey || altKey || isField
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
