// Hooks that move the focus when the focused element disappears.
import { useRouterState } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'

function focusContent(): void {
  document.getElementById('main')?.focus({ preventScroll: true })
}

/** Moves the focus to the content after navigation to another page. */
export function useFocusOnNavigation(): void {
  const path = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname })
  const lastPath = useRef(path)
  useEffect(() => {
    if (lastPath.current !== undefined && lastPath.current !== path) focusContent()
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
