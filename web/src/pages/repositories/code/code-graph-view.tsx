// Draws the code map as a graph. The list next to it has the same information.
import { useEffect, useMemo, useRef, useState } from 'react'
import Sigma from 'sigma'
import type { NodeHoverDrawingFunction } from 'sigma/rendering'
import type { NodeDisplayData } from 'sigma/types'
import { Button } from '../../../components/button.tsx'
import type { CodeMap } from './code-map-model.ts'
import {
  type EdgeAttributes,
  layOutGraph,
  type NodeAttributes,
  type PositionedGraph,
} from './lay-out-graph.ts'
import { type ThemeColors, useThemeColors } from './use-theme-colors.ts'

interface CodeGraphViewProps {
  readonly map: CodeMap
  /** The node to highlight together with its neighbors. */
  readonly highlightedPath: string | null
  /** Called with the hovered node, or with null when the pointer leaves it. */
  readonly onHover: (path: string | null) => void
  readonly onClick: (path: string) => void
}

type GraphRenderer = Sigma<NodeAttributes, EdgeAttributes>

export function CodeGraphView({ map, highlightedPath, onHover, onClick }: CodeGraphViewProps) {
  const container = useRef<HTMLDivElement>(null)
  const [renderer, setRenderer] = useState<GraphRenderer | null>(null)
  const graph = useMemo(() => layOutGraph(map), [map])
  const colors = useThemeColors()
  useEffect(() => {
    if (container.current === null) return
    const created = createRenderer(graph, container.current, colors)
    setRenderer(created)
    return () => created.kill()
  }, [graph, colors])
  useEffect(() => {
    if (renderer !== null) highlightNode(renderer, highlightedPath, colors)
  }, [renderer, highlightedPath, colors])
  useEffect(() => {
    if (renderer === null) return
    const enter = ({ node }: { node: string }) => onHover(node)
    const leave = () => onHover(null)
    const click = ({ node }: { node: string }) => onClick(node)
    renderer.on('enterNode', enter).on('leaveNode', leave).on('clickNode', click)
    return () =>
      void renderer.off('enterNode', enter).off('leaveNode', leave).off('clickNode', click)
  }, [renderer, onHover, onClick])
  return (
    <div className="flex h-full flex-col">
      <div ref={container} aria-hidden="true" className="min-h-0 flex-1 cursor-grab" />
      <div className="flex justify-end gap-1 p-1">
        <Button aria-label="Zoom in" onClick={() => renderer?.getCamera().animatedZoom()}>
          +
        </Button>
        <Button aria-label="Zoom out" onClick={() => renderer?.getCamera().animatedUnzoom()}>
          −
        </Button>
        <Button onClick={() => renderer?.getCamera().animatedReset()}>Reset zoom</Button>
      </div>
    </div>
  )
}

function createRenderer(
  graph: PositionedGraph,
  container: HTMLElement,
  colors: ThemeColors,
): GraphRenderer {
  const labels = createLabelSpace()
  const renderer: GraphRenderer = new Sigma<NodeAttributes, EdgeAttributes>(graph, container, {
    defaultEdgeType: 'arrow',
    defaultEdgeColor: colors.link,
    labelFont: getComputedStyle(container).fontFamily,
    labelSize: 12,
    labelDensity: 1.4,
    labelGridCellSize: 75,
    labelRenderedSizeThreshold: 4,
    stagePadding: 36,
    minCameraRatio: 0.1,
    maxCameraRatio: 2,
    // The mouse wheel scrolls the page.
    enableCameraZooming: false,
    zIndex: true,
    defaultDrawNodeLabel: createLabelDrawer(colors, labels),
    defaultDrawNodeHover: createHoverDrawer(colors),
  })
  renderer.on('beforeRender', labels.clear)
  // Touch scrolls the page. A tap still arrives as a click.
  renderer.getTouchCaptor().enabled = false
  for (const canvas of container.querySelectorAll('canvas')) canvas.style.touchAction = 'auto'
  highlightNode(renderer, null, colors)
  return renderer
}

function highlightNode(renderer: GraphRenderer, path: string | null, colors: ThemeColors): void {
  const graph = renderer.getGraph()
  const selected = path !== null && graph.hasNode(path) ? path : null
  const isHighlighted = (node: string) =>
    selected === null || node === selected || graph.areNeighbors(node, selected)
  renderer.setSetting('nodeReducer', (node, attributes): Partial<NodeDisplayData> => {
    const { x, y, size, group } = attributes
    const label = node === selected ? attributes.name : attributes.label
    if (!isHighlighted(node)) return { x, y, size, label: '', color: colors.link }
    return {
      x,
      y,
      size,
      label,
      color: colors.groups[group] ?? colors.ink,
      highlighted: node === selected,
      zIndex: 1,
    }
  })
  renderer.setSetting('edgeReducer', (edge, { size }) => {
    if (selected === null) return { size, color: colors.link }
    const [source, target] = graph.extremities(edge)
    if (source === selected) return { size, color: colors.accent, zIndex: 1 }
    return target === selected ? { size, color: colors.warn, zIndex: 1 } : { hidden: true }
  })
}

type DrawLabel = NodeHoverDrawingFunction<NodeAttributes, EdgeAttributes>

/** The places of the labels that were drawn in a frame. */
interface LabelSpace {
  /** Returns false if another label is there. */
  take(left: number, y: number, width: number, height: number): boolean
  readonly clear: () => void
}

function createLabelSpace(): LabelSpace {
  let taken: { left: number; right: number; y: number }[] = []
  return {
    take(left, y, width, height) {
      const right = left + width
      const isTaken = taken.some(
        (other) => Math.abs(other.y - y) < height && left < other.right && other.left < right,
      )
      if (!isTaken) taken.push({ left, right, y })
      return !isTaken
    },
    clear: () => {
      taken = []
    },
  }
}

/**
 * Draws a label next to its node, on the side with enough space.
 *
 * @param labels a label is left out where another one is; null draws it anyway
 */
function createLabelDrawer(colors: ThemeColors, labels: LabelSpace | null): DrawLabel {
  return (context, node, settings) => {
    if (!node.label) return
    const { left, width } = measureLabel(context, node, settings)
    const height = settings.labelSize + 2
    if (labels !== null && !labels.take(left, node.y, width, height)) return
    const baseline = node.y + settings.labelSize / 3
    // Connections run behind labels.
    context.strokeStyle = colors.surface
    context.lineWidth = 4
    context.strokeText(node.label, left, baseline)
    context.fillStyle = colors.ink
    context.fillText(node.label, left, baseline)
  }
}

/** Draws the label on an opaque background. */
function createHoverDrawer(colors: ThemeColors): DrawLabel {
  const drawLabel = createLabelDrawer(colors, null)
  return (context, node, settings) => {
    if (!node.label) return
    const { left, width } = measureLabel(context, node, settings)
    const height = settings.labelSize + 8
    context.beginPath()
    context.roundRect(left - 4, node.y - height / 2, width + 8, height, 4)
    context.fillStyle = colors.surface
    context.fill()
    context.strokeStyle = colors.link
    context.stroke()
    drawLabel(context, node, settings)
  }
}

function measureLabel(...[context, { x, size, label }, settings]: Parameters<DrawLabel>): {
  left: number
  width: number
} {
  context.font = `${settings.labelWeight} ${settings.labelSize}px ${settings.labelFont}`
  const { width } = context.measureText(label ?? '')
  const right = x + size + 5
  const fitsOnRight = right + width < context.canvas.clientWidth
  return { left: fitsOnRight ? right : Math.max(4, x - size - 5 - width), width }
}
