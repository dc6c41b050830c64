// Hook that delays a value while the user types.
import { useEffect, useState } from 'react'

const debounceMs = 250

/** Returns the value after it has not changed for a short time. */
export function useDebouncedValue<T>(value: T): T {
  const [debounced, setDebounced] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), debounceMs)
    return () => clearTimeout(timer)
  }, [value])
  return debounced
}
