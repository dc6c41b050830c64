// The code map as a graph: dots as large as their lines, and lines from what uses to what is used. A list beside it says the same.
import { useEffect, useMemo, useRef, useState } from 'react'
import Sigma from 'sigma'
import type { NodeHoverDrawingFunction } from 'sigma/rendering'
import type { NodeDisplayData } from 'sigma/types'
import { Button } from '../../../components/button.tsx'
import type { CodeMap } from './code-map.ts'
import { type EdgeLook, layOut, type NodeLook, type Picture } from './lay-out.ts'
import { type Colours, useColours } from './use-colours.ts'

interface GraphPictureProps {
  readonly map: CodeMap
  /** The node that is to stand out, with those that it has to do with. */
  readonly shown: string | null
  /** A node came under the pointer, or none is there any more. */
  readonly onPoint: (path: string | null) => void
  readonly onClick: (path: string) => void
}

type Drawing = Sigma<NodeLook, EdgeLook>

export function GraphPicture({ map, shown, onPoint, onClick }: GraphPictureProps) {
  const place = useRef<HTMLDivElement>(null)
  const [drawing, setDrawing] = useState<Drawing | null>(null)
  const graph = useMemo(() => layOut(map), [map])
  const colours = useColours()
  useEffect(() => {
    if (place.current === null) return
    const made = draw(graph, place.current, colours)
    setDrawing(made)
    return () => made.kill()
  }, [graph, colours])
  useEffect(() => {
    if (drawing !== null) letStandOut(drawing, shown, colours)
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

function draw(graph: Picture, place: HTMLElement, colours: Colours): Drawing {
  const drawing: Drawing = new Sigma<NodeLook, EdgeLook>(graph, place, {
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
    defaultDrawNodeLabel: createNameDrawing(colours),
    defaultDrawNodeHover: createHoverDrawing(colours),
  })
  // Fingers move the page; a tap comes as a click.
  drawing.getTouchCaptor().enabled = false
  for (const canvas of place.querySelectorAll('canvas')) canvas.style.touchAction = 'auto'
  letStandOut(drawing, null, colours)
  return drawing
}

function letStandOut(drawing: Drawing, shown: string | null, colours: Colours): void {
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

type DrawName = NodeHoverDrawingFunction<NodeLook, EdgeLook>

/** Writes a name beside its dot, on the side where there is room for it. */
function createNameDrawing(colours: Colours): DrawName {
  return (context, dot, settings) => {
    if (!dot.label) return
    const { left } = placeName(context, dot, settings)
    context.fillStyle = colours.ink
    context.fillText(dot.label, left, dot.y + settings.labelSize / 3)
  }
}

/** The same on a ground of its own: whatever is below doesn't show through. */
function createHoverDrawing(colours: Colours): DrawName {
  const drawName = createNameDrawing(colours)
  return (context, dot, settings) => {
    if (!dot.label) return
    const { left, width } = placeName(context, dot, settings)
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

function placeName(...[context, { x, size, label }, settings]: Parameters<DrawName>): {
  left: number
  width: number
} {
  context.font = `${settings.labelWeight} ${settings.labelSize}px ${settings.labelFont}`
  const { width } = context.measureText(label ?? '')
  const right = x + size + 5
  const isInside = right + width < context.canvas.clientWidth
  return { left: isInside ? right : Math.max(4, x - size - 5 - width), width }
}
