// The treemap: a tile for each directory or file, those of one directory beside each other.
import { type HierarchyRectangularNode, hierarchy, treemap, treemapSquarify } from 'd3-hierarchy'
import { useMemo } from 'react'
import { useWidth } from '../../../components/use-width.ts'
import { type CodeMap, type CodeNode, formatCount, nameOf } from './code-map.ts'
import { useOpenPath } from './use-open-path.ts'

interface Item {
  readonly name: string
  /** Null for what only holds others. */
  readonly node: CodeNode | null
  readonly children?: readonly Item[]
}

interface HotMapProps {
  readonly map: CodeMap
  /** From 0 to 4: how warm it is. */
  readonly warmthOf: (touches: number) => number
}

const fills = [
  'fill-(--heat-0)',
  'fill-(--heat-1)',
  'fill-(--heat-2)',
  'fill-(--heat-3)',
  'fill-(--heat-4)',
]

/** For eyes and pointers: a table has the same, for everybody. It fills its place. */
export function HotMap({ map, warmthOf }: HotMapProps) {
  const [place, width] = useWidth<HTMLDivElement>()
  const openPath = useOpenPath()
  const height = place.current?.clientHeight ?? 0
  const tiles = useMemo(() => layOutTiles(map, width, height), [map, width, height])
  return (
    <div ref={place} className="h-full">
      {width > 0 && (
        <svg aria-hidden="true" width={width} height={height} className="block">
          {tiles.map((tile) => {
            const { node } = tile.data
            if (node === null) return <GroupName key={`/${tile.data.name}`} tile={tile} />
            return (
              // biome-ignore lint/a11y/noStaticElementInteractions: by keys one goes in from the table
              <g
                key={node.path}
                className={node.kind === 'directory' ? 'cursor-pointer' : ''}
                onClick={node.kind === 'directory' ? () => openPath(node.path) : undefined}
              >
                <title>{describe(node, map)}</title>
                <Tile tile={tile} fill={fills[warmthOf(node.touches)] ?? ''} />
              </g>
            )
          })}
        </svg>
      )}
    </div>
  )
}

type Placed = HierarchyRectangularNode<Item>

function layOutTiles(map: CodeMap, width: number, height: number): Placed[] {
  const root = hierarchy<Item>({ name: '', node: null, children: groupByDirectory(map) })
    // What has no lines is still there.
    .sum(({ node }) => (node === null ? 0 : Math.max(1, node.lines)))
    .sort((one, other) => (other.value ?? 0) - (one.value ?? 0))
  const placed = treemap<Item>()
    .tile(treemapSquarify)
    .size([width, height])
    .paddingInner(2)
    .paddingTop((tile) => (tile.depth === 1 && tile.children ? nameHeight : 0))
    .round(true)(root)
  return placed.descendants().slice(1)
}

/** Above the tiles of one directory. */
const nameHeight = 18

function groupByDirectory(map: CodeMap): Item[] {
  const groups = Map.groupBy(map.nodes, (node) => nameOf(node, map).split('/')[0] ?? '')
  return [...groups].map(([name, nodes]) => {
    const items = nodes.map((node) => ({
      name: nameOf(node, map).slice(name.length + 1) || name,
      node,
    }))
    const [only] = items
    if (only !== undefined && items.length === 1) return { ...only, name: nameOf(only.node, map) }
    return { name: `${name}/`, node: null, children: items }
  })
}

/** Of a letter, about, at the size of the names. */
const letterWidth = 6.6

function fit(name: string, width: number): string {
  const most = Math.floor((width - 8) / letterWidth)
  if (name.length <= most) return name
  return most < 4 ? '' : `${name.slice(0, most - 1)}…`
}

function GroupName({ tile: { x0, x1, y0, data } }: { tile: Placed }) {
  return (
    <text x={x0 + 4} y={y0 + 13} className="fill-ink font-medium text-xs">
      {fit(data.name, x1 - x0)}
    </text>
  )
}

function Tile({ tile: { x0, x1, y0, y1, data }, fill }: { tile: Placed; fill: string }) {
  return (
    <>
      <rect
        x={x0}
        y={y0}
        width={x1 - x0}
        height={y1 - y0}
        rx={2}
        className={`${fill} hover:opacity-80`}
      />
      {y1 - y0 >= 16 && (
        <text x={x0 + 4} y={y0 + 13} className="pointer-events-none fill-ink text-xs">
          {fit(data.node?.kind === 'directory' ? `${data.name}/` : data.name, x1 - x0)}
        </text>
      )}
    </>
  )
}

function describe(node: CodeNode, map: CodeMap): string {
  const counts = [formatCount(node.lines, 'line'), formatCount(node.touches, 'pull request')]
  return `${nameOf(node, map)}: ${counts.join(', ')}`
}
