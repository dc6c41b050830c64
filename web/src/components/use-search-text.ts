// The text of a search field that is part of the URL.
import { useEffect, useRef, useState } from 'react'
import { useDebouncedValue } from './use-debounced-value.ts'

/**
 * Updates the URL when the user stops typing, and follows other changes of the URL.
 *
 * @param search the text of the URL
 */
export function useSearchText(
  search: string,
  onSearch: (search: string) => void,
): [typed: string, setTyped: (typed: string) => void] {
  const [typed, setTyped] = useState(search)
  const lastSearch = useRef(search)
  const settled = useDebouncedValue(typed)
  useEffect(() => {
    if (settled === lastSearch.current) return
    lastSearch.current = settled
    onSearch(settled)
  }, [settled, onSearch])
  useEffect(() => {
    if (search === lastSearch.current) return
    lastSearch.current = search
    setTyped(search)
  }, [search])
  return [typed, setTyped]
}
