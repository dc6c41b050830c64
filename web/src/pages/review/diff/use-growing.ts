// Draws a long list bit by bit, so that the page answers meanwhile.
import { useEffect, useState } from 'react'

const atOnce = 3

/** How many of `total` are to be drawn now: a few at first, some more with each frame. */
export function useGrowing(total: number): number {
  const [count, setCount] = useState(atOnce)
  useEffect(() => {
    if (count >= total) return
    const frame = requestAnimationFrame(() => setCount(count + atOnce))
    return () => cancelAnimationFrame(frame)
  }, [count, total])
  return Math.min(count, total)
}
