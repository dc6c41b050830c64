// Where people sign in: at the platform, or with a token of it. A new operator learns here what comes next.
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type FormEvent, useEffect } from 'react'
import type {
  signInOptionsSchema,
  signInWithTokenSchema,
} from '../../../../src/contract/account-schemas.ts'
import type { ApiClient } from '../../api/api-client.ts'
import { getErrorMessage } from '../../api/api-error.ts'
import type { ResponseBody } from '../../api/response-body.ts'
import { useApi } from '../../api/use-api.ts'
import { Button, buttonClass } from '../../components/button.tsx'
import { TextField } from '../../components/field.tsx'
import { ErrorAlert, Skeleton } from '../../components/page-states.tsx'
import { FirstSignInSteps } from './first-sign-in-steps.tsx'
import { describeSignInError } from './sign-in-search.ts'

function signInOptionsQuery(api: ApiClient) {
  return queryOptions({
    queryKey: ['sign-in-options'],
    queryFn: ({ signal }) =>
      api.request<ResponseBody<typeof signInOptionsSchema>>('/auth/options', {
        anonymous: true,
        signal,
      }),
  })
}

export function SignInPage() {
  const { data: options, error, refetch } = useQuery(signInOptionsQuery(useApi()))
  useEffect(() => {
    document.title = 'Sign in · Umpire'
  }, [])
  return (
    <main className="mx-auto max-w-md px-3 py-10">
      <h1 className="mb-1 font-semibold text-xl">Sign in to Umpire</h1>
      <p className="mb-5 text-muted">
        Reviews of pull requests, and what is known of their repositories.
      </p>
      {error !== null && <ErrorAlert error={error} onRetry={() => refetch()} />}
      {error === null && options === undefined && <Skeleton className="h-56 w-full" />}
      {options && (
        <>
          <div className="rounded-lg border border-line bg-surface p-4">
            <SignInError />
            {options.oauth && <PlatformSignIn host={new URL(options.platform_url).host} />}
            <TokenForm host={new URL(options.platform_url).host} isOnlyWay={!options.oauth} />
          </div>
          {options.is_new && <FirstSignInSteps />}
        </>
      )}
    </main>
  )
}

/** Where to go afterwards: a path of this page, and nothing that leads elsewhere. */
function useReturnPath(): string {
  const { return_to: asked = '/' } = useSearch({ from: '/sign-in' })
  const target = /^\/(?![/\\])/.test(asked) ? URL.parse(asked, location.origin) : null
  return target?.origin === location.origin ? target.pathname + target.search : '/'
}

/** What went wrong at the platform. */
function SignInError() {
  const { failed } = useSearch({ from: '/sign-in' })
  if (failed === undefined) return null
  return (
    <p role="alert" className="mb-3 rounded bg-bad-soft px-2 py-1 text-bad">
      {describeSignInError(failed)}
    </p>
  )
}

function PlatformSignIn({ host }: { host: string }) {
  const { basePath } = useApi()
  const returnTo = new URLSearchParams({ return_to: basePath + useReturnPath() })
  return (
    <>
      <a href={`${basePath}/auth/login?${returnTo}`} className={`${buttonClass('main')} w-full`}>
        Sign in at {host}
      </a>
      <p className="my-3 flex items-center gap-2 text-muted before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
        or
      </p>
    </>
  )
}

function TokenForm({ host, isOnlyWay }: { host: string; isOnlyWay: boolean }) {
  const api = useApi()
  const client = useQueryClient()
  const navigate = useNavigate()
  const returnTo = useReturnPath()
  const signIn = useMutation({
    mutationFn: (token: string) =>
      api.request<ResponseBody<typeof signInWithTokenSchema>>('/auth/login', {
        method: 'POST',
        body: { token },
        anonymous: true,
      }),
    onSuccess: async () => {
      api.clearToken()
      // What was kept is somebody else's, or nobody's.
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
      <TextField
        label={`Personal access token of ${host}`}
        name="token"
        type="password"
        autoComplete="off"
        required
        maxLength={255}
        aria-describedby="token-help"
      />
      <p id="token-help" className="mt-1 mb-3 text-muted">
        With the scope <code>repo</code>. It is kept encrypted, and used for what you do here.
      </p>
      {signIn.isError && (
        <p role="alert" className="mb-3 rounded bg-bad-soft px-2 py-1 text-bad">
          {getErrorMessage(signIn.error)}
        </p>
      )}
      <Button
        type="submit"
        look={isOnlyWay ? 'main' : 'plain'}
        disabled={signIn.isPending}
        className="w-full"
      >
        {signIn.isPending ? 'Signing in …' : 'Sign in with the token'}
      </Button>
    </form>
  )
}
