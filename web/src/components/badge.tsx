// Short words on a coloured ground: states, verdicts, severities. The colour never says it alone.
import type { ReactNode } from 'react'

export type Tone = 'good' | 'warn' | 'bad' | 'info' | 'plain'

const toneClasses: Readonly<Record<Tone, string>> = {
  good: 'bg-good-soft text-good',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
  info: 'bg-info-soft text-info',
  plain: 'bg-raised text-ink',
}

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
    <span
      title={title}
      className={`inline-block whitespace-nowrap rounded px-1.5 font-medium text-xs/5 ${toneClasses[tone]}`}
    >
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

/** The state of a review or of a delivery. */
export function StatusBadge({ status }: { status: string }) {
  const [tone, words] = statusLabels[status] ?? ['plain', status]
  return <Badge tone={tone}>{words}</Badge>
}

const outcomeTones: Readonly<Record<string, Tone>> = {
  reviewing: 'info',
  reviewed: 'good',
  failed: 'bad',
}

/** What became of a delivery. */
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
  const [tone, words] = verdictLabels[verdict] ?? ['plain', verdict]
  return <Badge tone={tone}>{words}</Badge>
}

const endLabels: Readonly<Record<string, readonly [Tone, string]>> = {
  skipped: ['plain', 'Skipped'],
  changes_requested: ['bad', 'Changes requested'],
  incomplete: ['plain', 'Incomplete'],
  needs_person: ['warn', 'Needs a person'],
  passed: ['good', 'Passed'],
}

/** How a review ended. */
export function EndBadge({ end }: { end: string }) {
  const [tone, words] = endLabels[end] ?? ['plain', end]
  return <Badge tone={tone}>{words}</Badge>
}

const pullRequestStateLabels: Readonly<Record<string, readonly [Tone, string]>> = {
  open: ['info', 'Open'],
  merged: ['good', 'Merged'],
  closed: ['plain', 'Closed'],
}

/** The state of a pull request. */
export function PullRequestBadge({ state }: { state: string }) {
  const [tone, words] = pullRequestStateLabels[state] ?? ['plain', state]
  return <Badge tone={tone}>{words}</Badge>
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

/** How many were found of a severity, such as `2 critical`. */
export function SeverityCount({ severity, words }: { severity: string; words: string }) {
  return (
    <span
      className={`whitespace-nowrap font-medium ${severityTextClasses[severity] ?? 'text-muted'}`}
    >
      {words}
    </span>
  )
}

export function SeverityBadge({ severity }: { severity: string }) {
  return <Badge tone={severityTones[severity]}>{severity}</Badge>
}
