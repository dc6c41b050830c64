// Buttons that dismiss a finding for a reason or reopen it.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import type { ReviewDetail } from '../../api/shared-queries.ts'
import { useApi } from '../../api/use-api.ts'
import { Button } from '../../components/button.tsx'
import { TextArea } from '../../components/field.tsx'
import { ErrorAlert } from '../../components/page-states.tsx'
import type { Finding } from './review-queries.ts'

interface DismissFindingProps {
  readonly review: Pick<ReviewDetail, 'id' | 'pr_status'>
  readonly finding: Finding
}

export function DismissFinding({ review, finding }: DismissFindingProps) {
  const [isOpen, setOpen] = useState(false)
  if (review.pr_status !== 'open') return null
  if (finding.dismissal?.via === 'api') return <ReopenButton review={review} finding={finding} />
  if (finding.state !== 'open' || finding.dismissal !== null) return null
  if (isOpen)
    return <DismissForm review={review} finding={finding} onCancel={() => setOpen(false)} />
  return (
    <Button onClick={() => setOpen(true)}>
      Dismiss
      <span className="sr-only"> “{finding.title}”</span>
    </Button>
  )
}

function DismissForm({
  review,
  finding,
  onCancel,
}: DismissFindingProps & { onCancel: () => void }) {
  const { mutate, isPending, error } = useDismissal(review.id, finding.fingerprint)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    mutate(String(new FormData(event.currentTarget).get('reason')))
  }
  return (
    <form onSubmit={submit} aria-label="Dismiss finding" className="max-w-prose">
      <TextArea
        label="Reason for dismissal"
        name="reason"
        rows={2}
        required
        maxLength={1000}
        autoFocus
      />
      <p className="mt-1 mb-2 text-muted">
        Dismissing a finding updates the verdict. You need write access to the repository. Your name
        appears in the review summary on the pull request.
      </p>
      {error && <ErrorAlert error={error} />}
      <div className="mt-2 flex gap-2">
        <Button type="submit" variant="main" disabled={isPending}>
          Dismiss
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </form>
  )
}

function ReopenButton({ review, finding }: DismissFindingProps) {
  const { mutate, isPending, error } = useDismissal(review.id, finding.fingerprint)
  return (
    <>
      {error && <ErrorAlert error={error} />}
      <Button disabled={isPending} onClick={() => mutate(null)}>
        Reopen
        <span className="sr-only"> “{finding.title}”</span>
      </Button>
    </>
  )
}

/**
 * Mutation that dismisses a finding for a reason, or reopens it when the reason is null.
 * If this starts a new review, the page navigates to it.
 */
function useDismissal(id: number, fingerprint: string) {
  const api = useApi()
  const client = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: async (reason: string | null) => {
      const params = { id: String(id), fingerprint }
      if (reason === null) return api.call('reopenFinding', { params })
      return api.call('dismissFinding', { params, body: { reason } })
    },
    onSuccess: async ({ event_id: nextId }) => {
      await client.invalidateQueries({ queryKey: ['review', String(id)] })
      if (nextId !== null) await navigate({ to: '/reviews/$id', params: { id: String(nextId) } })
    },
  })
}
