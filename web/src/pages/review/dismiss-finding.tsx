// Dismisses a finding for a reason, shows who dismissed it, and reopens it.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useCallback, useState } from 'react'
import { useApi } from '../../api/use-api.ts'
import { Button } from '../../components/button.tsx'
import { dismissalKinds } from '../../components/dismissal-kinds.ts'
import { SelectField, TextArea } from '../../components/field.tsx'
import { ErrorAlert } from '../../components/page-states.tsx'
import { focusHeading, useFindingNavigation } from './finding-navigation.tsx'
import type { Finding } from './review-queries.ts'

type Dismissal = NonNullable<Finding['dismissal']>

interface DismissFindingProps {
  readonly finding: Finding
}

export function DismissFinding({ finding }: DismissFindingProps) {
  const { review } = useFindingNavigation()
  const [isOpen, setOpen] = useState(false)
  if (review.pr_status !== 'open') return null
  const { state, dismissal } = finding
  if (dismissal?.via === 'api') return <ReopenButton finding={finding} />
  // A resolved thread gives no reason.
  const isDismissed = dismissal !== null
  if (isDismissed ? state === 'resolved' : state !== 'open') return null
  if (isOpen)
    return (
      <div className="w-full">
        <DismissForm finding={finding} onClose={() => setOpen(false)} />
      </div>
    )
  return (
    <Button onClick={() => setOpen(true)}>
      {isDismissed ? 'Give a reason' : 'Dismiss'}
      <span className="sr-only"> “{finding.title}”</span>
    </Button>
  )
}

const kindHints: Readonly<Record<NonNullable<Dismissal['kind']>, string>> = {
  false_positive: 'the finding is wrong',
  accepted: 'right, but it stays as it is',
  handled: 'right, such as a key that was revoked',
}
const kinds = Object.keys(dismissalKinds) as (keyof typeof dismissalKinds)[]

function DismissForm({ finding, onClose }: DismissFindingProps & { onClose: () => void }) {
  const { showDismissed } = useFindingNavigation()
  const { mutate, isPending, error } = useDismissal(finding, () => {
    onClose()
    showDismissed(finding)
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget)
    const kind = kinds.find((one) => one === fields.get('kind'))
    mutate({ reason: String(fields.get('reason')), ...(kind && { kind }) })
  }
  const show = useCallback(
    (form: HTMLFormElement | null) => form?.scrollIntoView({ block: 'nearest' }),
    [],
  )
  return (
    <form ref={show} onSubmit={submit} aria-label="Dismiss finding" className="max-w-prose">
      <TextArea
        label="Reason for dismissal"
        name="reason"
        rows={2}
        required
        maxLength={1000}
        autoFocus
      />
      <SelectField label="Kind" name="kind" className="mt-2">
        <option value="">Not specified</option>
        {kinds.map((kind) => (
          <option key={kind} value={kind}>
            {dismissalKinds[kind]}: {kindHints[kind]}
          </option>
        ))}
      </SelectField>
      <p className="mt-1 mb-2 text-muted">
        Dismissing a finding updates the verdict. You need write access to the repository. Your name
        appears in the review summary on the pull request.
      </p>
      {error && <ErrorAlert error={error} />}
      <div className="mt-2 flex gap-2">
        <Button type="submit" variant="main" disabled={isPending}>
          Dismiss
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </form>
  )
}

function ReopenButton({ finding }: DismissFindingProps) {
  const { isJustDismissed } = useFindingNavigation()
  const { mutate, isPending, error } = useDismissal(finding, () => focusHeading(finding))
  return (
    <>
      {error && <ErrorAlert error={error} />}
      <Button disabled={isPending} onClick={() => mutate(null)}>
        {isJustDismissed(finding) ? 'Undo' : 'Reopen'}
        <span className="sr-only"> “{finding.title}”</span>
      </Button>
    </>
  )
}

export function DismissalNote({ finding: { state, dismissal } }: DismissFindingProps) {
  if (dismissal === null) return null
  const { login, reason, kind } = dismissal
  return (
    <p className="font-medium">
      Dismissed by <bdi>{login}</bdi>
      {kind !== null && ` (${dismissalKinds[kind]})`}
      {reason !== '' && (
        <>
          : <bdi>{reason}</bdi>
        </>
      )}
      {state === 'open' && ' (updating the verdict)'}
    </p>
  )
}

/** Mutation that dismisses a finding, or reopens it for null. Then the page follows the verdict. */
function useDismissal({ fingerprint }: Finding, onDone: () => void) {
  const { review, followVerdict } = useFindingNavigation()
  const api = useApi()
  const client = useQueryClient()
  const params = { id: String(review.id), fingerprint }
  return useMutation({
    mutationFn: async (
      dismissal: (Pick<Dismissal, 'reason'> & { kind?: (typeof kinds)[number] }) | null,
    ) =>
      dismissal === null
        ? api.call('reopenFinding', { params })
        : api.call('dismissFinding', { params, body: dismissal }),
    onSuccess: async ({ event_id: nextId }) => {
      if (nextId !== null) followVerdict(nextId)
      await client.invalidateQueries({ queryKey: ['review', params.id] })
      onDone()
    },
  })
}
