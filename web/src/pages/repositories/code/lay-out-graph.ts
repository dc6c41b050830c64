// Computes a deterministic layout of the code map.
import Graph from 'graphology'
import forceAtlas2 from 'graphology-layout-forceatlas2'
import { type CodeMap, type CodeNode, groupNodes, relativePathOf } from './code-map-model.ts'

/** Takes a few tenths of a second for the largest map. */
const layoutIterations = 300
const sizesPx = { minRadius: 3, maxRadius: 16, minEdge: 0.5, maxEdge: 3 }
/** Points on a spiral with this angle cover a plane evenly. */
const goldenAngle = Math.PI * (3 - Math.sqrt(5))
/** Width of the layout divided by its height. */
const aspectRatio = 2

export interface NodeAttributes {
  x: number
  y: number
  readonly size: number
  readonly label: string
  /** Path relative to the directory of the map. */
  readonly name: string
  readonly group: number
}

export interface EdgeAttributes {
  readonly weight: number
  readonly size: number
}

export type PositionedGraph = Graph<NodeAttributes, EdgeAttributes>

/** Positions the nodes of a map. Nodes without connections are in rows at the bottom. */
export function layOutGraph(map: CodeMap): PositionedGraph {
  const connected = new Set(map.edges.flatMap(({ source, target }) => [source, target]))
  const graph: PositionedGraph = new Graph({ type: 'directed' })
  const createAttributes = createNodeAttributes(map)
  for (const node of map.nodes.filter(({ path }) => connected.has(path)))
    graph.addNode(node.path, createAttributes(node))
  addEdges(graph, map)
  forceAtlas2.assign(graph, {
    iterations: layoutIterations,
    settings: {
      ...forceAtlas2.inferSettings(graph),
      linLogMode: true,
      gravity: 0.5,
      scalingRatio: 4,
      slowDown: 3,
    },
  })
  graph.updateEachNodeAttributes((_, attributes) => ({
    ...attributes,
    x: attributes.x * aspectRatio,
  }))
  addUnconnectedNodes(
    graph,
    map.nodes
      .filter(({ path }) => !connected.has(path))
      .map((node) => [node.path, createAttributes(node)] as const),
  )
  return graph
}

/** Attributes of the nodes, which start on a spiral. */
function createNodeAttributes(map: CodeMap): (node: CodeNode) => NodeAttributes {
  const groups = groupNodes(map)
  const maxLines = Math.max(1, ...map.nodes.map(({ lines }) => lines))
  const indexes = new Map(map.nodes.map(({ path }, index) => [path, index]))
  return (node) => {
    const index = indexes.get(node.path) ?? 0
    const name = relativePathOf(node, map) + (node.kind === 'directory' ? '/' : '')
    return {
      x: Math.sqrt(index + 1) * Math.cos(index * goldenAngle),
      y: Math.sqrt(index + 1) * Math.sin(index * goldenAngle),
      // The area, not the radius, is proportional to the lines.
      size:
        sizesPx.minRadius +
        (sizesPx.maxRadius - sizesPx.minRadius) * Math.sqrt(node.lines / maxLines),
      label: /[^/]+\/?$/.exec(name)?.[0] ?? name,
      name,
      group: groups.indexOf(node),
    }
  }
}

function addEdges(graph: PositionedGraph, { edges }: CodeMap): void {
  const weights = edges.map(({ imports, calls }) => Math.log(1 + imports + calls))
  const strongest = Math.max(1, ...weights)
  edges.forEach(({ source, target }, index) => {
    const weight = weights[index] ?? 0
    graph.addEdge(source, target, {
      weight,
      size: sizesPx.minEdge + (sizesPx.maxEdge - sizesPx.minEdge) * (weight / strongest) ** 2,
    })
  })
}

/** Fewer nodes per row leave space for their labels. */
const nodesPerRow = { few: 5, many: 12 }

function addUnconnectedNodes(
  graph: PositionedGraph,
  nodes: readonly (readonly [path: string, attributes: NodeAttributes])[],
): void {
  const placed = graph.mapNodes((_, { x, y }) => ({ x, y }))
  const lowest = Math.min(0, ...placed.map(({ y }) => y))
  const [left, right] = [
    Math.min(-1, ...placed.map(({ x }) => x)),
    Math.max(1, ...placed.map(({ x }) => x)),
  ]
  const most = nodes.length > 5 * nodesPerRow.few ? nodesPerRow.many : nodesPerRow.few
  const rowLength = Math.max(2, Math.min(most, nodes.length))
  const step = (right - left) / (rowLength - 1)
  // Without a graph above them, the rows have all its height.
  const rows = Math.ceil(nodes.length / rowLength)
  const share = placed.length === 0 ? Math.min(0.12, Math.max(0.05, 0.5 / rows)) : 0.05
  nodes.forEach(([path, attributes], index) => {
    const y = lowest - (right - left) * share * (1 + Math.floor(index / rowLength))
    graph.addNode(path, { ...attributes, x: left + step * (index % rowLength), y })
  })
}
