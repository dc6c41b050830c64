// The code of a repository: how it hangs together, where the work is, whose it is, and where it is risky.
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useApi } from '../../api/use-api.ts'
import { FigureTable } from '../../components/figure-table.tsx'
import { Panel } from '../../components/page.tsx'
import { Empty, Failure, Waiting } from '../../components/states.tsx'
import { CodeMapPanel } from './code/code-map-panel.tsx'
import { HotSpots } from './code/hot-spots.tsx'
import { PathLink } from './code/place.tsx'
import { codeMapQuery, type Graph, graphQuery } from './queries.ts'

export function CodeFigures({ repo }: { repo: string }) {
  const { path = '.' } = useSearch({ from: '/shell/repositories/$owner/$repo' })
  const {
    data: map,
    error,
    refetch,
  } = useQuery({
    ...codeMapQuery(useApi(), repo, path),
    // The former directory stands there until the next one comes.
    placeholderData: keepPreviousData,
  })
  if (error) return <Failure error={error} onRetry={refetch} />
  return (
    <>
      {map === undefined || map.nodes.length > 0 ? (
        <>
          <CodeMapPanel repo={repo} map={map ?? null} />
          <HotSpots map={map ?? null} />
        </>
      ) : (
        <NoMap path={path} />
      )}
      <Figures repo={repo} />
    </>
  )
}

function NoMap({ path }: { path: string }) {
  return (
    <div className="mb-4">
      {path === '.' ? (
        <Empty title="There is no map of the code yet">
          The first scan draws it. Where the operator turned the code graph off, there is none.
        </Empty>
      ) : (
        <Empty title="There is nothing below this directory">
          <PathLink path=".">Show the whole repository</PathLink>
        </Empty>
      )}
    </div>
  )
}

function Figures({ repo }: { repo: string }) {
  const { data, error, refetch } = useQuery(graphQuery(useApi(), repo))
  if (error) return <Failure error={error} onRetry={refetch} />
  if (data === undefined) return <Waiting />
  return (
    <div className="grid items-start gap-x-4 lg:grid-cols-2">
      <Owners graph={data} />
      <div>
        <HighRisk graph={data} />
        <Languages graph={data} />
        <DeadFiles graph={data} />
      </div>
    </div>
  )
}

function Owners({ graph: { hotspots, ownership } }: { graph: Graph }) {
  const owners = new Map(ownership.map((owned) => [owned.path, owned]))
  const drawOwner = (path: string) => {
    const owned = owners.get(path)
    return owned === undefined ? '' : `${owned.owner}, ${formatShare(owned.touch_pct)}`
  }
  return (
    <Panel title="Most touched files">
      <p className="mb-2 text-muted">
        Files by how many reviewed pull requests touched them, and whose pull requests most of these
        were.
      </p>
      {hotspots.length === 0 ? (
        <p>No reviewed pull request has touched a file yet.</p>
      ) : (
        <FigureTable
          caption="Most touched files"
          rows={hotspots}
          keyOf={({ path }) => path}
          columns={[
            { name: 'File', draw: ({ path }) => <code>{path}</code> },
            { name: 'Pull requests', isNumber: true, draw: ({ touch_count: count }) => count },
            { name: 'Most by', draw: ({ path }) => drawOwner(path) },
          ]}
        />
      )}
    </Panel>
  )
}

function Languages({ graph: { languages } }: { graph: Graph }) {
  return (
    <Panel title="Languages">
      {languages.length === 0 ? (
        <p>The platform does not tell of any.</p>
      ) : (
        <FigureTable
          caption="Languages"
          rows={languages}
          keyOf={({ name }) => name}
          columns={[
            { name: 'Language', draw: ({ name }) => name },
            { name: 'Bytes', isNumber: true, draw: ({ bytes }) => bytes.toLocaleString('en') },
            { name: 'Share', isNumber: true, draw: ({ pct }) => formatShare(pct) },
          ]}
        />
      )}
    </Panel>
  )
}

function HighRisk({ graph: { high_risk: files } }: { graph: Graph }) {
  return (
    <Panel title="High risk">
      <p className="mb-2 text-muted">
        Files by how many reviews of changes to them asked for changes.
      </p>
      {files.length === 0 ? (
        <p>No review has asked for changes yet.</p>
      ) : (
        <FigureTable
          caption="High risk"
          rows={files}
          keyOf={({ path }) => path}
          columns={[
            { name: 'File', draw: ({ path }) => <code>{path}</code> },
            { name: 'Reviews', isNumber: true, draw: ({ risk_score: score }) => score },
          ]}
        />
      )}
    </Panel>
  )
}

function DeadFiles({ graph: { dead_files: dead } }: { graph: Graph }) {
  return (
    <Panel title="Untouched files">
      <p className="text-muted">
        {dead.count.toLocaleString('en')} {dead.count === 1 ? 'file' : 'files'} of the default
        branch that no reviewed pull request has touched
        {dead.count > dead.sample.length && ', some of them'}
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

function formatShare(percent: number): string {
  return `${percent.toLocaleString('en', { maximumFractionDigits: 1 })} %`
}
