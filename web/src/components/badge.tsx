// Badges for states, verdicts and severities. The text never relies on the color alone.
import type { ReactNode } from 'react'

export type Tone = 'good' | 'warn' | 'bad' | 'info' | 'plain'

const toneClasses: Readonly<Record<Tone, string>> = {
  good: 'bg-good-soft text-good',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
  info: 'bg-info-soft text-info',
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
  APPROVE: ['good', 'Approve'],
  REQUEST_CHANGES: ['bad', 'Request changes'],
  NEEDS_DISCUSSION: ['warn', 'Needs discussion'],
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

const pullRequestStateLabels: Readonly<Record<string, readonly [Tone, string]>> = {
  open: ['info', 'Open'],
  merged: ['good', 'Merged'],
  closed: ['plain', 'Closed'],
}

export function PullRequestBadge({ state }: { state: string }) {
  const [tone, label] = pullRequestStateLabels[state] ?? ['plain', state]
  return <Badge tone={tone}>{label}</Badge>
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
