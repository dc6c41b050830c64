// Tab with contributors, sorted by name so that no one is ranked.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { usePlatformName } from '../../api/platform-name.ts'
import { useApi } from '../../api/use-api.ts'
import { DataTable } from '../../components/data-table.tsx'
import { Panel } from '../../components/page.tsx'
import { EmptyState, ErrorAlert, Waiting } from '../../components/page-states.tsx'
import { PagedList } from '../../components/paged-list.tsx'
import {
  type Contributor,
  contributorsQuery,
  graphQuery,
  type RepositoryGraph,
} from './repository-queries.ts'

export function PeopleTab({ repo }: { repo: string }) {
  return (
    <>
      <PeopleTable repo={repo} />
      <Profiles repo={repo} />
    </>
  )
}

function Profiles({ repo }: { repo: string }) {
  const query = useInfiniteQuery(contributorsQuery(useApi(), repo))
  return (
    <Panel title="Profiles">
      <p className="mb-2 text-muted">Based on reviewed pull requests.</p>
      <PagedList
        query={query}
        rows={query.data?.pages.flatMap(({ contributors }) => contributors) ?? []}
        rowKey={({ username }) => username}
        renderRow={(contributor) => <Profile {...contributor} />}
        empty={
          <EmptyState title="No profiles yet">
            Umpire creates them for pull request authors after reviews.
          </EmptyState>
        }
      />
    </Panel>
  )
}

function Profile({ username, profile_summary: summary, patterns, strengths }: Contributor) {
  return (
    <>
      <h3 className="font-medium">{username}</h3>
      {/* It begins with the name. */}
      <p>{summary.replace(`${username}: `, '')}</p>
      <ul className="list-disc pl-5">
        {[...strengths, ...patterns].map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </>
  )
}

const compareLogins = (a: { login: string }, b: { login: string }) =>
  a.login.localeCompare(b.login, 'en')

/** What reviewed pull requests and the default branch say about a person. */
interface PersonRow {
  readonly login: string
  readonly directories: readonly string[]
  readonly changes: number | null
  readonly commits: RepositoryGraph['contributors'][number] | null
}

/** One row for each person, whichever of both lists they are in. Usernames ignore case. */
function joinPeople({ expertise, contributors }: RepositoryGraph): PersonRow[] {
  const commitsOf = new Map(contributors.map((one) => [one.login.toLowerCase(), one]))
  const authors = expertise.map(({ login, top_dirs: directories, total_touches: changes }) => {
    const commits = commitsOf.get(login.toLowerCase()) ?? null
    commitsOf.delete(login.toLowerCase())
    return { login, directories, changes, commits }
  })
  const others = [...commitsOf.values()].map((commits) => {
    return { login: commits.login, directories: [], changes: null, commits }
  })
  return [...authors, ...others].toSorted(compareLogins)
}

const format = (count: number | null | undefined) => count?.toLocaleString('en') ?? ''

function PeopleTable({ repo }: { repo: string }) {
  const { data, error, refetch } = useQuery(graphQuery(useApi(), repo))
  const platformName = usePlatformName(repo)
  if (error) return <ErrorAlert error={error} onRetry={refetch} />
  if (data === undefined) return <Waiting />
  const people = joinPeople(data)
  return (
    <Panel title="Where people work">
      <p className="mb-2 text-muted">
        Directories and changed files are counted in reviewed pull requests, commits on the default
        branch{data.contributors.length === 0 && ` (${platformName} doesn’t provide them)`}.
      </p>
      {people.length === 0 ? (
        <p>No pull request has been reviewed yet.</p>
      ) : (
        <DataTable
          caption="Where people work"
          rows={people}
          rowKey={({ login }) => login}
          columns={[
            { name: 'Person', render: ({ login }) => login },
            {
              name: 'Directories',
              render: ({ directories }) => <code>{directories.join(', ')}</code>,
            },
            {
              name: 'Changed files',
              isNumber: true,
              render: ({ changes }) => format(changes),
            },
            { name: 'Commits', isNumber: true, render: (row) => format(row.commits?.commits) },
            { name: 'Added', isNumber: true, render: (row) => format(row.commits?.additions) },
            { name: 'Removed', isNumber: true, render: (row) => format(row.commits?.deletions) },
          ]}
        />
      )}
    </Panel>
  )
}
