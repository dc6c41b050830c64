// The figures about outcomes, each with its change, its course and its definition.
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import {
  formatCount,
  formatDuration,
  formatQuantity,
  formatShare,
  hasP90,
} from '../../components/format-numbers.ts'
import { type Definition, definitions } from './definitions.ts'
import type { OutcomesResponse } from './insights-queries.ts'
import { Sparkline } from './sparkline.tsx'

type Merged = OutcomesResponse['merged']['current']

const shareOf = ({ fixed, findings }: Pick<Merged, 'fixed' | 'findings'>) =>
  findings === 0 ? null : (100 * fixed) / findings

export function OutcomeFigures({ outcomes }: { outcomes: OutcomesResponse }) {
  const { merged, dismissals, first_review: waits, parts, period } = outcomes
  const { current, previous } = merged
  const before = `than in the ${period.days} days before`
  const compare = { before, hasBefore: previous.reviewed > 0 }
  return (
    <div className="mb-4 grid gap-3 sm:grid-cols-2 lg:grid-cols-4 lg:gap-4">
      <Figure
        definition={definitions.fixed}
        value={formatShare(current.fixed, current.findings)}
        details={describeFixed(current)}
        change={
          <Change
            {...compare}
            current={shareOf(current)}
            previous={shareOf(previous)}
            better="more"
            format={(points) => formatQuantity(Math.round(points), 'point')}
          />
        }
        course={parts.map(shareOf)}
      />
      <Figure
        definition={definitions.dismissed}
        value={formatCount(dismissals.current)}
        details={describeDismissed(dismissals)}
        change={
          <Change
            before={before}
            hasBefore={previous.reviewed > 0 || dismissals.previous > 0}
            current={dismissals.current}
            previous={dismissals.previous}
            better={null}
            format={formatCount}
          />
        }
        course={parts.map((part) => part.dismissals)}
      />
      <Figure
        definition={definitions.openCritical}
        value={formatCount(current.with_open_critical)}
        details={
          <>
            of {formatQuantity(current.reviewed, 'reviewed and merged pull request')}.{' '}
            {current.with_open_critical > 0 && (
              <Link
                to="."
                search={(now) => now}
                hash={openCriticalId}
                className="text-accent underline"
              >
                Show the list
              </Link>
            )}
          </>
        }
        change={
          <Change
            {...compare}
            current={current.with_open_critical}
            previous={previous.with_open_critical}
            better="less"
            format={formatCount}
          />
        }
        course={parts.map((part) => part.with_open_critical)}
      />
      <Figure
        definition={definitions.firstReview}
        value={formatDuration(waits.current.median_seconds)}
        details={
          waits.current.count === 0
            ? 'No pull request had its first review.'
            : `Median of ${formatQuantity(waits.current.count, 'pull request')}` +
              (hasP90(waits.current.count)
                ? `, 90% within ${formatDuration(waits.current.p90_seconds)}.`
                : '.')
        }
        change={
          <Change
            before={before}
            hasBefore={waits.previous.count > 0}
            current={waits.current.median_seconds}
            previous={waits.previous.median_seconds}
            better="less"
            format={formatDuration}
          />
        }
        course={parts.map((part) => part.first_review_median_seconds)}
      />
    </div>
  )
}

export const openCriticalId = 'open-critical'

function describeFixed({ fixed, findings, reviewed, pull_requests: all }: Merged) {
  if (all === 0) return 'No pull request was merged.'
  if (findings === 0)
    return `No findings in ${formatQuantity(reviewed, 'reviewed and merged pull request')}.`
  return (
    `${formatCount(fixed)} of ${formatQuantity(findings, 'finding')} in ` +
    `${formatQuantity(reviewed, 'merged pull request')}.`
  )
}

function describeDismissed({ current, by_reason: reasons }: OutcomesResponse['dismissals']) {
  if (current === 0) return 'Nobody dismissed a finding.'
  const without = reasons.find(({ reason }) => reason === '')?.count ?? 0
  return (
    'In open, merged and closed pull requests: ' +
    `${formatCount(current - without)} with a reason, ${formatCount(without)} without.`
  )
}

interface FigureProps {
  readonly definition: Definition
  readonly value: string
  readonly details: ReactNode
  readonly change: ReactNode
  /** Null where there is no value. */
  readonly course: readonly (number | null)[]
}

function Figure({ definition, value, details, change, course }: FigureProps) {
  return (
    <section
      aria-label={definition.name}
      className="flex flex-col rounded-lg border border-line bg-surface p-3"
    >
      <h2 className="text-muted">{definition.name}</h2>
      <p className="font-semibold text-2xl tabular-nums">{value}</p>
      <p className="text-muted text-xs tabular-nums">{details}</p>
      <p className="mt-1 text-xs tabular-nums">{change}</p>
      {course.filter(Boolean).length > 1 && <Sparkline values={course} />}
      <details className="pt-1 text-xs">
        <summary className="text-accent">Definition</summary>
        <dl className="mt-1 space-y-1">
          <DefinitionPart name="Counted">{definition.counted}</DefinitionPart>
          <DefinitionPart name="From">{definition.source}</DefinitionPart>
          <DefinitionPart name="Not counted">{definition.excluded}</DefinitionPart>
        </dl>
      </details>
    </section>
  )
}

function DefinitionPart({ name, children }: { name: string; children: string }) {
  return (
    <div>
      <dt className="font-medium">{name}</dt>
      <dd className="text-muted">{children}</dd>
    </div>
  )
}

interface ChangeProps {
  readonly current: number | null
  readonly previous: number | null
  readonly before: string
  /** Whether there was anything to count before. */
  readonly hasBefore: boolean
  /** Null if neither is better. */
  readonly better: 'more' | 'less' | null
  readonly format: (difference: number) => string
}

/** The difference to the period before, in words, so that it doesn't depend on color. */
function Change({ current, previous, before, hasBefore, better, format }: ChangeProps) {
  if (!hasBefore || current === null || previous === null) return null
  const difference = format(Math.abs(current - previous))
  if (difference === format(0)) return <span className="text-muted">Unchanged.</span>
  const direction = current > previous ? 'more' : 'less'
  const tone = better === null ? 'text-muted' : better === direction ? 'text-good' : 'text-bad'
  return (
    <>
      <span className={`font-medium ${tone}`}>
        <span aria-hidden="true">{direction === 'more' ? '▲' : '▼'}</span> {difference} {direction}
      </span>{' '}
      <span className="text-muted">{before}</span>
    </>
  )
}
