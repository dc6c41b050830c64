// Scrolls a list so that one of its items is in view.
import { type RefObject, useEffect, useRef } from 'react'

/** Returns the ref of a list that scrolls sideways, such as tabs on a phone. */
export function useChildInView<List extends HTMLElement>(index: number): RefObject<List | null> {
  const list = useRef<List>(null)
  useEffect(() => {
    const child = list.current?.children[index]
    if (!list.current || !(child instanceof HTMLElement)) return
    const { offsetLeft, clientWidth } = list.current
    list.current.scrollLeft = child.offsetLeft - offsetLeft - (clientWidth - child.offsetWidth) / 2
  }, [index])
  return list
}
