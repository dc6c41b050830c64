// Badges for states, verdicts and severities. The text never relies on the color alone.
import {
  AlertFillIcon,
  AlertIcon,
  CheckCircleFillIcon,
  CircleIcon,
  ClockIcon,
  CommentDiscussionIcon,
  DotFillIcon,
  GitMergeIcon,
  GitPullRequestClosedIcon,
  GitPullRequestDraftIcon,
  GitPullRequestIcon,
  type Icon,
  IssueDraftIcon,
  SkipIcon,
  SyncIcon,
  XCircleFillIcon,
} from '@primer/octicons-react'
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

const badgeClass =
  'inline-flex items-center gap-1 whitespace-nowrap rounded-full px-2 align-middle font-medium ' +
  'text-xs/5'

export function Badge({
  tone = 'plain',
  title,
  icon: IconOfBadge,
  children,
}: {
  tone?: Tone | undefined
  title?: string | undefined
  icon?: Icon | undefined
  children: ReactNode
}) {
  return (
    <span title={title} className={`${badgeClass} ${toneClasses[tone]}`}>
      {IconOfBadge && <IconOfBadge size={12} />}
      {children}
    </span>
  )
}

/** Badges begin with a capital letter. */
export function capitalize(name: string): string {
  return `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`
}

/** How a state looks. */
export interface StateLook {
  readonly tone: Tone
  readonly label: string
  readonly icon: Icon
  /** Explains it in a tooltip. */
  readonly hint?: string
}

export const statusLooks: Readonly<Record<string, StateLook>> = {
  pending: { tone: 'plain', label: 'Waiting', icon: ClockIcon },
  processing: { tone: 'info', label: 'Reviewing', icon: SyncIcon },
  completed: { tone: 'good', label: 'Reviewed', icon: CheckCircleFillIcon },
  skipped: { tone: 'plain', label: 'Skipped', icon: SkipIcon },
  failed: { tone: 'bad', label: 'Failed', icon: AlertIcon },
  recorded: { tone: 'plain', label: 'No review', icon: CircleIcon },
  unreviewed: { tone: 'plain', label: 'Not reviewed', icon: CircleIcon },
}

function statusLook(status: string): StateLook {
  return statusLooks[status] ?? { tone: 'plain', label: status, icon: ClockIcon }
}

export function StatusBadge({ status }: { status: string }) {
  return <LookBadge look={statusLooks[status]} name={status} />
}

export function LookBadge({
  look,
  name,
  isQuiet = false,
}: {
  look: StateLook | undefined
  name: string
  isQuiet?: boolean | undefined
}) {
  return (
    <Badge tone={isQuiet ? 'plain' : look?.tone} icon={look?.icon} title={look?.hint}>
      {look?.label ?? name}
    </Badge>
  )
}

const passed: StateLook = { tone: 'good', label: 'Passed', icon: CheckCircleFillIcon }
const changesRequested: StateLook = {
  tone: 'bad',
  label: 'Changes requested',
  icon: XCircleFillIcon,
}
const needsPerson: StateLook = {
  tone: 'warn',
  label: 'Needs a person',
  icon: CommentDiscussionIcon,
  hint: 'A person has to decide about moderate or unconfirmed findings',
}
const skipped: StateLook = { tone: 'plain', label: 'Skipped', icon: SkipIcon }

const verdictLooks: Readonly<Record<string, StateLook>> = {
  APPROVE: passed,
  REQUEST_CHANGES: changesRequested,
  NEEDS_DISCUSSION: needsPerson,
  UNKNOWN: skipped,
}

/** A quiet badge has no color. */
export function VerdictBadge({ verdict, isQuiet }: { verdict: string; isQuiet?: boolean }) {
  return <LookBadge look={verdictLooks[verdict]} name={verdict} isQuiet={isQuiet} />
}

const endLooks: Readonly<Record<string, StateLook>> = {
  skipped,
  changes_requested: changesRequested,
  incomplete: {
    tone: 'warn',
    label: 'Incomplete',
    icon: IssueDraftIcon,
    hint: 'Part of the change was not reviewed',
  },
  needs_person: needsPerson,
  passed,
}

