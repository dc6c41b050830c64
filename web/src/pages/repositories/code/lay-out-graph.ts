// Finds a place for each node of the code map: the same map has the same picture each time.
import Graph from 'graphology'
import forceAtlas2 from 'graphology-layout-forceatlas2'
import { type CodeMap, type CodeNode, groupNodes, relativePathOf } from './code-map-model.ts'

/** Steps of the layout: for the largest map they take some tenths of a second. */
const layoutIterations = 300
/** Radii and widths on the screen. */
const sizesPx = { least: 3, most: 16, line: 0.5, strongLine: 3 }
/** Turned by it, points on a spiral cover a plane evenly. */
const goldenAngle = Math.PI * (3 - Math.sqrt(5))
/** The picture is wider than high. */
const aspectRatio = 2

export interface NodeAttributes {
  x: number
  y: number
  readonly size: number
  readonly label: string
  /** From the directory that is shown. */
  readonly name: string
  readonly group: number
}

export interface EdgeAttributes {
  readonly weight: number
  readonly size: number
}

export type PositionedGraph = Graph<NodeAttributes, EdgeAttributes>

/** The map as a graph with places. What is connected with nothing stands below, in rows. */
export function layOutGraph(map: CodeMap): PositionedGraph {
  const connected = new Set(map.edges.flatMap(({ source, target }) => [source, target]))
  const graph: PositionedGraph = new Graph({ type: 'directed' })
  const look = createNodeAttributes(map)
  for (const node of map.nodes.filter(({ path }) => connected.has(path)))
    graph.addNode(node.path, look(node))
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
      .map((node) => [node.path, look(node)] as const),
  )
  return graph
}

/** How nodes look, each on its place of a spiral. */
function createNodeAttributes(map: CodeMap): (node: CodeNode) => NodeAttributes {
  const groups = groupNodes(map)
  const mostLines = Math.max(1, ...map.nodes.map(({ lines }) => lines))
  const turns = new Map(map.nodes.map(({ path }, index) => [path, index]))
  return (node) => {
    const turn = turns.get(node.path) ?? 0
    const name = relativePathOf(node, map) + (node.kind === 'directory' ? '/' : '')
    return {
      x: Math.sqrt(turn + 1) * Math.cos(turn * goldenAngle),
      y: Math.sqrt(turn + 1) * Math.sin(turn * goldenAngle),
      // Areas are to be compared, not radii.
      size: sizesPx.least + (sizesPx.most - sizesPx.least) * Math.sqrt(node.lines / mostLines),
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
      size: sizesPx.line + (sizesPx.strongLine - sizesPx.line) * (weight / strongest) ** 2,
    })
  })
}

/** So many stand side by side: of few, each has room for its name. */
const nodesPerRow = { few: 5, many: 12 }

/** In rows below all others. */
function addUnconnectedNodes(
  graph: PositionedGraph,
  nodes: readonly (readonly [path: string, look: NodeAttributes])[],
): void {
  const placed = graph.mapNodes((_, { x, y }) => ({ x, y }))
  const lowest = Math.min(0, ...placed.map(({ y }) => y))
  const [left, right] = [
    Math.min(-1, ...placed.map(({ x }) => x)),
    Math.max(1, ...placed.map(({ x }) => x)),
  ]
  const rowLength = nodes.length > 5 * nodesPerRow.few ? nodesPerRow.many : nodesPerRow.few
  const step = (right - left) / (rowLength - 1)
  nodes.forEach(([path, look], index) => {
    const y = lowest - ((right - left) / 20) * (1 + Math.floor(index / rowLength))
    graph.addNode(path, { ...look, x: left + step * (index % rowLength), y })
  })
}
