// Sign-in at a code host or with a personal access token. Shows setup steps on a new service.
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type FormEvent, useEffect, useState } from 'react'
import type { ApiClient } from '../../api/api-client.ts'
import { getErrorMessage } from '../../api/api-error.ts'
import type { ResponseOf } from '../../api/endpoints.ts'
import { distinguishHosts } from '../../api/platform-name.ts'
import { useApi } from '../../api/use-api.ts'
import { Mark } from '../../components/brand.tsx'
import { Button, buttonClass } from '../../components/button.tsx'
import { SelectField, TextField } from '../../components/field.tsx'
import { ErrorAlert, Skeleton } from '../../components/page-states.tsx'
import { FirstSignInSteps } from './first-sign-in-steps.tsx'
import { describeSignInError } from './sign-in-search.ts'

function signInOptionsQuery(api: ApiClient) {
  return queryOptions({
    queryKey: ['sign-in-options'],
    queryFn: ({ signal }) => api.call('signInOptions', {}, { anonymous: true, signal }),
  })
}

export function SignInPage() {
  const { data: options, error, refetch } = useQuery(signInOptionsQuery(useApi()))
  useEffect(() => {
    document.title = 'Sign in · Umpire'
  }, [])
  return (
    <main className="mx-auto max-w-md px-3 py-10">
      <div className="mb-6 flex flex-col items-center text-center">
        <Mark className="mb-3 size-12" />
        <h1 className="font-semibold text-2xl">Sign in to Umpire</h1>
        <p className="mt-1 text-muted">Pull-request reviews on the lines that matter.</p>
      </div>
      {error !== null && <ErrorAlert error={error} onRetry={() => refetch()} />}
      {error === null && options === undefined && <Skeleton className="h-56 w-full" />}
      {options && (
        <>
          <div className="rounded-xl border border-line bg-surface p-5 shadow-sm">
            <SignInError hosts={options.hosts} />
            <PlatformSignIn hosts={options.hosts} />
            <TokenForm hosts={options.hosts} />
          </div>
          {options.is_new && <FirstSignInSteps hosts={options.hosts} />}
        </>
      )}
    </main>
  )
}

/** The path to open after sign-in. Other origins are ignored, to prevent open redirects. */
function useReturnPath(): string {
  const { return_to: requestedPath = '/' } = useSearch({ from: '/sign-in' })
  const target = /^\/(?![/\\])/.test(requestedPath)
    ? URL.parse(requestedPath, location.origin)
    : null
  return target?.origin === location.origin ? target.pathname + target.search : '/'
}

function SignInError({ hosts }: { hosts: SignInHosts }) {
  const { failed } = useSearch({ from: '/sign-in' })
  if (failed === undefined) return null
  return (
    <p role="alert" className="mb-3 rounded bg-bad-soft px-2 py-1 text-bad">
      {describeSignInError(failed, hosts.length === 1 ? hosts[0]!.name : null)}
    </p>
  )
}

type SignInHosts = ResponseOf<'signInOptions'>['hosts']

function PlatformSignIn({ hosts }: { hosts: SignInHosts }) {
  const api = useApi()
  const returnTo = api.basePath + useReturnPath()
  const offered = distinguishHosts(hosts).filter(({ oauth }) => oauth)
  if (offered.length === 0) return null
  return (
    <>
      {offered.map(({ id, label, suffix }) => (
        <a
          key={id}
          href={`${api.pathOf('startSignIn')}?${new URLSearchParams({
            return_to: returnTo,
            ...(suffix !== '' && { host: id }),
          })}`}
          className={`${buttonClass('main')} mb-2 w-full`}
        >
          Sign in with {label}
        </a>
      ))}
      <p className="mt-1 mb-3 flex items-center gap-2 text-muted">
        <span aria-hidden="true" className="h-px flex-1 bg-line" />
        or
        <span aria-hidden="true" className="h-px flex-1 bg-line" />
      </p>
    </>
  )
}

function TokenForm({ hosts }: { hosts: SignInHosts }) {
  const [first] = hosts as [SignInHosts[number]]
  const [hostId, setHostId] = useState(first.id)
  const host = hosts.find(({ id }) => id === hostId) ?? first
  const isOnlyOption = hosts.every(({ oauth }) => !oauth)
  const api = useApi()
  const client = useQueryClient()
  const navigate = useNavigate()
  const returnTo = useReturnPath()
  const signIn = useMutation({
    mutationFn: (token: string) => {
      const body = host.suffix === '' ? { token } : { token, host: host.id }
      return api.call('signInWithToken', { body }, { anonymous: true })
    },
    onSuccess: async () => {
      api.clearToken()
      // Cached data may belong to another account.
      client.clear()
      await navigate({ href: returnTo, replace: true })
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    signIn.mutate(String(new FormData(event.currentTarget).get('token')).trim())
  }
  return (
    <form onSubmit={submit}>
      {hosts.length > 1 && (
        <SelectField
          label="Code host"
          className="mb-3"
          value={hostId}
          onChange={({ target }) => setHostId(target.value)}
        >
          {distinguishHosts(hosts).map(({ id, label }) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
        </SelectField>
      )}
      <TextField
        label={`Personal access token for ${new URL(host.url).host}`}
        name="token"
        type="password"
        autoComplete="off"
        required
        maxLength={255}
        aria-describedby="token-help"
      />
      <p id="token-help" className="mt-1 mb-3 text-muted">
        {host.token_help} Umpire stores the token encrypted.
      </p>
      {signIn.isError && (
        <p role="alert" className="mb-3 rounded bg-bad-soft px-2 py-1 text-bad">
          {getErrorMessage(signIn.error)}
        </p>
      )}
      <Button
        type="submit"
        variant={isOnlyOption ? 'main' : 'plain'}
        disabled={signIn.isPending}
        className="w-full"
      >
        {signIn.isPending ? 'Signing in …' : 'Sign in with token'}
      </Button>
    </form>
  )
}