/** How the result of a review looks: its main end, or its verdict if no end was recorded. */
export function resultLook(end: string | undefined, verdict: string | null): StateLook {
  return endLooks[end ?? ''] ?? verdictLooks[verdict ?? ''] ?? skipped
}

/** How a review looks: its result once it has one, its status before. */
export function reviewLook({
  status,
  verdict,
  ends,
}: {
  readonly status: string
  readonly verdict: string | null
  readonly ends: readonly string[]
}): StateLook {
  const isUnfinished = verdict === null && status !== 'completed'
  return isUnfinished ? statusLook(status) : resultLook(ends[0], verdict)
}

/** A quiet badge has no color. */
export function EndBadge({ end, isQuiet }: { end: string; isQuiet?: boolean }) {
  return <LookBadge look={endLooks[end]} name={end} isQuiet={isQuiet} />
}

interface PullRequestLook extends StateLook {
  readonly iconClass: string
}

/** Icons and colors are those of GitHub. */
const pullRequestLooks: Readonly<Record<string, PullRequestLook>> = {
  open: { tone: 'good', label: 'Open', icon: GitPullRequestIcon, iconClass: 'text-state-open' },
  draft: {
    tone: 'plain',
    label: 'Draft',
    icon: GitPullRequestDraftIcon,
    iconClass: 'text-draft',
  },
  merged: { tone: 'merged', label: 'Merged', icon: GitMergeIcon, iconClass: 'text-state-merged' },
  closed: {
    tone: 'bad',
    label: 'Closed',
    icon: GitPullRequestClosedIcon,
    iconClass: 'text-state-closed',
  },
}

/** The state of a pull request by which its look is chosen. */
export function pullRequestState(pullRequest: {
  readonly pr_status: string
  readonly draft: boolean
}): string {
  const { pr_status: state, draft } = pullRequest
  return draft && state === 'open' ? 'draft' : state
}

export function PullRequestBadge({ state }: { state: string }) {
  return <LookBadge look={pullRequestLooks[state]} name={state} />
}

/** Only the icon, whose label is for screen readers and the tooltip. */
export function PullRequestStateIcon({ state }: { state: string }) {
  const look = pullRequestLooks[state] ?? pullRequestLooks.open!
  return (
    <span title={look.label} className={`inline-flex ${look.iconClass}`}>
      <look.icon size={16} />
      <span className="sr-only">{look.label}</span>
    </span>
  )
}

interface SeverityLook extends Pick<StateLook, 'tone' | 'icon'> {
  readonly textClass: string
}

const severityLooks: Readonly<Record<string, SeverityLook>> = {
  critical: { tone: 'bad', icon: AlertFillIcon, textClass: 'text-bad' },
  moderate: { tone: 'warn', icon: AlertIcon, textClass: 'text-warn' },
  minor: { tone: 'plain', icon: DotFillIcon, textClass: 'text-muted' },
}

const plainSeverity = severityLooks.minor!

/** Its label is the severity. */
export function SeverityIcon({ severity, size = 16 }: { severity: string; size?: number }) {
  const { icon: IconOfSeverity, textClass } = severityLooks[severity] ?? plainSeverity
  return (
    <span title={severity} className={`inline-flex shrink-0 ${textClass}`}>
      <IconOfSeverity size={size} />
      <span className="sr-only">{severity}</span>
    </span>
  )
}

/** The word in its color, beside an icon that only shows it. */
export function SeverityWord({ severity }: { severity: string }) {
  const { textClass } = severityLooks[severity] ?? plainSeverity
  return <span className={`font-medium ${textClass}`}>{severity}</span>
}

export function SeverityBadge({ severity }: { severity: string }) {
  const look = severityLooks[severity]
  return (
    <Badge tone={look?.tone} icon={look?.icon}>
      {capitalize(severity)}
    </Badge>
  )
}
