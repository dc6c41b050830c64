// Of which days and of which repository the figures are. Both live in the address.
import { Link, useNavigate } from '@tanstack/react-router'
import { Button } from '../../components/button.tsx'
import { type InsightsSearch, periods, readInsightsSearch, usualPeriod } from './insights-search.ts'

export function InsightsFilters({
  search: { days: shown = usualPeriod, repo },
}: {
  search: InsightsSearch
}) {
  const navigate = useNavigate({ from: '/insights' })
  const showAll = () =>
    void navigate({
      search: (now) => readInsightsSearch({ ...now, repo: undefined }),
      resetScroll: false,
    })
  return (
    <div className="flex flex-wrap items-center gap-2">
      {repo !== undefined && (
        <Button onClick={showAll} aria-label={`Show all repositories, not ${repo} only`}>
          {repo} <span aria-hidden="true">×</span>
        </Button>
      )}
      <nav
        aria-label="Period"
        className="flex divide-x divide-line rounded-md border border-line bg-surface"
      >
        {periods.map((days) => (
          <Link
            key={days}
            to="/insights"
            search={(now) => readInsightsSearch({ ...now, days })}
            replace
            resetScroll={false}
            activeOptions={{ exact: true, includeSearch: true }}
            className={`px-3 py-1 first:rounded-l-md last:rounded-r-md ${days === shown ? 'bg-raised font-medium' : 'text-muted hover:text-ink'}`}
          >
            {days} days
          </Link>
        ))}
      </nav>
    </div>
  )
}
