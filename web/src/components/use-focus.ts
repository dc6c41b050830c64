// Where the keyboard is after what it was on has gone.
import { useRouterState } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'

/** To the content of the page, from where one goes on. */
function focusContent(): void {
  document.getElementById('main')?.focus({ preventScroll: true })
}

/** Moves it to the content when another page is shown: what was followed is not there any more. */
export function useFocusOnNavigation(): void {
  const path = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname })
  const last = useRef(path)
  useEffect(() => {
    if (last.current !== undefined && last.current !== path) focusContent()
    last.current = path
  }, [path])
}

/** Moves it to the content when what uses this goes away and the keyboard was in there, also in a dialog of it. */
export function useFocusOnUnmount(): void {
  useEffect(
    () => () => {
      // By then it is on nothing, if it was in there.
      requestAnimationFrame(() => {
        if (document.activeElement === document.body) focusContent()
      })
    },
    [],
  )
}
