// Hooks that move the focus when the focused element disappears.
import { useRouterState } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'

function focusContent(): void {
  document.getElementById('main')?.focus({ preventScroll: true })
}

function isFocusInContent(): boolean {
  return document.activeElement?.closest('#main') != null
}

/**
 * Moves the focus to the content after navigation to another page. An element of the content that
 * stayed keeps its focus, as when a review gives way to the one after a dismissal.
 */
export function useFocusOnNavigation(): void {
  const path = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname })
  const lastPath = useRef(path)
  useEffect(() => {
    const hasChanged = lastPath.current !== undefined && lastPath.current !== path
    if (hasChanged && !isFocusInContent()) focusContent()
    lastPath.current = path
  }, [path])
}

/** Moves the focus to the content when the component unmounts while it or its dialog has focus. */
export function useFocusOnUnmount(): void {
  useEffect(
    () => () => {
      // Removing the focused element moves the focus to the body.
      requestAnimationFrame(() => {
        if (document.activeElement === document.body) focusContent()
      })
    },
    [],
  )
}
