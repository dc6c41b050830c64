// The code map as a graph: dots as large as their lines, and lines from what uses to what is used. A list beside it says the same.
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
  /** The node that is to stand out, with those that it has to do with. */
  readonly highlightedPath: string | null
  /** A node came under the pointer, or none is there any more. */
  readonly onHover: (path: string | null) => void
  readonly onClick: (path: string) => void
}

type GraphRenderer = Sigma<NodeAttributes, EdgeAttributes>

export function CodeGraphView({
  map,
  highlightedPath: shown,
  onHover: onPoint,
  onClick,
}: CodeGraphViewProps) {
  const place = useRef<HTMLDivElement>(null)
  const [drawing, setDrawing] = useState<GraphRenderer | null>(null)
  const graph = useMemo(() => layOutGraph(map), [map])
  const colours = useThemeColors()
  useEffect(() => {
    if (place.current === null) return
    const made = createRenderer(graph, place.current, colours)
    setDrawing(made)
    return () => made.kill()
  }, [graph, colours])
  useEffect(() => {
    if (drawing !== null) highlightNode(drawing, shown, colours)
  }, [drawing, shown, colours])
  useEffect(() => {
    if (drawing === null) return
    const enter = ({ node }: { node: string }) => onPoint(node)
    const leave = () => onPoint(null)
    const click = ({ node }: { node: string }) => onClick(node)
    drawing.on('enterNode', enter).on('leaveNode', leave).on('clickNode', click)
    return () =>
      void drawing.off('enterNode', enter).off('leaveNode', leave).off('clickNode', click)
  }, [drawing, onPoint, onClick])
  return (
    <div className="relative h-full">
      <div ref={place} aria-hidden="true" className="h-full cursor-grab" />
      <div className="absolute right-1 bottom-1 flex gap-1">
        <Button aria-label="Show it larger" onClick={() => drawing?.getCamera().animatedZoom()}>
          +
        </Button>
        <Button aria-label="Show it smaller" onClick={() => drawing?.getCamera().animatedUnzoom()}>
          −
        </Button>
        <Button onClick={() => drawing?.getCamera().animatedReset()}>All</Button>
      </div>
    </div>
  )
}

function createRenderer(
  graph: PositionedGraph,
  place: HTMLElement,
  colours: ThemeColors,
): GraphRenderer {
  const drawing: GraphRenderer = new Sigma<NodeAttributes, EdgeAttributes>(graph, place, {
    defaultEdgeType: 'arrow',
    defaultEdgeColor: colours.link,
    labelFont: getComputedStyle(place).fontFamily,
    labelSize: 12,
    labelDensity: 1.4,
    labelGridCellSize: 75,
    labelRenderedSizeThreshold: 4,
    stagePadding: 36,
    minCameraRatio: 0.1,
    maxCameraRatio: 2,
    // The wheel is the page's.
    enableCameraZooming: false,
    zIndex: true,
    defaultDrawNodeLabel: createLabelDrawer(colours),
    defaultDrawNodeHover: createHoverDrawer(colours),
  })
  // Fingers move the page; a tap comes as a click.
  drawing.getTouchCaptor().enabled = false
  for (const canvas of place.querySelectorAll('canvas')) canvas.style.touchAction = 'auto'
  highlightNode(drawing, null, colours)
  return drawing
}

function highlightNode(drawing: GraphRenderer, shown: string | null, colours: ThemeColors): void {
  const graph = drawing.getGraph()
  const chosen = shown !== null && graph.hasNode(shown) ? shown : null
  const isNear = (node: string) =>
    chosen === null || node === chosen || graph.areNeighbors(node, chosen)
  drawing.setSetting('nodeReducer', (node, look): Partial<NodeDisplayData> => {
    const { x, y, size, group } = look
    const label = node === chosen ? look.name : look.label
    if (!isNear(node)) return { x, y, size, label: '', color: colours.link }
    return {
      x,
      y,
      size,
      label,
      color: colours.groups[group] ?? colours.ink,
      highlighted: node === chosen,
      zIndex: 1,
    }
  })
  drawing.setSetting('edgeReducer', (edge, { size }) => {
    if (chosen === null) return { size, color: colours.link }
    const [source, target] = graph.extremities(edge)
    if (source === chosen) return { size, color: colours.accent, zIndex: 1 }
    return target === chosen ? { size, color: colours.warn, zIndex: 1 } : { hidden: true }
  })
}

type DrawLabel = NodeHoverDrawingFunction<NodeAttributes, EdgeAttributes>

/** Writes a name beside its dot, on the side where there is room for it. */
function createLabelDrawer(colours: ThemeColors): DrawLabel {
  return (context, dot, settings) => {
    if (!dot.label) return
    const { left } = measureLabel(context, dot, settings)
    context.fillStyle = colours.ink
    context.fillText(dot.label, left, dot.y + settings.labelSize / 3)
  }
}

/** The same on a ground of its own: whatever is below doesn't show through. */
function createHoverDrawer(colours: ThemeColors): DrawLabel {
  const drawName = createLabelDrawer(colours)
  return (context, dot, settings) => {
    if (!dot.label) return
    const { left, width } = measureLabel(context, dot, settings)
    const height = settings.labelSize + 8
    context.beginPath()
    context.roundRect(left - 4, dot.y - height / 2, width + 8, height, 4)
    context.fillStyle = colours.surface
    context.fill()
    context.strokeStyle = colours.link
    context.stroke()
    drawName(context, dot, settings)
  }
}

function measureLabel(...[context, { x, size, label }, settings]: Parameters<DrawLabel>): {
  left: number
  width: number
} {
  context.font = `${settings.labelWeight} ${settings.labelSize}px ${settings.labelFont}`
  const { width } = context.measureText(label ?? '')
  const right = x + size + 5
  const isInside = right + width < context.canvas.clientWidth
  return { left: isInside ? right : Math.max(4, x - size - 5 - width), width }
}
