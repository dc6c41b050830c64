// Hook that tracks the width of an element.
import { type RefObject, useLayoutEffect, useRef, useState } from 'react'

/** Returns a ref and the width of its element in pixels, or 0 before the first layout. */
export function useElementWidth<E extends Element>(): [RefObject<E | null>, number] {
  const ref = useRef<E>(null)
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const element = ref.current
    if (element === null) return
    const measure = () => setWidth(Math.floor(element.getBoundingClientRect().width))
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [ref, width]
}
