// Tab of the settings: where the user is notified of new critical findings.
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useApi } from '../../api/use-api.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { TextField } from '../../components/field.tsx'
import { Panel } from '../../components/page.tsx'
import { EmptyState, ErrorAlert, Skeleton } from '../../components/page-states.tsx'
import { NewChannelForm } from './new-channel-form.tsx'
import { channelsQuery, type NotificationChannel } from './settings-queries.ts'
import { useChannelAction } from './use-channel-action.ts'

export function NotificationsTab() {
  const { data, error, refetch } = useQuery(channelsQuery(useApi()))
  if (error) return <ErrorAlert error={error} onRetry={refetch} />
  if (data === undefined) return <Skeleton className="h-48" />
  return (
    <>
      <Panel title="Add channel">
        <NewChannelForm canMail={data.email} />
      </Panel>
      <Panel title="Your channels">
        <ChannelList channels={data.channels} />
      </Panel>
    </>
  )
}

function ChannelList({ channels }: { channels: readonly NotificationChannel[] }) {
  if (channels.length === 0) {
    return (
      <EmptyState title="No channels">
        Add the webhook of a chat or an email address to be notified of new critical findings.
      </EmptyState>
    )
  }
  return (
    <ul className="divide-y divide-line">
      {channels.map((channel) => (
        <li key={channel.id} className="py-2 first:pt-0 last:pb-0">
          <ChannelRow channel={channel} />
        </li>
      ))}
    </ul>
  )
}

function ChannelRow({ channel }: { channel: NotificationChannel }) {
  const { id, kind, label, repo, digest_hour, confirmed_at, failure } = channel
  const { mutateAsync: remove } = useChannelAction((api) =>
    api.call('removeNotificationChannel', { params: { id } }),
  )
  return (
    <div className="flex flex-wrap items-start justify-between gap-2">
      <div className="min-w-0">
        <span className="break-words font-medium">{label}</span>
        <p className="text-muted">
          {kind === 'chat' ? 'Chat' : 'Email'}, {repo ?? 'all repositories'},{' '}
          {digest_hour === null ? 'at once' : `daily at ${formatHour(digest_hour)}`}
        </p>
        {failure !== null && <p className="text-bad">Last notification failed: {failure}</p>}
        {confirmed_at === null && <CodeForm id={id} />}
      </div>
      <ConfirmButton
        label="Remove"
        subject={label}
        title={`Remove ${label}?`}
        action={() => remove(undefined)}
      >
        You will not be notified there any more.
      </ConfirmButton>
    </div>
  )
}

/** Confirms an email address with the code that was sent to it. */
function CodeForm({ id }: { id: number }) {
  const [code, setCode] = useState('')
  const { mutate, isPending, error } = useChannelAction((api) =>
    api.call('confirmNotificationChannel', { params: { id }, body: { code } }),
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    mutate(undefined)
  }
  return (
    <form onSubmit={submit} aria-label="Confirm address" className="mt-2">
      <div className="flex flex-wrap items-end gap-3">
        <TextField
          label="Code from the email"
          value={code}
          onChange={(event) => setCode(event.target.value)}
          inputMode="numeric"
          autoComplete="one-time-code"
          required
          maxLength={20}
        />
        <Button type="submit" variant="main" disabled={isPending}>
          Confirm
        </Button>
      </div>
      {error && <ErrorAlert error={error} />}
    </form>
  )
}

/** Formats an hour of UTC in the time zone of the browser. */
function formatHour(hour: number): string {
  const date = new Date()
  date.setUTCHours(hour, 0, 0, 0)
  return date.toLocaleTimeString([], { hour: 'numeric', minute: '2-digit' })
}
