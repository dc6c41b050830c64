// Draws a long list bit by bit, so that the page answers meanwhile.
import { useEffect, useState } from 'react'

const itemsPerFrame = 3

/** How many of `total` are to be drawn now: a few at first, some more with each frame. */
export function useIncrementalCount(total: number): number {
  const [count, setCount] = useState(itemsPerFrame)
  useEffect(() => {
    if (count >= total) return
    const frame = requestAnimationFrame(() => setCount(count + itemsPerFrame))
    return () => cancelAnimationFrame(frame)
  }, [count, total])
  return Math.min(count, total)
}
