// What came of the pull requests of the last days, how their reviewing went, and what it cost.
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { useApi } from '../../api/use-api.ts'
import { Page } from '../../components/page.tsx'
import { EmptyState, ErrorAlert, Skeleton } from '../../components/page-states.tsx'
import { CostByModel } from './cost-by-model.tsx'
import { CostByDay, ReviewsByDay } from './daily-panels.tsx'
import { InsightsFilters } from './insights-filters.tsx'
import { type Insights, insightsQuery } from './insights-queries.ts'
import { type InsightsSearch, parseInsightsSearch } from './insights-search.ts'
import { KeyMetrics } from './key-metrics.tsx'
import {
  ConfidencePanel,
  ReviewCoveragePanel,
  SeveritiesPanel,
  VerdictsPanel,
} from './outcome-panels.tsx'
import { PercentilePanel } from './percentile-panel.tsx'
import { AuthorsPanel, RepositoriesPanel } from './repository-and-author-panels.tsx'

export function InsightsPage() {
  const search = useSearch({ from: '/shell/insights' })
  return (
    <Page title="Insights" aside={<InsightsFilters search={search} />}>
      <InsightsContent search={search} />
    </Page>
  )
}

function InsightsContent({ search }: { search: InsightsSearch }) {
  const query = insightsQuery(useApi(), search)
  const { data, error, refetch, isPlaceholderData } = useQuery({
    ...query,
    placeholderData: keepPreviousData,
  })
  if (error !== null && data === undefined)
    return <ErrorAlert error={error} onRetry={() => refetch()} />
  if (data === undefined) return <InsightsSkeleton />
  const { coverage, reviews, period } = data.reviewing
  const isEmpty = coverage.pull_requests + reviews.posted + reviews.failed + reviews.skipped === 0
  if (isEmpty) return <NoInsights days={period.days} search={search} />
  return (
    // What is shown may still be of the days before.
    <div aria-busy={isPlaceholderData}>
      <InsightsPanels insights={data} />
    </div>
  )
}

const twoColumnClass = 'grid gap-x-4 lg:grid-cols-2'

function InsightsPanels({ insights }: { insights: Insights }) {
  const { outcome, reviewing } = insights
  return (
    <>
      <KeyMetrics insights={insights} />
      <div className={twoColumnClass}>
        <ReviewsByDay reviewing={reviewing} />
        <CostByDay reviewing={reviewing} />
        <ReviewCoveragePanel reviewing={reviewing} />
        <VerdictsPanel outcome={outcome} />
        <ConfidencePanel outcome={outcome} />
        <SeveritiesPanel outcome={outcome} />
      </div>
      <PercentilePanel insights={insights} />
      <CostByModel reviewing={reviewing} />
      <div className={twoColumnClass}>
        <RepositoriesPanel outcome={outcome} />
        <AuthorsPanel outcome={outcome} />
      </div>
    </>
  )
}

/** Of the panels that are seen first, on a phone and on a screen. */
const skeletonHeights = [
  'h-98 lg:h-85',
  'h-88 lg:h-85',
  'h-84 lg:h-73',
  'h-63 lg:h-73',
  'h-74 lg:h-67',
  'h-52 lg:h-67',
]

/** As high as the figures are going to be. */
function InsightsSkeleton() {
  return (
    <div role="status">
      <span className="sr-only">Loading the insights …</span>
      <div className="mb-4 grid grid-cols-2 gap-3 lg:grid-cols-4 lg:gap-4">
        {['a', 'b', 'c', 'd'].map((key) => (
          <Skeleton key={key} className="h-31 lg:h-28" />
        ))}
      </div>
      <div className={twoColumnClass}>
        {skeletonHeights.map((height, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they never change
          <Skeleton key={index} className={`mb-4 ${height}`} />
        ))}
      </div>
    </div>
  )
}

function NoInsights({ days, search }: { days: number; search: InsightsSearch }) {
  const wider = [
    days < 90 && (
      <InsightsLink key="days" search={{ ...search, days: 90 }} words="Look at the last 90 days" />
    ),
    search.repo && (
      <InsightsLink key="repo" search={{ ...search, repo: '' }} words="Look at all repositories" />
    ),
  ].filter(Boolean)
  return (
    <EmptyState
      title={`No pull request${search.repo ? ` of ${search.repo}` : ''} was reviewed in these ${days} days`}
    >
      <p>
        Figures come with the first review:{' '}
        <Link to="/repositories" className="text-accent underline">
          connect a repository
        </Link>
        , and open a pull request in it.
      </p>
      {wider.length > 0 && <p className="mt-2 flex flex-wrap justify-center gap-x-4">{wider}</p>}
    </EmptyState>
  )
}

function InsightsLink({ search, words }: { search: InsightsSearch; words: string }) {
  return (
    <Link
      to="/insights"
      search={parseInsightsSearch({ ...search })}
      className="text-accent underline"
    >
      {words}
    </Link>
  )
}
