// One rule: what it reports, how often it was right, and its samples.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../api/use-api.ts'
import { Badge, SeverityBadge } from '../../components/badge.tsx'
import { LazyMarkdown } from '../../components/lazy-markdown.tsx'
import { ErrorAlert, Skeleton } from '../../components/page-states.tsx'
import { type Rule, ruleSamplesQuery } from './settings-queries.ts'

interface RuleRowProps {
  readonly rule: Rule
  /** Directories whose settings disable it; empty for the whole repository. */
  readonly disabledIn: readonly string[]
}

export function RuleRow({ rule, disabledIn }: RuleRowProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="rounded-sm">
        <span className="inline-flex max-w-[calc(100%-1.5rem)] flex-wrap items-center gap-x-2">
          <code className="font-medium">{rule.id}</code>
          <SeverityBadge severity={rule.severity} />
          {disabledIn.map((directory) => (
            <Badge key={directory} tone="warn">
              {directory === '' ? 'off' : `off in ${directory}/`}
            </Badge>
          ))}
          <span className="text-muted">{describeOutcome(rule)}</span>
        </span>
        <span className="block pl-4">{plain(rule.summary)}</span>
      </summary>
      {isOpen && <RuleDetails rule={rule} />}
    </details>
  )
}

function plain(markdown: string): string {
  return markdown.replaceAll('`', '')
}

/** For example `9 of 10 right (8 fixed, 1 accepted, 1 dismissed as wrong), 2 open`. */
function describeOutcome({ reported, fixed, dismissed, wrong, open, left }: Rule): string {
  if (reported === 0) return 'nothing reported yet'
  const judged = fixed + dismissed
  const outcomes = listCounts([
    [fixed, 'fixed'],
    [dismissed - wrong, 'accepted'],
    [wrong, 'dismissed as wrong'],
  ])
  const rest = listCounts([
    [open, 'open'],
    [left, 'left unfixed'],
  ])
  const verdict = judged === 0 ? '' : `${judged - wrong} of ${judged} right (${outcomes})`
  return [verdict, rest].filter((part) => part !== '').join(', ')
}

function listCounts(counts: readonly (readonly [count: number, name: string])[]): string {
  return counts
    .filter(([count]) => count > 0)
    .map(([count, name]) => `${count} ${name}`)
    .join(', ')
}

function RuleDetails({ rule }: { rule: Rule }) {
  const { languages, confidence, see_also: seeAlso, reasons } = rule
  return (
    <div className="mt-2 space-y-2 pl-4">
      <dl className="grid grid-cols-[minmax(6rem,auto)_1fr] gap-x-4 gap-y-1">
        <dt className="text-muted">Languages</dt>
        <dd>{languages.join(', ')}</dd>
        <dt className="text-muted">Confidence</dt>
        <dd>{Math.round(confidence * 100)}% of findings are expected to be bugs</dd>
        {seeAlso.length > 0 && (
          <>
            <dt className="text-muted">See also</dt>
            <dd>{seeAlso.map(plain).join(', ')}</dd>
          </>
        )}
        {reasons.length > 0 && (
          <>
            <dt className="text-muted">Dismissed because</dt>
            <dd>
              <ul>
                {reasons.map(({ reason, count }) => (
                  <li key={reason}>
                    {reason} ({count})
                  </li>
                ))}
              </ul>
            </dd>
          </>
        )}
        <dt className="text-muted">Disable it</dt>
        <dd>
          <code>{`rules: { disable: [${rule.id}] }`}</code> in .umpire.yml
        </dd>
      </dl>
      <Samples id={rule.id} />
    </div>
  )
}

function Samples({ id }: { id: string }) {
  const { data, error, refetch } = useQuery(ruleSamplesQuery(useApi(), id))
  if (error) return <ErrorAlert error={error} onRetry={refetch} />
  if (data === undefined) return <Skeleton className="h-48" />
  if (data.samples === '') return <p className="text-muted">It has no samples.</p>
  return (
    <section
      aria-label={`Samples of ${id}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users need focus to scroll it
      tabIndex={0}
      className="max-h-96 overflow-y-auto contain-inline-size"
    >
      <p className="mb-2 text-muted">Lines that it reports end in ◀.</p>
      <LazyMarkdown text={data.samples} />
    </section>
  )
}
