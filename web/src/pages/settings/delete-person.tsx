// Button that deletes a person. Its dialog lists what is deleted and what stays.
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/use-api.ts'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { ErrorAlert, Skeleton } from '../../components/page-states.tsx'
import { type DeletionPlan, deletionQuery, type Person } from './settings-queries.ts'

export function DeletePerson({
  person: { id, login },
  onDeleted,
}: {
  person: Person
  onDeleted: () => Promise<unknown>
}) {
  const api = useApi()
  const remove = async () => {
    await api.call('deletePerson', { params: { id } })
    await onDeleted()
  }
  return (
    <ConfirmButton label="Delete" subject={login} title={`Delete ${login}?`} action={remove}>
      <Consequences id={id} />
    </ConfirmButton>
  )
}

/** It is only rendered in the open dialog. */
function Consequences({ id }: { id: number }) {
  const { data, error, refetch } = useQuery(deletionQuery(useApi(), id))
  if (error) return <ErrorAlert error={error} onRetry={refetch} />
  if (data === undefined) return <Skeleton className="h-72" />
  return (
    <div className="max-h-[50vh] space-y-2 overflow-y-auto">
      <p>
        Deletes the account, sessions, tokens and stored credentials, {data.memories} memories about
        the person, and the authorship of {data.files} changed files.
      </p>
      <p>
        Without the name, {data.pull_requests} pull requests, {data.dismissals} dismissals,{' '}
        {data.questions} questions, {data.written} written memories and the audit log stay.
      </p>
      <p>Stays at the code host: commits, pull requests, and our comments there.</p>
      <Repositories {...data} />
    </div>
  )
}

const outcomes: Readonly<Record<DeletionPlan['repositories'][number]['outcome'], string>> = {
  ends: 'is disconnected: nobody else connected it',
  continues: 'stays connected by others',
  handed_over: 'moves to the operator’s account: the App reviews it',
}

function Repositories({ repositories }: DeletionPlan) {
  if (repositories.length === 0) return null
  return (
    <ul className="list-disc pl-5">
      {repositories.map(({ repo, outcome }) => (
        <li key={repo}>
          <span className="font-medium text-ink">{repo}</span> {outcomes[outcome]}
        </li>
      ))}
    </ul>
  )
}
