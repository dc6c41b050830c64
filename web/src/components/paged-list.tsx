// List with rows that are loaded page by page.
import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { ErrorAlert, Skeleton } from './page-states.tsx'

interface PagedListProps<Row> {
  /** The result of an infinite query. */
  readonly query: Pick<
    UseInfiniteQueryResult,
    'error' | 'isPending' | 'hasNextPage' | 'isFetchingNextPage'
  > & {
    refetch(): unknown
    fetchNextPage(): unknown
  }
  readonly rows: readonly Row[]
  readonly rowKey: (row: Row) => string
  readonly renderRow: (row: Row) => ReactNode
  /** Shown if there are no rows. */
  readonly empty: ReactNode
}

/** Shows placeholders while the first page loads. */
export function PagedList<Row>({ query, rows, rowKey, renderRow, empty }: PagedListProps<Row>) {
  if (query.isPending) return <RowSkeletons />
  if (query.error && rows.length === 0)
    return <ErrorAlert error={query.error} onRetry={() => query.refetch()} />
  if (rows.length === 0 && !query.hasNextPage) return empty
  return (
    <>
      <ul className="divide-y divide-line">
        {rows.map((row) => (
          <li key={rowKey(row)} className="py-2 first:pt-0 last:pb-0">
            {renderRow(row)}
          </li>
        ))}
      </ul>
      {query.error && <ErrorAlert error={query.error} onRetry={() => query.fetchNextPage()} />}
      {query.hasNextPage && (
        <Button
          className="mt-3"
          disabled={query.isFetchingNextPage}
          onClick={() => query.fetchNextPage()}
        >
          Show more
        </Button>
      )}
    </>
  )
}

function RowSkeletons() {
  return (
    <div role="status">
      <span className="sr-only">Loading …</span>
      {[1, 2, 3].map((row) => (
        <Skeleton key={row} className="mb-2 h-10" />
      ))}
    </div>
  )
}
