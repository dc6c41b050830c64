// Form that adds a memory.
import { type FormEvent, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { SelectField, TextArea, TextField } from '../../components/field.tsx'
import { ErrorAlert } from '../../components/page-states.tsx'
import { addableMemoryTypes, memoryTypeLabels } from './memory-labels.ts'
import { useMemoryMutation } from './use-memory-mutation.ts'

export function AddMemory({ repo, onDone }: { repo: string; onDone: () => void }) {
  const [type, setType] = useState<(typeof addableMemoryTypes)[number]>('project_pattern')
  const { mutate, isPending, error } = useMemoryMutation('addMemory', repo, onDone)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const path = String(form.get('path')).trim()
    mutate({ body: { type, text: String(form.get('text')), ...(path !== '' && { path }) } })
  }
  return (
    <form
      onSubmit={submit}
      aria-label="Add a memory"
      className="mb-4 rounded-lg border border-line bg-surface p-3"
    >
      <div className="mb-3 flex flex-wrap gap-3">
        <SelectField
          label="Type"
          value={type}
          onChange={({ target }) => setType(target.value as (typeof addableMemoryTypes)[number])}
        >
          {addableMemoryTypes.map((memoryType) => (
            <option key={memoryType} value={memoryType}>
              {memoryTypeLabels[memoryType]}
            </option>
          ))}
        </SelectField>
        <TextField
          label={type === 'project_map' ? 'File or directory' : 'File or directory (optional)'}
          name="path"
          className="min-w-56 flex-1"
          placeholder="src/orders"
          required={type === 'project_map'}
          maxLength={4096}
        />
      </div>
      <TextArea
        label="What reviews should know"
        name="text"
        rows={3}
        required
        maxLength={4000}
        placeholder="Amounts are whole cents; never use floating point for money."
      />
      <p className="mt-1 mb-3 text-muted">
        Scans and reviews do not change your memories. Everyone who is connected to the repository
        can see them.
      </p>
      {error && <ErrorAlert error={error} />}
      <div className="mt-2 flex gap-2">
        <Button type="submit" variant="main" disabled={isPending}>
          Add
        </Button>
        <Button onClick={onDone}>Cancel</Button>
      </div>
    </form>
  )
}
