// URL parameters of the repository page.
import { parseTabSearch, type TabSearch } from '../../components/tab-search.ts'

export interface RepositorySearch extends TabSearch {
  /** The directory of the code map; absent for the root. */
  readonly path?: string
}

export function parseRepositorySearch({ tab, path }: Record<string, unknown>): RepositorySearch {
  return {
    ...parseTabSearch({ tab }),
    ...(typeof path === 'string' && path !== '' && path !== '.' && { path }),
  }
}

/** URL parameters of the code map below a directory; `.` for the root. */
export function directorySearch(path: string): RepositorySearch {
  return { tab: 'code', ...(path !== '.' && { path }) }
}
