// Tab with the code map, hot spots and file statistics of a repository.
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { usePlatformName } from '../../api/platform-name.ts'
import { useApi } from '../../api/use-api.ts'
import { DataTable } from '../../components/data-table.tsx'
import { Panel } from '../../components/page.tsx'
import { EmptyState, ErrorAlert, Waiting } from '../../components/page-states.tsx'
import { CodeMapPanel } from './code/code-map-panel.tsx'
import { DirectoryLink } from './code/directory-breadcrumbs.tsx'
import { HotspotsPanel } from './code/hotspots-panel.tsx'
import { RiskPanel } from './overview-tab.tsx'
import { codeMapQuery, graphQuery, type RepositoryGraph } from './repository-queries.ts'

export function CodeTab({ repo }: { repo: string }) {
  const { path = '.' } = useSearch({ from: '/shell/repositories/$owner/$repo' })
  const {
    data: map,
    error,
    refetch,
  } = useQuery({
    ...codeMapQuery(useApi(), repo, path),
    // Keeps the previous directory visible while the next one loads.
    placeholderData: keepPreviousData,
  })
  if (error) return <ErrorAlert error={error} onRetry={refetch} />
  return (
    <>
      {map === undefined || map.nodes.length > 0 ? (
        <>
          <CodeMapPanel repo={repo} map={map ?? null} />
          <HotspotsPanel map={map ?? null} />
        </>
      ) : (
        <NoMap path={path} />
      )}
      <CodeStatistics repo={repo} />
    </>
  )
}

function NoMap({ path }: { path: string }) {
  return (
    <div className="mb-4">
      {path === '.' ? (
        <EmptyState title="No code map yet">
          The first scan creates it, unless the operator turned the code graph off.
        </EmptyState>
      ) : (
        <EmptyState title="This directory is empty or does not exist">
          <DirectoryLink path=".">Show the whole repository</DirectoryLink>
        </EmptyState>
      )}
    </div>
  )
}

function CodeStatistics({ repo }: { repo: string }) {
  const { data, error, refetch } = useQuery(graphQuery(useApi(), repo))
  if (error) return <ErrorAlert error={error} onRetry={refetch} />
  if (data === undefined) return <Waiting />
  return (
    <div className="grid items-start gap-x-4 lg:grid-cols-2">
      <MostChangedFiles graph={data} />
      <div>
        <RiskPanel repo={repo} />
        <Languages graph={data} />
        <DeadFiles graph={data} />
      </div>
    </div>
  )
}

function MostChangedFiles({ graph: { hotspots, ownership } }: { graph: RepositoryGraph }) {
  const owners = new Map(ownership.map((owned) => [owned.path, owned]))
  const formatOwner = (path: string) => {
    const owned = owners.get(path)
    return owned === undefined ? '' : `${owned.owner}, ${formatPercent(owned.touch_pct)}`
  }
  return (
    <Panel title="Most changed files">
      <p className="mb-2 text-muted">
        Files by number of reviewed pull requests that changed them, with the main author.
      </p>
      {hotspots.length === 0 ? (
        <p>No reviewed pull request has changed a file yet.</p>
      ) : (
        <DataTable
          caption="Most changed files"
          rows={hotspots}
          rowKey={({ path }) => path}
          columns={[
            { name: 'File', render: ({ path }) => <code>{path}</code> },
            { name: 'Pull requests', isNumber: true, render: ({ touch_count: count }) => count },
            { name: 'Main author', render: ({ path }) => formatOwner(path) },
          ]}
        />
      )}
    </Panel>
  )
}

function Languages({ graph: { repo, languages } }: { graph: RepositoryGraph }) {
  const platformName = usePlatformName(repo)
  return (
    <Panel title="Languages">
      {languages.length === 0 ? (
        <p>{platformName} doesn’t provide this.</p>
      ) : (
        <DataTable
          caption="Languages"
          rows={languages}
          rowKey={({ name }) => name}
          columns={[
            { name: 'Language', render: ({ name }) => name },
            { name: 'Bytes', isNumber: true, render: ({ bytes }) => bytes.toLocaleString('en') },
            { name: 'Share', isNumber: true, render: ({ pct }) => formatPercent(pct) },
          ]}
        />
      )}
    </Panel>
  )
}

function DeadFiles({ graph: { dead_files: dead } }: { graph: RepositoryGraph }) {
  return (
    <Panel title="Unchanged files">
      <p className="text-muted">
        {dead.count.toLocaleString('en')} {dead.count === 1 ? 'file' : 'files'} of the default
        branch that no reviewed pull request has changed
        {dead.count > dead.sample.length && ', for example'}
        {dead.count > 0 ? ':' : '.'}
      </p>
      <ul>
        {dead.sample.map((path) => (
          <li key={path}>
            <code>{path}</code>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

function formatPercent(percent: number): string {
  return `${percent.toLocaleString('en', { maximumFractionDigits: 1 })}%`
}
