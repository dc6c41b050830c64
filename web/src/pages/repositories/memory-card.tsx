// One memory with its provenance and actions.
import { type FormEvent, useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { TextArea } from '../../components/field.tsx'
import { ErrorAlert } from '../../components/page-states.tsx'
import { MemoryHistory } from './memory-history.tsx'
import { memoryTypeLabels } from './memory-labels.ts'
import { MemoryProvenance } from './memory-provenance.tsx'
import { PullRequestLink } from './pull-request-link.tsx'
import type { Memory } from './repository-queries.ts'
import { useMemoryMutation } from './use-memory-mutation.ts'

interface MemoryCardProps {
  readonly repo: string
  readonly memory: Memory
}

export function MemoryCard({ repo, memory }: MemoryCardProps) {
  const [view, setView] = useState<'text' | 'form' | 'history'>('text')
  const isEditing = view === 'form'
  return (
    <article aria-label={`${memoryTypeLabels[memory.type]}: ${memory.memory.slice(0, 60)}`}>
      <div className="flex flex-wrap items-start justify-between gap-x-4">
        <div className="flex min-h-8 flex-wrap items-center gap-x-2">
          <Badge tone="info">{memoryTypeLabels[memory.type]}</Badge>
          {memory.path !== null && <Subject path={memory.path} />}
        </div>
        {!isEditing && (
          <div className="-mx-3 flex flex-wrap">
            <Button variant="quiet" onClick={() => setView('form')}>
              Edit
            </Button>
            <DismissButton repo={repo} memory={memory} />
            <Button
              variant="quiet"
              aria-expanded={view === 'history'}
              onClick={() => setView(view === 'history' ? 'text' : 'history')}
            >
              History
            </Button>
          </div>
        )}
      </div>
      {isEditing ? (
        <EditMemory repo={repo} memory={memory} onDone={() => setView('text')} />
      ) : (
        <p className="max-w-prose whitespace-pre-line">{memory.memory}</p>
      )}
      <p>
        <MemoryProvenance repo={repo} memory={memory} /> <AppliedTo repo={repo} memory={memory} />
      </p>
      {view === 'history' && <MemoryHistory repo={repo} id={memory.id} />}
    </article>
  )
}

function Subject({ path }: { path: string }) {
  return path === '.' ? <span>whole repository</span> : <code>{path}</code>
}

/** Links to the latest reviews that applied it. */
function AppliedTo({ repo, memory: { applied_to: numbers = [] } }: MemoryCardProps) {
  if (numbers.length === 0) return null
  return (
    <span className="text-muted">
      Applied in the last reviews of{' '}
      {numbers.map((number, index) => (
        <span key={number}>
          {index > 0 && ', '}
          <PullRequestLink repo={repo} number={number} />
        </span>
      ))}
      .
    </span>
  )
}

function DismissButton({ repo, memory }: { repo: string; memory: Memory }) {
  const { mutateAsync } = useMemoryMutation('dismissMemory', repo)
  return (
    <ConfirmButton
      label="Dismiss"
      variant="quiet"
      title="Dismiss this memory?"
      action={() => mutateAsync({ params: { id: memory.id } })}
    >
      <p className="mb-2 line-clamp-4 border-line border-l-2 pl-2">{memory.memory}</p>
      <p>
        Reviews no longer use it, and Umpire does not add the same text again. It stays in the
        history.
      </p>
    </ConfirmButton>
  )
}

function EditMemory({
  repo,
  memory,
  onDone,
}: {
  repo: string
  memory: Memory
  onDone: () => void
}) {
  const { mutate, isPending, error } = useMemoryMutation('editMemory', repo, onDone)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const text = String(new FormData(event.currentTarget).get('text'))
    mutate({ params: { id: memory.id }, body: { text } })
  }
  return (
    <form onSubmit={submit} className="my-2 max-w-prose">
      <TextArea
        label="Text"
        name="text"
        rows={4}
        required
        maxLength={4000}
        defaultValue={memory.memory}
        autoFocus
      />
      {error && <ErrorAlert error={error} />}
      <div className="mt-2 flex gap-2">
        <Button type="submit" variant="main" disabled={isPending}>
          Save
        </Button>
        <Button onClick={onDone}>Cancel</Button>
      </div>
    </form>
  )
}
