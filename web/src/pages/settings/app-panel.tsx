// The App of the service, for administrators: creates it, installs it, and lists its installations.
import { useMutation, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { type CodeHost, distinguishHosts } from '../../api/platform-name.ts'
import { meQuery } from '../../api/shared-queries.ts'
import { useApi } from '../../api/use-api.ts'
import { Badge } from '../../components/badge.tsx'
import { Button, buttonClass } from '../../components/button.tsx'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { SelectField, TextField } from '../../components/field.tsx'
import { Panel } from '../../components/page.tsx'
import { ErrorAlert, Skeleton } from '../../components/page-states.tsx'
import { RotateSecretButton } from '../../components/rotate-secret-button.tsx'
import {
  type App,
  type AppInstallation,
  appQuery,
  checksQuery,
  hostQuery,
} from './settings-queries.ts'

export function AppPanel() {
  const { data: me } = useSuspenseQuery(meQuery(useApi()))
  if (!me.is_admin) return null
  return distinguishHosts(me.hosts).map((host) => <LoadedApp key={host.id} host={host} />)
}

type LabeledHost = CodeHost & { readonly label: string }

function LoadedApp({ host }: { host: LabeledHost }) {
  const { data, error, refetch } = useQuery(appQuery(useApi(), host))
  const { app: outcome } = useSearch({ strict: false })
  if (data?.supported === false) return null
  return (
    <div ref={outcome === undefined ? undefined : scrollIntoView}>
      <Panel title={`${host.label} App`}>
        <RegistrationFailure outcome={outcome} />
        {error && <ErrorAlert error={error} onRetry={refetch} />}
        {!error && data === undefined && <Skeleton className="h-24" />}
        {data?.app === null && <CreateApp host={host} />}
        {data?.app && <CreatedApp host={host} app={data.app} />}
      </Panel>
    </div>
  )
}

/** The person returns here from the page of the platform. */
function scrollIntoView(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'center' })
}

const failures: Readonly<Record<string, string>> = {
  request_malformed: 'This was started in another session, or more than ten minutes ago.',
  conflict: 'There is an App already.',
  access_denied: 'Only administrators can create the App.',
}

/** The callback redirects here with a code, because a link must not choose the text. */
function RegistrationFailure({ outcome }: { outcome: string | undefined }) {
  if (outcome === undefined || outcome === 'created') return null
  return (
    <p role="alert" className="mb-3 text-bad">
      The App was not created. {failures[outcome] ?? 'Try again.'}
    </p>
  )
}

function CreateApp({ host }: { host: LabeledHost }) {
  const api = useApi()
  const [owner, setOwner] = useState('account')
  const { mutate, isPending, error } = useMutation({
    mutationFn: (organization: string | null) =>
      api.call('startAppRegistration', { body: { organization }, query: hostQuery(host) }),
    onSuccess: postManifest,
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const organization = new FormData(event.currentTarget).get('organization')
    mutate(organization === null ? null : String(organization).trim())
  }
  return (
    <>
      <p className="mb-3 text-muted">
        With an App, reviews come from an account of their own, and need no webhook and nobody’s
        token. {host.label} asks you to confirm its permissions.
      </p>
      <form
        onSubmit={submit}
        aria-label={`Create ${host.label} App`}
        className="flex flex-wrap items-end gap-3"
      >
        <SelectField label="Owner" value={owner} onChange={({ target }) => setOwner(target.value)}>
          <option value="account">My account</option>
          <option value="organization">An organization</option>
        </SelectField>
        {owner === 'organization' && (
          <TextField
            label="Organization"
            name="organization"
            className="w-full max-w-60"
            required
            pattern="[A-Za-z0-9_\-]+"
            maxLength={100}
            autoComplete="off"
          />
        )}
        <Button type="submit" variant="main" disabled={isPending}>
          Create {host.label} App
        </Button>
      </form>
      <p className="mt-2 text-muted">
        The App can only be installed by its owner: choose whose repositories it should review.
      </p>
      {error && (
        <div className="mt-3">
          <ErrorAlert error={error} />
        </div>
      )}
    </>
  )
}

/** Leaves the page: the platform shows what it is about to create. */
function postManifest({ action, manifest }: { action: string; manifest: string }): void {
  const form = document.createElement('form')
  form.method = 'post'
  form.action = action
  const field = document.createElement('input')
  field.type = 'hidden'
  field.name = 'manifest'
  field.value = manifest
  form.append(field)
  document.body.append(form)
  form.submit()
}

function CreatedApp({ host, app }: { host: LabeledHost; app: App }) {
  const api = useApi()
  const client = useQueryClient()
  const remove = async () => {
    await api.call('removeApp', { query: hostQuery(host) })
    await client.invalidateQueries({ queryKey: appQuery(api, host).queryKey })
    await client.invalidateQueries({ queryKey: ['repositories'] })
    // Running the checks again takes a while.
    void client.invalidateQueries({ queryKey: checksQuery(api).queryKey })
  }
  const { installations } = app
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p>
          <a href={app.url} className="font-medium text-accent underline">
            {app.name}
          </a>{' '}
          <span className="text-muted">owned by {app.owner}</span>
        </p>
        <div className="flex flex-wrap gap-2">
          <a href={app.install_url} className={buttonClass('main')}>
            Install
          </a>
          <RotateSecretButton
            subject={app.name}
            rotate={(body) => api.call('rotateAppWebhookSecret', { body, query: hostQuery(host) })}
          />
          <ConfirmButton
            label="Remove"
            subject={app.name}
            title={`Remove ${app.name}?`}
            action={remove}
          >
            Repositories that only the App connects are disconnected. Also delete it on {host.label}
            .
          </ConfirmButton>
        </div>
      </div>
      {installations.length === 0 ? (
        <p className="mt-3 text-muted">
          Install the App and choose repositories: they are connected at once.
        </p>
      ) : (
        <ul className="mt-3 divide-y divide-line" aria-label="Installations">
          {installations.map((installation) => (
            <li key={installation.id} className="py-2 last:pb-0">
              <InstallationRow {...installation} />
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

function InstallationRow({ account, repositories, suspended, url }: AppInstallation) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-2">
      <span>
        <span className="font-medium">{account}</span>{' '}
        <span className="text-muted">
          {repositories === 1 ? '1 repository' : `${repositories} repositories`}
        </span>{' '}
        {suspended && <Badge tone="warn">Suspended</Badge>}
      </span>
      <a href={url} className="text-accent underline">
        Configure<span className="sr-only"> {account}</span>
      </a>
    </div>
  )
}
