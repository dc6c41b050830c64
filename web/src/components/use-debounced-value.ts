// A value that changes while somebody types, taken over when they pause.
import { useEffect, useState } from 'react'

const debounceMs = 250

/** The value as it was before the last changes, until there were none for a moment. */
export function useDebouncedValue<T>(value: T): T {
  const [settled, settle] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => settle(value), debounceMs)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
