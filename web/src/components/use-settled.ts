// A value that changes while somebody types, taken over when they pause.
import { useEffect, useState } from 'react'

const pauseMs = 250

/** The value as it was before the last changes, until there were none for a moment. */
export function useSettled<T>(value: T): T {
  const [settled, settle] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => settle(value), pauseMs)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
