// Opens a directory of the code map through the URL, so that Back and sharing work.
import { useNavigate } from '@tanstack/react-router'
import { directorySearch } from '../repository-search.ts'

/** Returns a function that opens a directory; `.` for the root. */
export function useOpenDirectory(): (path: string) => void {
  const navigate = useNavigate()
  return (path) => void navigate({ to: '.', search: directorySearch(path), resetScroll: false })
}
