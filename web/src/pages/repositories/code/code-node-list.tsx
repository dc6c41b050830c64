// The code map as a list: the same directories and files as in the picture, with what each uses and what uses it.
import { useEffect, useRef } from 'react'
import {
  type CodeMap,
  type CodeNode,
  describeSize,
  formatQuantity,
  type NodeConnection,
  type NodeConnections,
  relativePathOf,
} from './code-map-model.ts'
import { DirectoryLink } from './directory-breadcrumbs.tsx'

interface CodeNodeListProps {
  readonly map: CodeMap
  readonly connections: ReadonlyMap<string, NodeConnections>
  /** Whose connections are told. */
  readonly selected: string | null
  readonly onSelect: (path: string | null) => void
  /** A node that has the focus, or none any more. */
  readonly onHover: (path: string | null) => void
}

const noConnections: NodeConnections = { uses: [], usedBy: [] }

export function CodeNodeList({
  map,
  connections,
  selected: chosen,
  onSelect: onChoose,
  onHover: onPoint,
}: CodeNodeListProps) {
  return (
    <ul className="divide-y divide-line">
      {map.nodes.map((node) => (
        <CodeNodeRow
          key={node.path}
          node={node}
          map={map}
          connections={connections.get(node.path) ?? noConnections}
          isSelected={chosen === node.path}
          onSelect={onChoose}
          onHover={onPoint}
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

function CodeNodeRow({
  node,
  map,
  connections,
  isSelected: isChosen,
  onSelect: onChoose,
  onHover: onPoint,
}: CodeNodeRowProps) {
  const row = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (isChosen) row.current?.scrollIntoView({ block: 'nearest' })
  }, [isChosen])
  const { uses, usedBy } = connections
  const name = relativePathOf(node, map)
  return (
    <li
      ref={row}
      className={`px-3 py-1.5 ${isChosen ? 'bg-raised' : ''}`}
      onFocus={() => onPoint(node.path)}
      onBlur={() => onPoint(null)}
    >
      <div className="flex items-baseline gap-1">
        <button
          type="button"
          aria-expanded={isChosen}
          aria-label={`What has to do with ${name}`}
          className="-ml-1.5 w-5 shrink-0 rounded text-muted hover:bg-raised"
          onClick={() => onChoose(isChosen ? null : node.path)}
        >
          {isChosen ? '▾' : '▸'}
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
          title="How many others it uses, and how many use it"
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
      {isChosen && (
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
            <p>Nothing that is known uses it, and it uses nothing.</p>
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
  /** How often something that isn't shown. */
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
          <li className="text-muted">
            {formatQuantity(elsewhere, 'time', 'times')} {connections.length > 0 && 'also '}
            something that is not shown here
          </li>
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
