// People who may sign in and who did, for administrators; for others, only themselves.

import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { meQuery } from '../../api/shared-queries.ts'
import { useApi } from '../../api/use-api.ts'
import { Badge } from '../../components/badge.tsx'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { formatQuantity } from '../../components/format-numbers.ts'
import { Panel } from '../../components/page.tsx'
import { ErrorAlert, Skeleton } from '../../components/page-states.tsx'
import { Time } from '../../components/time.tsx'
import { DeletePerson } from './delete-person.tsx'
import { type People, type Person, peopleQuery } from './settings-queries.ts'

export function PeopleTab() {
  const { data, error, refetch } = useQuery(peopleQuery(useApi()))
  if (error) return <ErrorAlert error={error} onRetry={refetch} />
  if (data === undefined) return <Skeleton className="h-64" />
  const { sign_in: signIn, people } = data
  const administrators = people.filter((one) => one.is_admin && one.may_sign_in)
  return (
    <>
      {signIn && <SignInPanel signIn={signIn} />}
      <Panel title={signIn ? 'People who signed in' : 'Your account'}>
        <ul className="divide-y divide-line">
          {people.map((person) => (
            <li key={person.id} className="py-3 first:pt-0 last:pb-0">
              <PersonRow
                person={person}
                isAdminView={signIn !== null}
                isNeeded={administrators.length === 1 && administrators.includes(person)}
              />
            </li>
          ))}
        </ul>
      </Panel>
    </>
  )
}

function SignInPanel({ signIn: { allowed } }: { signIn: NonNullable<People['sign_in']> }) {
  return (
    <Panel title="Who may sign in">
      {allowed === null ? (
        <p>Everyone with an account at the code host.</p>
      ) : (
        <ul className="flex flex-wrap gap-1">
          {allowed.map((login) => (
            <li key={login}>
              <Badge>{login}</Badge>
            </li>
          ))}
        </ul>
      )}
      <p className="mt-2 text-muted">
        The operator sets this with the environment variable <code>SIGN_IN_ALLOWED</code>. It
        applies from the next start.
      </p>
    </Panel>
  )
}

interface PersonProps {
  readonly person: Person
  readonly isAdminView: boolean
  /** The only administrator who may sign in, whom the service doesn't let go. */
  readonly isNeeded: boolean
}

function PersonRow({ person, isAdminView, isNeeded }: PersonProps) {
  return (
    <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-x-2">
          <span className="font-medium">{person.login}</span>
          <span className="text-muted">{describeHost(person)}</span>
          {person.is_admin && <Badge tone="info">Administrator</Badge>}
          {person.host !== null && !person.may_sign_in && (
            <Badge tone="warn">Can no longer sign in</Badge>
          )}
        </p>
        {person.is_admin && <AdminReason {...person} />}
        {isNeeded && <p>The only administrator who can sign in</p>}
        <p className="text-muted">
          {person.last_seen_at === null ? (
            'Never seen'
          ) : (
            <>
              Last seen <Time at={person.last_seen_at} />
            </>
          )}
          {`, ${describeCounts(person)}`}
        </p>
      </div>
      <PersonActions person={person} isAdminView={isAdminView} isNeeded={isNeeded} />
    </div>
  )
}

function describeHost({ host, login, name }: Person): string {
  if (host === null) return 'command line'
  return name === '' || name === login ? host : `${name}, ${host}`
}

function AdminReason({ admin_reason: reason, admin_granted_by: by, admin_granted_at: at }: Person) {
  if (reason === 'first_account') return <p>Became an administrator as the first account</p>
  return (
    <p>
      Made an administrator by {by ?? 'someone'} {at !== null && <Time at={at} />}
    </p>
  )
}

function describeCounts(person: Person): string {
  const counts = [
    formatQuantity(person.repositories, 'connected repository', 'connected repositories'),
    formatQuantity(person.sessions, 'session'),
    formatQuantity(person.api_tokens, 'API token'),
  ]
  if (person.admin_tokens > 0) {
    const tokens = formatQuantity(person.admin_tokens, 'token')
    counts.push(
      `${tokens} of umpire token --admin, which see${person.admin_tokens > 1 ? '' : 's'} all`,
    )
  }
  return counts.join(', ')
}

function PersonActions({ person, isAdminView, isNeeded }: PersonProps) {
  const api = useApi()
  const client = useQueryClient()
  const { data: me } = useSuspenseQuery(meQuery(api))
  if (person.host === null) return null
  const { id, login, is_admin: isAdmin } = person
  const params = { id }
  const isMe = me.id === id
  const reload = () => client.invalidateQueries({ queryKey: peopleQuery(api).queryKey })
  const change = async () => {
    await api.call('changePerson', { params, body: { is_admin: !isAdmin } })
    if (isMe) await client.invalidateQueries({ queryKey: meQuery(api).queryKey })
    await reload()
  }
  const signOut = async () => {
    await api.call('signOutPerson', { params })
    if (!isMe) return reload()
    api.clearToken()
    window.location.assign(`${api.basePath}/sign-in`)
  }
  return (
    <div className="flex flex-wrap gap-2">
      {isAdminView && !isNeeded && (isAdmin || person.may_sign_in) && (
        <ConfirmButton
          label={isAdmin ? 'Remove as administrator' : 'Make administrator'}
          subject={login}
          variant="plain"
          title={isAdmin ? `Remove ${login} as administrator?` : `Make ${login} an administrator?`}
          action={change}
        >
          {isAdmin
            ? 'They see only repositories that they connected.'
            : 'Administrators see all reviews, and manage people, the App and the setup.'}
        </ConfirmButton>
      )}
      <ConfirmButton
        label="Sign out everywhere"
        subject={login}
        variant="plain"
        title={isMe ? 'Sign out everywhere?' : `Sign ${login} out everywhere?`}
        action={signOut}
      >
        All sessions end and all API tokens are revoked. Reviews of connected repositories continue.
      </ConfirmButton>
      {isAdminView && !isMe && <DeletePerson person={person} onDeleted={reload} />}
    </div>
  )
}
