// Tab with the people of a repository, sorted by name so that no one is ranked.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Fragment, useEffect } from 'react'
import { usePlatformName } from '../../api/platform-name.ts'
import { useApi } from '../../api/use-api.ts'
import { Avatar } from '../../components/avatar.tsx'
import { formatCount, formatQuantity } from '../../components/format-numbers.ts'
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
        <ul aria-label="People" className="divide-y divide-line">
          {people.map((person) => (
            <li key={person.login} className="py-3 first:pt-0 last:pb-0">
              <Person person={person} />
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}

function Person({ person: { login, profile, work, commits } }: { person: PersonRow }) {
  return (
    <div className="grid gap-x-4 gap-y-1 sm:grid-cols-[13rem_1fr]">
      <div>
        <h3 className="flex items-center gap-1.5 font-medium">
          <Avatar name={login} />
          <bdi>{login}</bdi>
        </h3>
        <p className="text-muted tabular-nums">
          {[
            ...(work ? [formatQuantity(work.total_touches, 'changed file')] : []),
            ...(commits ? [formatQuantity(commits.commits, 'commit')] : []),
          ].join(', ')}
          {commits && <Lines commits={commits} />}
        </p>
      </div>
      <div>
        {profile && <Profile {...profile} />}
        {work && work.top_dirs.length > 0 && (
          <p className="text-muted">
            Most in{' '}
            {work.top_dirs.map((path, index) => (
              <Fragment key={path}>
                {index > 0 && ', '}
                <code className="text-ink">{path}</code>
              </Fragment>
            ))}
          </p>
        )}
      </div>
    </div>
  )
}

function Lines({ commits: { additions, deletions } }: Required<Pick<PersonRow, 'commits'>>) {
  return (
    <span className="block">
      <span className="text-good">+{formatCount(additions)}</span>{' '}
      <span className="text-bad">−{formatCount(deletions)}</span>
    </span>
  )
}

function Profile({ username, profile_summary: summary, patterns, strengths }: Contributor) {
  return (
    <>
      {/* It begins with the name, which the row already shows. */}
      <p>{summary.replace(`${username}: `, '')}</p>
      <ul className="list-disc pl-5 text-muted">
        {[...strengths, ...patterns].map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </>
  )
}
