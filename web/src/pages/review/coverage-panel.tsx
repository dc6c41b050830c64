// Panel with the share of the change that was reviewed, and the files that were skipped.
import type { ReactNode } from 'react'
import type { ReviewDetail } from '../../api/shared-queries.ts'
import { Badge } from '../../components/badge.tsx'
import { Panel } from '../../components/page.tsx'

export const coverageId = 'coverage'

type Coverage = NonNullable<ReviewDetail['coverage']>

export function CoveragePanel({ coverage }: { coverage: Coverage }) {
  const {
    files_reviewed: reviewed,
    files_total: total,
    complete,
    lines,
    skipped,
    notes,
    set_aside: rejected,
  } = coverage
  return (
    <Panel title="Coverage" id={coverageId}>
      <p>
        {countOf(reviewed, total, 'file')} reviewed
        {lines && `, ${countOf(lines.changed - lines.not_read, lines.changed, 'line')}`}{' '}
        {complete ? <Badge tone="good">complete</Badge> : <Badge tone="warn">incomplete</Badge>}
      </p>
      {lines && lines.changed > 0 && (
        <p className="text-muted">Changed lines: {listReaders(lines).join(', ')}</p>
      )}
      {notes.length > 0 && (
        <ul className="mt-2 list-disc pl-5">
          {notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
      <CollapsibleList
        title={`${countOf(skipped.length, skipped.length, 'file')} skipped`}
        count={skipped.length}
        startsOpen={!complete}
      >
        {groupByReason(skipped).map(({ reason, matters, files, lines: count }) => (
          <li key={`${reason} ${matters}`} className="mb-1">
            {reason}
            {count > 0 && ` (${count} changed ${count === 1 ? 'line' : 'lines'})`}{' '}
            {matters && <Badge tone="warn">needs review</Badge>}
            {files.map((path) => (
              <bdi key={path} className="block font-mono text-xs/5">
                {path}
              </bdi>
            ))}
          </li>
        ))}
      </CollapsibleList>
      <CollapsibleList title={`${rejected.length} rejected findings`} count={rejected.length}>
        {rejected.map((reason) => (
          <li key={reason}>{reason}</li>
        ))}
      </CollapsibleList>
    </Panel>
  )
}

/** Most files of a change are skipped for the same reason. */
function groupByReason(skipped: Coverage['skipped']) {
  const groups = Map.groupBy(skipped, ({ reason, matters }) => `${matters} ${reason}`)
  return [...groups.values()].map((group) => ({
    reason: group[0]!.reason,
    matters: group[0]!.matters,
    files: group.map(({ path }) => path),
    lines: group.reduce((sum, { lines }) => sum + (lines ?? 0), 0),
  }))
}

/** Returns text such as `2 of 3 files`, or `3 files` for all of them. */
function countOf(count: number, total: number, noun: string): string {
  const all = `${total} ${total === 1 ? noun : `${noun}s`}`
  return count === total ? all : `${count} of ${all}`
}

/** Says how the changed lines were read. Ways in which none was read are left out. */
function listReaders(lines: NonNullable<Coverage['lines']>): string[] {
  const readers = [
    [lines.read_by_model, 'read by a model'],
    [lines.read_by_rules, 'checked by language rules'],
    [lines.searched_as_text, 'searched as text'],
    [lines.not_read, 'not read'],
  ] as const
  return readers.filter(([count]) => count > 0).map(([count, how]) => `${count} ${how}`)
}

function CollapsibleList({
  title,
  count,
  startsOpen = false,
  children,
}: {
  title: string
  count: number
  startsOpen?: boolean
  children: ReactNode
}) {
  if (count === 0) return null
  return (
    <details open={startsOpen} className="mt-2">
      <summary>{title}</summary>
      <ul className="list-disc pl-5">{children}</ul>
    </details>
  )
}
