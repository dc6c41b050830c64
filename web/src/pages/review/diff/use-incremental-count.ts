// Hook that renders a long list in steps, so that the page stays responsive.
import { useEffect, useState } from 'react'

const itemsPerFrame = 3

/** The number of items to render now. It grows with each frame up to `total`. */
export function useIncrementalCount(total: number): number {
  const [count, setCount] = useState(itemsPerFrame)
  useEffect(() => {
    if (count >= total) return
    const frame = requestAnimationFrame(() => setCount(count + itemsPerFrame))
    return () => cancelAnimationFrame(frame)
  }, [count, total])
  return Math.min(count, total)
}
