// Which directory is shown stands in the address: going into one can be taken back, and sent to somebody.
import { useNavigate } from '@tanstack/react-router'
import { directorySearch } from '../repository-search.ts'

/** Goes to a directory; `.` for the root. */
export function useOpenDirectory(): (path: string) => void {
  const navigate = useNavigate()
  return (path) => void navigate({ to: '.', search: directorySearch(path), resetScroll: false })
}
