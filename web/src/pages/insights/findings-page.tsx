// Page with the findings of all pull requests and what became of them.
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { useApi } from '../../api/use-api.ts'
import { Button, buttonClass } from '../../components/button.tsx'
import { Page } from '../../components/page.tsx'
import { EmptyState, ErrorAlert, Skeleton } from '../../components/page-states.tsx'
import { FindingsFilters } from './findings-filters.tsx'
import { exportPath, findingsQuery } from './findings-queries.ts'
import type { FindingsSearch } from './findings-search.ts'
import { FindingsTable } from './findings-table.tsx'
import { InsightsNavigation } from './insights-navigation.tsx'

export function FindingsPage() {
  const filter = useSearch({ from: '/shell/insights/findings' })
  return (
    <Page title="Findings" aside={<ExportLinks filter={filter} />}>
      <InsightsNavigation repo={filter.repo} />
      <FindingsFilters filter={filter} />
      <FindingsContent filter={filter} />
    </Page>
  )
}

/** The browser sends the cookie, and saves the file while it is being read. */
function ExportLinks({ filter }: { filter: FindingsSearch }) {
  const api = useApi()
  return (
    <div className="flex items-center gap-2">
      <span id="export" className="text-muted">
        Export
      </span>
      {(['csv', 'json'] as const).map((format) => (
        <a
          key={format}
          href={exportPath(api, filter, format)}
          download
          aria-label={`Export as ${format.toUpperCase()}`}
          className={buttonClass()}
        >
          {format.toUpperCase()}
        </a>
      ))}
    </div>
  )
}

function FindingsContent({ filter }: { filter: FindingsSearch }) {
  const query = useInfiniteQuery({
    ...findingsQuery(useApi(), filter),
    placeholderData: keepPreviousData,
  })
  const rows = query.data?.pages.flatMap(({ findings }) => findings) ?? []
  if (query.isPending) return <FindingsSkeleton />
  if (query.error && rows.length === 0)
    return <ErrorAlert error={query.error} onRetry={() => query.refetch()} />
  if (rows.length === 0) return <NoFindings isFiltered={Object.keys(filter).length > 0} />
  return (
    <div
      aria-busy={query.isPlaceholderData}
      className="rounded-lg border border-line bg-surface p-3"
    >
      <FindingsTable findings={rows} />
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
    </div>
  )
}

function FindingsSkeleton() {
  return (
    <div role="status">
      <span className="sr-only">Loading findings …</span>
      {[1, 2, 3, 4, 5, 6].map((row) => (
        <Skeleton key={row} className="mb-2 h-12" />
      ))}
    </div>
  )
}

function NoFindings({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered)
    return (
      <EmptyState title="No findings match your filters">
        <Link to="/insights/findings" className="text-accent underline">
          Clear filters
        </Link>
      </EmptyState>
    )
  return (
    <EmptyState title="No findings yet">
      <Link to="/repositories" className="text-accent underline">
        Connect a repository
      </Link>{' '}
      and open a pull request in it. What its review finds is listed here, with what became of it.
    </EmptyState>
  )
}
