// Treemap with a tile for each directory or file, grouped by directory.
import { type HierarchyRectangularNode, hierarchy, treemap, treemapSquarify } from 'd3-hierarchy'
import { useMemo } from 'react'
import { formatQuantity } from '../../../components/format-numbers.ts'
import { useElementWidth } from '../../../components/use-element-width.ts'
import { type CodeMap, type CodeNode, relativePathOf } from './code-map-model.ts'
import { useOpenDirectory } from './use-open-directory.ts'

interface TreemapItem {
  readonly name: string
  /** Null for a group of tiles. */
  readonly node: CodeNode | null
  readonly children?: readonly TreemapItem[]
}

interface HotspotTreemapProps {
  readonly map: CodeMap
  /** Returns a heat level from 0 to 4. */
  readonly getHeatLevel: (touches: number) => number
}

const heatFillClasses = [
  'fill-(--heat-0)',
  'fill-(--heat-1)',
  'fill-(--heat-2)',
  'fill-(--heat-3)',
  'fill-(--heat-4)',
]

/** Fills its container. Screen readers skip it, because a table has the same numbers. */
export function HotspotTreemap({ map, getHeatLevel }: HotspotTreemapProps) {
  const [container, width] = useElementWidth<HTMLDivElement>()
  const openPath = useOpenDirectory()
  const height = container.current?.clientHeight ?? 0
  const tiles = useMemo(() => layOutTiles(map, width, height), [map, width, height])
  return (
    <div ref={container} className="h-full">
      {width > 0 && (
        <svg aria-hidden="true" width={width} height={height} className="block">
          {tiles.map((tile) => {
            const { node } = tile.data
            if (node === null) return <GroupLabel key={`/${tile.data.name}`} tile={tile} />
            return (
              // biome-ignore lint/a11y/noStaticElementInteractions: keyboard users use the table
              <g
                key={node.path}
                className={node.kind === 'directory' ? 'cursor-pointer' : ''}
                onClick={node.kind === 'directory' ? () => openPath(node.path) : undefined}
              >
                <title>{describeNode(node, map)}</title>
                <Tile tile={tile} fill={heatFillClasses[getHeatLevel(node.touches)] ?? ''} />
              </g>
            )
          })}
        </svg>
      )}
    </div>
  )
}

type PlacedTile = HierarchyRectangularNode<TreemapItem>

function layOutTiles(map: CodeMap, width: number, height: number): PlacedTile[] {
  const root = hierarchy<TreemapItem>({ name: '', node: null, children: groupByDirectory(map) })
    // Empty files need a visible tile too.
    .sum(({ node }) => (node === null ? 0 : Math.max(1, node.lines)))
    .sort((a, b) => (b.value ?? 0) - (a.value ?? 0))
  const placed = treemap<TreemapItem>()
    .tile(treemapSquarify)
    .size([width, height])
    .paddingInner(2)
    .paddingTop((tile) => (tile.depth === 1 && tile.children ? groupLabelHeightPx : 0))
    .round(true)(root)
  return placed.descendants().slice(1)
}

const groupLabelHeightPx = 18

function groupByDirectory(map: CodeMap): TreemapItem[] {
  const groups = Map.groupBy(map.nodes, (node) => relativePathOf(node, map).split('/')[0] ?? '')
  return [...groups].map(([name, nodes]) => {
    const items = nodes.map((node) => ({
      name: relativePathOf(node, map).slice(name.length + 1) || name,
      node,
    }))
    const [only] = items
    if (only !== undefined && items.length === 1)
      return { ...only, name: relativePathOf(only.node, map) }
    return { name: `${name}/`, node: null, children: items }
  })
}

/** Approximate width of a character in tile labels. */
const characterWidthPx = 6.6

function truncateToWidth(name: string, width: number): string {
  const maxLength = Math.floor((width - 8) / characterWidthPx)
  if (name.length <= maxLength) return name
  return maxLength < 4 ? '' : `${name.slice(0, maxLength - 1)}…`
}

function GroupLabel({ tile: { x0, x1, y0, data } }: { tile: PlacedTile }) {
  return (
    <text x={x0 + 4} y={y0 + 13} className="fill-ink font-medium text-xs">
      {truncateToWidth(data.name, x1 - x0)}
    </text>
  )
}

function Tile({ tile: { x0, x1, y0, y1, data }, fill }: { tile: PlacedTile; fill: string }) {
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
          {truncateToWidth(data.node?.kind === 'directory' ? `${data.name}/` : data.name, x1 - x0)}
        </text>
      )}
    </>
  )
}

function describeNode(node: CodeNode, map: CodeMap): string {
  const counts = [formatQuantity(node.lines, 'line'), formatQuantity(node.touches, 'pull request')]
  return `${relativePathOf(node, map)}: ${counts.join(', ')}`
}
