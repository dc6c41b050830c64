// Badge for the outcome of a delivery.
import { AlertIcon, CircleIcon } from '@primer/octicons-react'
import { LookBadge, type StateLook, statusLooks } from './badge.tsx'

/** The tooltip begins with the name that the API uses. */
const outcomeLooks: Readonly<Record<string, StateLook>> = {
  waiting: { ...statusLooks.pending!, hint: 'waiting: its review has not started' },
  reviewing: { ...statusLooks.processing!, hint: 'reviewing: its review runs' },
  reviewed: { ...statusLooks.completed!, hint: 'reviewed: its review ended' },
  skipped: { ...statusLooks.skipped!, hint: 'skipped: its review says why' },
  failed: { ...statusLooks.failed!, hint: 'failed: its review ended with an error' },
  recorded: { ...statusLooks.recorded!, hint: 'recorded: it asks for no review' },
  duplicate: {
    tone: 'plain',
    label: 'Repeated',
    icon: CircleIcon,
    hint: 'duplicate: it asked for a review that was requested already',
  },
  ignored: {
    tone: 'plain',
    label: 'Not needed',
    icon: CircleIcon,
    hint: 'ignored: the text beside it says why',
  },
  refused: {
    tone: 'warn',
    label: 'Rejected',
    icon: AlertIcon,
    hint: 'refused: it may not come from the code host',
  },
}

export function OutcomeBadge({ outcome }: { outcome: string }) {
  return <LookBadge look={outcomeLooks[outcome]} name={outcome} />
}
