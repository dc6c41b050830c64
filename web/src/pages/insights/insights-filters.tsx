// Filters for the period and the repository, stored in the URL.

import { Link, useNavigate } from '@tanstack/react-router'
import { formatRepository } from '../../api/platform-name.ts'
import { Button } from '../../components/button.tsx'
import {
  defaultPeriodDays,
  type InsightsSearch,
  parseInsightsSearch,
  periodsInDays,
} from './insights-search.ts'

const periodClass = 'px-3 py-1 first:rounded-l-md last:rounded-r-md'
const selectedClass = 'bg-raised font-medium'
const unselectedClass = 'text-muted hover:text-ink'

export function InsightsFilters({
  search: { days: selectedDays = defaultPeriodDays, repo },
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
        <Button onClick={showAll} aria-label={`Clear repository filter: ${formatRepository(repo)}`}>
          {formatRepository(repo)} <span aria-hidden="true">×</span>
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
            className={`${periodClass} ${days === selectedDays ? selectedClass : unselectedClass}`}
          >
            {days} days
          </Link>
        ))}
      </nav>
    </div>
  )
}
