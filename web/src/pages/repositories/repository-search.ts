// Which part of a repository is shown, as the address has it.
import { readTabSearch, type TabSearch } from '../../components/tab-search.ts'

export interface RepositorySearch extends TabSearch {
  /** The directory whose code is shown; none for the root. */
  readonly path?: string
}

/** Reads what an address says. */
export function readRepositorySearch({ tab, path }: Record<string, unknown>): RepositorySearch {
  return {
    ...readTabSearch({ tab }),
    ...(typeof path === 'string' && path !== '' && path !== '.' && { path }),
  }
}

/** The address of what is below a directory; `.` for the root. */
export function showDirectory(path: string): RepositorySearch {
  return { tab: 'code', ...(path !== '.' && { path }) }
}
