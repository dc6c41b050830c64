// Notices that the end of a list comes near, so that more of it is there when one gets to it.
import { type RefObject, useEffect, useRef } from 'react'

/** Calls `onNear` when the element is less than a screen away, and again for each `round` in which it still is. */
export function useNearViewport<Target extends Element>(
  round: unknown,
  onNear: () => void,
): RefObject<Target | null> {
  const target = useRef<Target>(null)
  const latest = useRef(onNear)
  latest.current = onNear
  // biome-ignore lint/correctness/useExhaustiveDependencies: an observer tells only of changes, a new one how it stands
  useEffect(() => {
    const element = target.current
    if (element === null) return
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting) latest.current()
      },
      { rootMargin: '100% 0px' },
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [round])
  return target
}
