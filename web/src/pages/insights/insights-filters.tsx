// Of which days and of which repository the figures are. Both live in the address.
import { Link, useNavigate } from '@tanstack/react-router'
import { Button } from '../../components/button.tsx'
import {
  defaultPeriodDays,
  type InsightsSearch,
  parseInsightsSearch,
  periodsInDays,
} from './insights-search.ts'

export function InsightsFilters({
  search: { days: shown = defaultPeriodDays, repo },
}: {
  search: InsightsSearch
}) {
  const navigate = useNavigate({ from: '/insights' })
  const showAll = () =>
    void navigate({
      search: (now) => parseInsightsSearch({ ...now, repo: undefined }),
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
        {periodsInDays.map((days) => (
          <Link
            key={days}
            to="/insights"
            search={(now) => parseInsightsSearch({ ...now, days })}
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
