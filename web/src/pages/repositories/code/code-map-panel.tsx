// Panel with the dependencies of a directory, as a graph (if WebGL is available) and as a list.
import { lazy, Suspense, useCallback, useMemo, useState } from 'react'
import { formatQuantity } from '../../../components/format-numbers.ts'
import { Panel } from '../../../components/page.tsx'
import { Skeleton } from '../../../components/page-states.tsx'
import { type CodeMap, groupNodes, listConnections } from './code-map-model.ts'
import { CodeNodeList } from './code-node-list.tsx'
import { DirectoryBreadcrumbs } from './directory-breadcrumbs.tsx'
import { useOpenDirectory } from './use-open-directory.ts'
import './code.css'

// Loaded on demand: the graph library is about 50 KB.
const CodeGraphView = lazy(async () => ({
  default: (await import('./code-graph-view.tsx')).CodeGraphView,
}))

const graphHelp =
  'Each dot is a directory or file, sized by lines of code. Arrows point to dependencies.'
const graphUnavailable =
  'Your browser can’t draw the graph because WebGL is unavailable. The list has the same ' +
  'information.'

/** `map` is null while it loads. The panel reserves its height, to avoid layout shifts. */
export function CodeMapPanel({ repo, map }: { repo: string; map: CodeMap | null }) {
  const [canDraw] = useState(hasWebGl)
  return (
    <Panel title="Dependencies">
      {map === null ? (
        <Skeleton className="h-5.25 w-40" />
      ) : (
        <DirectoryBreadcrumbs repo={repo} path={map.path} />
      )}
      <p className="mb-3 text-muted">{canDraw ? graphHelp : graphUnavailable}</p>
      {map === null ? (
        <Skeleton className={canDraw ? 'h-180 lg:h-112' : 'h-112'} />
      ) : (
        <CodeMapExplorer key={map.path} map={map} canDraw={canDraw} />
      )}
      <p className="mt-2 min-h-5.25 text-muted">{map && describeExtent(map)}</p>
    </Panel>
  )
}

function CodeMapExplorer({ map, canDraw }: { map: CodeMap; canDraw: boolean }) {
  const openPath = useOpenDirectory()
  const connections = useMemo(() => listConnections(map), [map])
  const [selectedPath, setSelectedPath] = useState<string | null>(null)
  const [hoveredPath, setHoveredPath] = useState<string | null>(null)
  const openOrSelect = useCallback(
    (path: string) => {
      const isDirectory = map.nodes.some((node) => node.path === path && node.kind === 'directory')
      if (isDirectory) openPath(path)
      else setSelectedPath(path)
    },
    [map, openPath],
  )
  return (
    <div className={`grid grid-cols-1 gap-3 ${canDraw ? 'lg:grid-cols-[3fr_2fr]' : ''}`}>
      {canDraw && (
        <div className="flex h-82 flex-col rounded border border-line lg:h-112">
          <div className="min-h-0 flex-1">
            <Suspense fallback={<Skeleton className="h-full" />}>
              <CodeGraphView
                map={map}
                highlightedPath={hoveredPath ?? selectedPath}
                onHover={setHoveredPath}
                onClick={openOrSelect}
              />
            </Suspense>
          </div>
          <GroupLegend map={map} />
        </div>
      )}
      <section
        aria-label="Directories and files"
        className="max-h-96 overflow-y-auto rounded border border-line lg:h-112 lg:max-h-112"
      >
        <CodeNodeList
          map={map}
          connections={connections}
          selectedPath={selectedPath}
          onSelect={setSelectedPath}
          onHover={setHoveredPath}
        />
      </section>
    </div>
  )
}

/** Classes, because the content security policy forbids inline styles. */
const groupBackgroundClasses = [
  'bg-(--group-0)',
  'bg-(--group-1)',
  'bg-(--group-2)',
  'bg-(--group-3)',
  'bg-(--group-4)',
  'bg-(--group-5)',
  'bg-(--group-6)',
  'bg-(--group-7)',
]

const legendClass =
  'flex min-h-9 shrink-0 flex-wrap items-center gap-x-3 border-line border-t px-2 py-1 ' +
  'text-muted text-xs'

function GroupLegend({ map }: { map: CodeMap }) {
  const groups = groupNodes(map)
  const hasOthers = map.nodes.some(
    (node) => groups.indexOf(node) === groupBackgroundClasses.length - 1,
  )
  const names = [
    ...groups.names,
    ...Array.from({ length: groupBackgroundClasses.length - 1 - groups.names.length }, () => ''),
    'other',
  ]
  return (
    <ul
      aria-label={groups.by === 'directory' ? 'Colors of directories' : 'Colors of languages'}
      className={legendClass}
    >
      {names.map((name, index) => {
        if (name === '' || (index === groupBackgroundClasses.length - 1 && !hasOthers)) return null
        return (
          <li key={name} className="flex items-center gap-1">
            <span
              aria-hidden="true"
              className={`inline-block size-2.5 rounded-full ${groupBackgroundClasses[index]}`}
            />
            <span className="max-w-36 truncate">{name}</span>
          </li>
        )
      })}
    </ul>
  )
}

function describeExtent({ nodes, edges, commit, left_out: leftOut }: CodeMap): string {
  const nodeCount = formatQuantity(nodes.length, 'directory or file', 'directories and files')
  const edgeCount = formatQuantity(edges.length, 'connection')
  const hidden = [
    ...(leftOut.nodes > 0 ? [formatQuantity(leftOut.nodes, 'smaller node')] : []),
    ...(leftOut.edges > 0 ? [formatQuantity(leftOut.edges, 'weaker connection')] : []),
  ]
  const hiddenNote = hidden.length > 0 ? ` Not shown: ${hidden.join(', ')}.` : ''
  return `${nodeCount}, ${edgeCount} at ${commit?.slice(0, 7)}.${hiddenNote}`
}

function hasWebGl(): boolean {
  const canvas = document.createElement('canvas')
  return (canvas.getContext('webgl2') ?? canvas.getContext('webgl')) !== null
}
