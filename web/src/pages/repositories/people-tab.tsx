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
      <Profiles repo={repo} />
      <Expertise repo={repo} />
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
      <p>{summary}</p>
      <ul className="list-disc pl-5">
        {[...strengths, ...patterns].map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </>
  )
}

function Expertise({ repo }: { repo: string }) {
  const { data, error, refetch } = useQuery(graphQuery(useApi(), repo))
  if (error) return <ErrorAlert error={error} onRetry={refetch} />
  if (data === undefined) return <Waiting />
  return (
    <div className="grid items-start gap-x-4 lg:grid-cols-2">
      <Directories graph={data} />
      <Commits graph={data} />
    </div>
  )
}

const compareLogins = (a: { login: string }, b: { login: string }) =>
  a.login.localeCompare(b.login, 'en')

function Directories({ graph: { expertise } }: { graph: RepositoryGraph }) {
  return (
    <Panel title="Where people work">
      {expertise.length === 0 ? (
        <p>No pull request has been reviewed yet.</p>
      ) : (
        <DataTable
          caption="Where people work"
          rows={expertise.toSorted(compareLogins)}
          rowKey={({ login }) => login}
          columns={[
            { name: 'Person', render: ({ login }) => login },
            {
              name: 'Directories',
              render: ({ top_dirs: directories }) => <code>{directories.join(', ')}</code>,
            },
            {
              name: 'Changed files',
              isNumber: true,
              render: ({ total_touches: touches }) => touches,
            },
          ]}
        />
      )}
    </Panel>
  )
}

function Commits({ graph: { repo, contributors } }: { graph: RepositoryGraph }) {
  const platformName = usePlatformName(repo)
  const format = (count: number) => count.toLocaleString('en')
  return (
    <Panel title="Commits on the default branch">
      {contributors.length === 0 ? (
        <p>{platformName} doesn’t provide this.</p>
      ) : (
        <DataTable
          caption="Commits on the default branch"
          rows={contributors.toSorted(compareLogins)}
          rowKey={({ login }) => login}
          columns={[
            { name: 'Person', render: ({ login }) => login },
            { name: 'Commits', isNumber: true, render: ({ commits }) => format(commits) },
            { name: 'Added', isNumber: true, render: ({ additions }) => format(additions) },
            { name: 'Removed', isNumber: true, render: ({ deletions }) => format(deletions) },
          ]}
        />
      )}
    </Panel>
  )
}
