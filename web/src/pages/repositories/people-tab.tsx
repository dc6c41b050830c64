// Tab with the people of a repository, sorted by name so that no one is ranked.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { usePlatformName } from '../../api/platform-name.ts'
import { useApi } from '../../api/use-api.ts'
import { DataTable } from '../../components/data-table.tsx'
import { formatCount } from '../../components/format-numbers.ts'
import { Panel } from '../../components/page.tsx'
import { ErrorAlert, Waiting } from '../../components/page-states.tsx'
import {
  type Contributor,
  contributorsQuery,
  graphQuery,
  type RepositoryGraph,
} from './repository-queries.ts'

const compareLogins = (a: { login: string }, b: { login: string }) =>
  a.login.localeCompare(b.login, 'en')

/** What reviewed pull requests and the default branch say about a person. */
interface PersonRow {
  readonly login: string
  readonly profile?: Contributor
  readonly work?: RepositoryGraph['expertise'][number]
  readonly commits?: RepositoryGraph['contributors'][number]
}

/** One row for each person, whichever lists they are in. Usernames ignore case. */
function joinPeople(
  { expertise, contributors }: RepositoryGraph,
  profiles: readonly Contributor[],
): PersonRow[] {
  const people = new Map<string, PersonRow>()
  const add = (row: PersonRow) => {
    const key = row.login.toLowerCase()
    people.set(key, { ...row, ...people.get(key) })
  }
  for (const work of expertise) add({ login: work.login, work })
  for (const profile of profiles) add({ login: profile.username, profile })
  for (const commits of contributors) add({ login: commits.login, commits })
  return [...people.values()].toSorted(compareLogins)
}

/** Profiles of everyone. The table is sorted by name, so it waits for all pages. */
function useProfiles(repo: string) {
  const query = useInfiniteQuery(contributorsQuery(useApi(), repo))
  const { hasNextPage, isFetchingNextPage, error, fetchNextPage } = query
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && error === null) fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, error, fetchNextPage])
  return query
}

const format = (count: number | undefined) => (count === undefined ? '' : formatCount(count))

export function PeopleTab({ repo }: { repo: string }) {
  const graph = useQuery(graphQuery(useApi(), repo))
  const profiles = useProfiles(repo)
  const platformName = usePlatformName(repo)
  const failed = [graph, profiles].find(({ error }) => error !== null)
  if (failed) return <ErrorAlert error={failed.error} onRetry={() => failed.refetch()} />
  if (graph.data === undefined || profiles.data === undefined || profiles.hasNextPage)
    return <Waiting />
  const people = joinPeople(
    graph.data,
    profiles.data.pages.flatMap(({ contributors }) => contributors),
  )
  return (
    <Panel title="People">
      <p className="mb-2 text-muted">
        Profiles, directories and changed files come from reviewed pull requests, commits from the
        default branch
        {graph.data.contributors.length === 0 && ` (${platformName} doesn’t provide them)`}.
      </p>
      {people.length === 0 ? (
        <p>No pull request has been reviewed yet.</p>
      ) : (
        <DataTable
          caption="People"
          rows={people}
          rowKey={({ login }) => login}
          columns={[
            { name: 'Person', render: ({ login }) => <span className="font-medium">{login}</span> },
            { name: 'Profile', render: ({ profile }) => profile && <Profile {...profile} /> },
            {
              name: 'Directories',
              render: ({ work }) => <code>{work?.top_dirs.join(', ')}</code>,
            },
            {
              name: 'Changed files',
              isNumber: true,
              render: ({ work }) => format(work?.total_touches),
            },
            {
              name: 'Commits',
              isNumber: true,
              render: ({ commits }) => format(commits?.commits),
            },
            { name: 'Added', isNumber: true, render: ({ commits }) => format(commits?.additions) },
            {
              name: 'Removed',
              isNumber: true,
              render: ({ commits }) => format(commits?.deletions),
            },
          ]}
        />
      )}
    </Panel>
  )
}

function Profile({ username, profile_summary: summary, patterns, strengths }: Contributor) {
  return (
    <div className="min-w-56">
      {/* It begins with the name, which the row already shows. */}
      <p>{summary.replace(`${username}: `, '')}</p>
      <ul className="list-disc pl-5 text-muted">
        {[...strengths, ...patterns].map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </div>
  )
}
