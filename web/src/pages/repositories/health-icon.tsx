// Icon of a state of health, with words for screen readers.
import { AlertIcon, CheckCircleFillIcon, CircleIcon, XCircleFillIcon } from '@primer/octicons-react'
import type { RepositoryHealth } from './repository-queries.ts'

type State = RepositoryHealth['checks'][number]['state']

const icons = {
  ok: [CheckCircleFillIcon, 'text-good', 'Works'],
  none: [CircleIcon, 'text-muted', 'Nothing yet'],
  warning: [AlertIcon, 'text-warn', 'Warning'],
  problem: [XCircleFillIcon, 'text-bad', 'Problem'],
} as const

/** `words` shows them to everyone. */
export function HealthIcon({ state, words = false }: { state: State; words?: boolean }) {
  const [Icon, color, label] = icons[state]
  return (
    <span className={`inline-flex shrink-0 items-center gap-1.5 ${color}`}>
      <Icon size={14} />
      <span className={words ? '' : 'sr-only'}>{label}</span>
    </span>
  )
}
