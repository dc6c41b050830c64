// The code map as a list of directories and files with their connections.
import { useEffect, useRef } from 'react'
import { formatQuantity } from '../../../components/format-numbers.ts'
import {
  type CodeMap,
  type CodeNode,
  describeSize,
  type NodeConnection,
  type NodeConnections,
  relativePathOf,
} from './code-map-model.ts'
import { DirectoryLink } from './directory-breadcrumbs.tsx'

interface CodeNodeListProps {
  readonly map: CodeMap
  readonly connections: ReadonlyMap<string, NodeConnections>
  /** The node whose connections are shown. */
  readonly selectedPath: string | null
  readonly onSelect: (path: string | null) => void
  /** Called with the focused node, or with null when it loses the focus. */
  readonly onHover: (path: string | null) => void
}

const noConnections: NodeConnections = { uses: [], usedBy: [] }

export function CodeNodeList({
  map,
  connections,
  selectedPath,
  onSelect,
  onHover,
}: CodeNodeListProps) {
  return (
    <ul className="divide-y divide-line">
      {map.nodes.map((node) => (
        <CodeNodeRow
          key={node.path}
          node={node}
          map={map}
          connections={connections.get(node.path) ?? noConnections}
          isSelected={selectedPath === node.path}
          onSelect={onSelect}
          onHover={onHover}
        />
      ))}
    </ul>
  )
}

interface CodeNodeRowProps extends Pick<CodeNodeListProps, 'map' | 'onSelect' | 'onHover'> {
  readonly node: CodeNode
  readonly connections: NodeConnections
  readonly isSelected: boolean
}

function CodeNodeRow({ node, map, connections, isSelected, onSelect, onHover }: CodeNodeRowProps) {
  const row = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (isSelected) row.current?.scrollIntoView({ block: 'nearest' })
  }, [isSelected])
  const { uses, usedBy } = connections
  const name = relativePathOf(node, map)
  return (
    <li
      ref={row}
      className={`px-3 py-1.5 ${isSelected ? 'bg-raised' : ''}`}
      onFocus={() => onHover(node.path)}
      onBlur={() => onHover(null)}
    >
      <div className="flex items-baseline gap-1">
        <button
          type="button"
          aria-expanded={isSelected}
          aria-label={`Connections of ${name}`}
          className="-ml-1.5 w-5 shrink-0 rounded text-muted hover:bg-raised"
          onClick={() => onSelect(isSelected ? null : node.path)}
        >
          {isSelected ? '▾' : '▸'}
        </button>
        <span className="min-w-0 flex-1">
          {node.kind === 'directory' ? (
            <DirectoryLink path={node.path}>{name}/</DirectoryLink>
          ) : (
            name
          )}
        </span>
        <span
          className="shrink-0 text-muted tabular-nums"
          title="Number of dependencies and dependents"
        >
          <span aria-hidden="true">
            → {uses.length} ← {usedBy.length}
          </span>
          <span className="sr-only">
            uses {uses.length}, used by {usedBy.length}
          </span>
        </span>
      </div>
      <p className="pl-4.5 text-muted">{describeSize(node)}</p>
      {isSelected && (
        <div className="pl-4.5">
          <ConnectionList
            title="Uses"
            connections={uses}
            map={map}
            elsewhere={node.uses_elsewhere}
          />
          <ConnectionList
            title="Used by"
            connections={usedBy}
            map={map}
            elsewhere={node.used_elsewhere}
          />
          {uses.length + usedBy.length + node.uses_elsewhere + node.used_elsewhere === 0 && (
            <p>No known connections.</p>
          )}
        </div>
      )}
    </li>
  )
}

function ConnectionList({
  title,
  connections,
  map,
  elsewhere,
}: {
  title: string
  connections: readonly NodeConnection[]
  map: CodeMap
  /** The number of uses of nodes that are not shown. */
  elsewhere: number
}) {
  if (connections.length === 0 && elsewhere === 0) return null
  return (
    <>
      <h3 className="mt-1 font-medium">{title}</h3>
      <ul>
        {connections.map(({ path, imports, calls }) => (
          <li key={path}>
            {relativePathOf({ path }, map)}{' '}
            <span className="text-muted">{describeUse(imports, calls)}</span>
          </li>
        ))}
        {elsewhere > 0 && (
          <li className="text-muted">{formatQuantity(elsewhere, 'use')} outside of this view</li>
        )}
      </ul>
    </>
  )
}

function describeUse(imports: number, calls: number): string {
  const parts = [
    imports > 0 && formatQuantity(imports, 'import'),
    calls > 0 && formatQuantity(calls, 'use'),
  ]
  return parts.filter((part) => part !== false).join(', ')
}
