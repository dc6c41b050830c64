// Timeline of the reviews of a pull request: which commit, what result, and what changed.
import { GitCommitIcon } from '@primer/octicons-react'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { ReviewDetail } from '../../api/shared-queries.ts'
import { reviewLook } from '../../components/badge.tsx'
import { nameEvent } from '../../components/event-names.ts'
import { Time } from '../../components/time.tsx'

type HistoryEntry = ReviewDetail['history'][number]

const shownAtFirst = 3

export function HistoryPanel({
  review,
}: {
  review: Pick<ReviewDetail, 'id' | 'history' | 'outcome'>
}) {
  const { history } = review
  const [showsAll, setShowsAll] = useState(false)
  const shown = showsAll ? history : history.slice(0, shownAtFirst)
  // A retried event is listed with its newest run.
  const current = history.find(({ event_id: id }) => id <= review.id)
  const currentId = review.outcome === 'recorded' ? undefined : current?.event_id
  if (history.length === 0) return null
  return (
    <section
      aria-labelledby="history"
      className="min-w-0 rounded-xl border border-line bg-surface p-4"
    >
      <h2 id="history" className="mb-3 font-semibold">
        History
      </h2>
      <ol className={showsAll ? 'max-h-96 overflow-y-auto' : ''}>
        {shown.map((entry, index) => (
          <HistoryRow
            key={entry.event_id}
            entry={entry}
            isCurrent={entry.event_id === currentId}
            isLast={index === shown.length - 1}
          />
        ))}
      </ol>
      {shown.length < history.length && (
        <button
          type="button"
          className="text-accent hover:underline"
          onClick={() => setShowsAll(true)}
        >
          Show {history.length - shown.length} more
        </button>
      )}
    </section>
  )
}

function labelTrigger({
  event_type: trigger,
  dismissed_findings: dismissed,
}: HistoryEntry): string {
  if (trigger === 'pull_request.dismissal' && dismissed !== null)
    return dismissed > 0 ? 'Finding dismissed' : 'Finding reopened'
  return nameEvent(trigger)
}

function HistoryRow({
  entry,
  isCurrent,
  isLast,
}: {
  entry: HistoryEntry
  isCurrent: boolean
  isLast: boolean
}) {
  const { event_id: id, head_sha: head, at } = entry
  const look = reviewLook(entry)
  return (
    <li
      aria-current={isCurrent ? 'true' : undefined}
      className={`relative flex gap-2.5 pb-3 ${isLast ? '' : 'history-line'}`}
    >
      <span className={`relative mt-0.5 h-fit bg-surface ${historyTones[look.tone]}`}>
        <look.icon />
      </span>
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-x-2">
          {isCurrent ? (
            <strong className="font-semibold">{look.label}</strong>
          ) : (
            <Link
              to="/reviews/$id"
              params={{ id: String(id) }}
              className="font-medium hover:text-accent hover:underline"
            >
              {look.label}
            </Link>
          )}
          {isCurrent && <span className="text-muted text-xs">this review</span>}
        </p>
        <p className="flex flex-wrap items-center gap-x-2 text-muted text-xs">
          <span>{labelTrigger(entry)}</span>
          {head && (
            <span className="inline-flex items-center gap-0.5">
              <GitCommitIcon size={12} />
              <code title={head}>{head.slice(0, 7)}</code>
            </span>
          )}
          <Time at={at} />
        </p>
        <FindingChanges entry={entry} />
      </div>
    </li>
  )
}

const historyTones = {
  good: 'text-good',
  warn: 'text-warn',
  bad: 'text-bad',
  info: 'text-info',
  merged: 'text-merged',
  plain: 'text-muted',
} as const

function FindingChanges({
  entry: {
    new_findings: added,
    fixed_findings: fixed,
    dismissed_findings: dismissed,
    open_findings: open,
  },
}: {
  entry: HistoryEntry
}) {
  if (added === null || fixed === null || dismissed === null || open === null) return null
  const stillOpen = Math.max(0, open - added)
  return (
    <p className="flex flex-wrap gap-x-2 text-xs tabular-nums">
      {added > 0 && <span className="text-bad">{added} new</span>}
      {fixed > 0 && <span className="text-good">{fixed} fixed</span>}
      {dismissed > 0 && <span className="text-muted">{dismissed} dismissed</span>}
      {stillOpen > 0 && <span className="text-warn">{stillOpen} still open</span>}
      {added + fixed + dismissed + stillOpen === 0 && (
        <span className="text-muted">no findings</span>
      )}
    </p>
  )
}
