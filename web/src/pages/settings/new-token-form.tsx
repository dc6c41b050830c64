// Form that creates an API token.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { useApi } from '../../api/use-api.ts'
import { Button } from '../../components/button.tsx'
import { SelectField, TextField } from '../../components/field.tsx'
import { ErrorAlert } from '../../components/page-states.tsx'
import { type NewApiToken, tokensQuery } from './settings-queries.ts'

const lifetimesInDays = [7, 30, 90, 365]

export function NewTokenForm({ onCreated }: { onCreated: (token: NewApiToken) => void }) {
  const api = useApi()
  const client = useQueryClient()
  const { mutate, isPending, error } = useMutation({
    mutationFn: (body: { name: string; expires_in_days: number }) =>
      api.call('createApiToken', { body }),
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const element = event.currentTarget
    const form = new FormData(element)
    const body = { name: String(form.get('name')), expires_in_days: Number(form.get('days')) }
    mutate(body, {
      onSuccess: (token) => {
        element.reset()
        onCreated(token)
        void client.invalidateQueries({ queryKey: tokensQuery(api).queryKey })
      },
    })
  }
  return (
    <>
      <form onSubmit={submit} aria-label="Create token" className="flex flex-wrap items-end gap-3">
        <TextField
          label="Token name"
          name="name"
          placeholder="nightly job"
          className="w-full max-w-sm"
          required
          maxLength={100}
          autoComplete="off"
        />
        <SelectField label="Expires in" name="days" defaultValue="90">
          {lifetimesInDays.map((days) => (
            <option key={days} value={days}>
              {days} days
            </option>
          ))}
        </SelectField>
        <Button type="submit" variant="main" disabled={isPending}>
          Create token
        </Button>
      </form>
      <p className="mt-2 text-muted">The token grants your access, except for creating tokens.</p>
      {error && <ErrorAlert error={error} />}
    </>
  )
}
