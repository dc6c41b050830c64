// Hook for infinite scrolling.
import { type RefObject, useEffect, useRef } from 'react'

/** Calls `onNear` when the element is within one screen, and again when `round` changes. */
export function useNearViewport<Target extends Element>(
  round: unknown,
  onNear: () => void,
): RefObject<Target | null> {
  const target = useRef<Target>(null)
  const latest = useRef(onNear)
  latest.current = onNear
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new observer reports the state
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
