// Which part of a repository is shown, as the address has it.
import { parseTabSearch, type TabSearch } from '../../components/tab-search.ts'

export interface RepositorySearch extends TabSearch {
  /** The directory whose code is shown; none for the root. */
  readonly path?: string
}

/** Reads what an address says. */
export function parseRepositorySearch({ tab, path }: Record<string, unknown>): RepositorySearch {
  return {
    ...parseTabSearch({ tab }),
    ...(typeof path === 'string' && path !== '' && path !== '.' && { path }),
  }
}

/** The address of what is below a directory; `.` for the root. */
export function directorySearch(path: string): RepositorySearch {
  return { tab: 'code', ...(path !== '.' && { path }) }
}
