// Hook for keys that do something anywhere on a page.
import { useEffect, useRef } from 'react'

/** What to do for each key, by `KeyboardEvent.key`. */
export type KeyActions = Readonly<Record<string, () => void>>

/** Keys with Ctrl, Alt or Meta belong to the browser, and keys in a field or dialog to these. */
export function useKeys(actions: KeyActions): void {
  const latest = useRef(actions)
  latest.current = actions
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const action = latest.current[event.key]
      if (action === undefined || isForOthers(event)) return
      event.preventDefault()
      action()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [])
}

const ownKeys = 'input, textarea, select, dialog, [role=menu], [role=dialog], [role=alertdialog]'

function isForOthers({ ctrlKey, metaKey, altKey, defaultPrevented, target }: KeyboardEvent) {
  const isOwned = target instanceof HTMLElement && target.closest(ownKeys) !== null
  return ctrlKey || metaKey || altKey || defaultPrevented || isOwned
}
