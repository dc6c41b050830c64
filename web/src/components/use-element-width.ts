// How wide a place is, followed.
import { type RefObject, useLayoutEffect, useRef, useState } from 'react'

/** The width of the element with the ref; 0 before it is drawn. */
export function useElementWidth<E extends Element>(): [RefObject<E | null>, number] {
  const place = useRef<E>(null)
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const element = place.current
    if (element === null) return
    const measure = () => setWidth(Math.floor(element.getBoundingClientRect().width))
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [place, width]
}
