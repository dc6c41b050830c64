// Form that adds a notification channel.
import { type FormEvent, useState } from 'react'
import type { RequestOf } from '../../api/endpoints.ts'
import { Button } from '../../components/button.tsx'
import { SelectField, TextField } from '../../components/field.tsx'
import { ErrorAlert } from '../../components/page-states.tsx'
import { useChannelAction } from './use-channel-action.ts'

type NewChannel = RequestOf<'addNotificationChannel'>['body']

const targetFields = {
  chat: {
    label: 'Webhook URL',
    type: 'url',
    placeholder: 'https://hooks.slack.com/services/…',
    autoComplete: 'off',
  },
  email: {
    label: 'Email address',
    type: 'email',
    placeholder: 'team@example.com',
    autoComplete: 'email',
  },
} as const

const hours = Array.from({ length: 24 }, (_, hour) => hour)

export function NewChannelForm({ canMail }: { canMail: boolean }) {
  const [kind, setKind] = useState<'chat' | 'email'>('chat')
  const { mutate, isPending, error } = useChannelAction((api, body: NewChannel) =>
    api.call('addNotificationChannel', { body }),
  )
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const element = event.currentTarget
    const form = new FormData(element)
    const localHour = form.get('hour')
    const body = {
      kind,
      target: String(form.get('target')),
      repo: String(form.get('repo')) || null,
      digest_hour: localHour === '' ? null : toUtcHour(Number(localHour)),
    }
    mutate(body, { onSuccess: () => element.reset() })
  }
  return (
    <>
      <form onSubmit={submit} aria-label="Add channel" className="flex flex-wrap items-end gap-3">
        <SelectField
          label="Send to"
          value={kind}
          onChange={(event) => setKind(event.target.value === 'email' ? 'email' : 'chat')}
        >
          <option value="chat">Slack or compatible chat</option>
          <option value="email" disabled={!canMail}>
            {canMail ? 'Email' : 'Email (not configured)'}
          </option>
        </SelectField>
        <TextField
          {...targetFields[kind]}
          name="target"
          className="w-full max-w-md"
          required
          maxLength={2000}
        />
        <TextField
          label="Repository (optional)"
          name="repo"
          placeholder="owner/name"
          maxLength={300}
          autoComplete="off"
        />
        <SelectField label="When" name="hour" defaultValue="">
          <option value="">Immediately</option>
          {hours.map((hour) => (
            <option key={hour} value={hour}>
              Daily at {String(hour).padStart(2, '0')}:00
            </option>
          ))}
        </SelectField>
        <Button type="submit" variant="main" disabled={isPending}>
          Add channel
        </Button>
      </form>
      <p className="mt-2 text-muted">
        You are notified when a review finds a new critical problem. Webhooks of Slack, Mattermost,
        Rocket.Chat and Discord (with /slack at its end) work.
      </p>
      {error && (
        <div className="mt-2">
          <ErrorAlert error={error} />
        </div>
      )}
    </>
  )
}

/** Converts an hour of the browser's time zone; half hours are rounded down. */
function toUtcHour(localHour: number): number {
  const date = new Date()
  date.setHours(localHour, 0, 0, 0)
  return date.getUTCHours()
}
