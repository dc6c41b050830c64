// Badges for states, verdicts and severities. The text never relies on the color alone.
import type { ReactNode } from 'react'

export type Tone = 'good' | 'warn' | 'bad' | 'info' | 'merged' | 'plain'

const toneClasses: Readonly<Record<Tone, string>> = {
  good: 'bg-good-soft text-good',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
  info: 'bg-info-soft text-info',
  merged: 'bg-merged-soft text-merged',
  plain: 'bg-raised text-ink',
}

const badgeClass = 'inline-block whitespace-nowrap rounded px-1.5 font-medium text-xs/5'

export function Badge({
  tone = 'plain',
  title,
  children,
}: {
  tone?: Tone
  title?: string
  children: ReactNode
}) {
  return (
    <span title={title} className={`${badgeClass} ${toneClasses[tone]}`}>
      {children}
    </span>
  )
}

const statusLabels: Readonly<Record<string, readonly [Tone, string]>> = {
  pending: ['plain', 'Waiting'],
  processing: ['info', 'Reviewing'],
  completed: ['good', 'Reviewed'],
  skipped: ['plain', 'Skipped'],
  failed: ['bad', 'Failed'],
}

export function StatusBadge({ status }: { status: string }) {
  const [tone, label] = statusLabels[status] ?? ['plain', status]
  return <Badge tone={tone}>{label}</Badge>
}

const outcomeTones: Readonly<Record<string, Tone>> = {
  reviewing: 'info',
  reviewed: 'good',
  failed: 'bad',
}

/** The outcome of a delivery. */
export function OutcomeBadge({ outcome }: { outcome: string }) {
  return <Badge tone={outcomeTones[outcome] ?? 'plain'}>{outcome}</Badge>
}

const verdictLabels: Readonly<Record<string, readonly [Tone, string]>> = {
  APPROVE: ['good', 'Passed'],
  REQUEST_CHANGES: ['bad', 'Changes requested'],
  NEEDS_DISCUSSION: ['warn', 'Needs a person'],
  UNKNOWN: ['plain', 'Skipped'],
}

export function VerdictBadge({ verdict }: { verdict: string }) {
  const [tone, label] = verdictLabels[verdict] ?? ['plain', verdict]
  return <Badge tone={tone}>{label}</Badge>
}

const endLabels: Readonly<Record<string, readonly [Tone, string]>> = {
  skipped: ['plain', 'Skipped'],
  changes_requested: ['bad', 'Changes requested'],
  incomplete: ['plain', 'Incomplete'],
  needs_person: ['warn', 'Needs a person'],
  passed: ['good', 'Passed'],
}

export function EndBadge({ end }: { end: string }) {
  const [tone, label] = endLabels[end] ?? ['plain', end]
  return <Badge tone={tone}>{label}</Badge>
}

/** The colors are those of GitHub. */
const pullRequestStateLabels: Readonly<Record<string, readonly [Tone, string]>> = {
  open: ['good', 'Open'],
  merged: ['merged', 'Merged'],
  closed: ['bad', 'Closed'],
}

/** Draw a branch that leads to the base, was joined to it, or ends. */
const pullRequestStateLines: Readonly<Record<string, string>> = {
  open: 'M4 5v6M12 11V7q0-3-3-3H8m2-2L8 4l2 2',
  merged: 'M4 5v6M4 5q0 4 4 4h2',
  closed: 'M4 5v6M12 11V8M10 2l4 4m0-4-4 4',
}

export function PullRequestBadge({ state }: { state: string }) {
  const [tone, label] = pullRequestStateLabels[state] ?? ['plain', state]
  const lines = pullRequestStateLines[state]
  return (
    <Badge tone={tone}>
      {lines && <BranchIcon lines={lines} end={state === 'merged' ? 9 : 13} />}
      {label}
    </Badge>
  )
}

function BranchIcon({ lines, end }: { lines: string; end: number }) {
  return (
    <svg
      viewBox="0 0 16 16"
      aria-hidden="true"
      className="mr-1 inline size-3 fill-none stroke-[1.6] stroke-current"
    >
      <circle cx="4" cy="3" r="2" />
      <circle cx="4" cy="13" r="2" />
      <circle cx="12" cy={end} r="2" />
      <path d={lines} />
    </svg>
  )
}

const severityTones: Readonly<Record<string, Tone>> = {
  critical: 'bad',
  moderate: 'warn',
  minor: 'plain',
}

const severityTextClasses: Readonly<Record<string, string>> = {
  critical: 'text-bad',
  moderate: 'text-warn',
  minor: 'text-muted',
}

/** The number of findings with a severity, such as `2 critical`. */
export function SeverityCount({ severity, label }: { severity: string; label: string }) {
  return (
    <span
      className={`whitespace-nowrap font-medium ${severityTextClasses[severity] ?? 'text-muted'}`}
    >
      {label}
    </span>
  )
}

export function SeverityBadge({ severity }: { severity: string }) {
  return <Badge tone={severityTones[severity]}>{severity}</Badge>
}
