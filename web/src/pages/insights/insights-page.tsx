// What came of the pull requests of the last days, how their reviewing went, and what it cost.
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { useApi } from '../../api/use-api.ts'
import { Page } from '../../components/page.tsx'
import { Empty, Failure, Skeleton } from '../../components/states.tsx'
import { CostByModel } from './cost-figures.tsx'
import { CostByDay, ReviewsByDay } from './course.tsx'
import { Authors, Repositories } from './group-figures.tsx'
import { Headlines } from './headlines.tsx'
import { InsightsFilters } from './insights-filters.tsx'
import { type InsightsSearch, readInsightsSearch } from './insights-search.ts'
import { Confidence, Coverage, Severities, Verdicts } from './outcome-figures.tsx'
import { type Insights, insightsQuery } from './queries.ts'
import { Spreads } from './spreads.tsx'

export function InsightsPage() {
  const search = useSearch({ from: '/shell/insights' })
  return (
    <Page title="Insights" aside={<InsightsFilters search={search} />}>
      <Figures search={search} />
    </Page>
  )
}

function Figures({ search }: { search: InsightsSearch }) {
  const query = insightsQuery(useApi(), search)
  const { data, error, refetch, isPlaceholderData } = useQuery({
    ...query,
    placeholderData: keepPreviousData,
  })
  if (error !== null && data === undefined)
    return <Failure error={error} onRetry={() => refetch()} />
  if (data === undefined) return <WaitingFigures />
  const { coverage, reviews, period } = data.reviewing
  const isEmpty = coverage.pull_requests + reviews.posted + reviews.failed + reviews.skipped === 0
  if (isEmpty) return <NoFigures days={period.days} search={search} />
  return (
    // What is shown may still be of the days before.
    <div aria-busy={isPlaceholderData}>
      <AllFigures insights={data} />
    </div>
  )
}

const pairs = 'grid gap-x-4 lg:grid-cols-2'

function AllFigures({ insights }: { insights: Insights }) {
  const { outcome, reviewing } = insights
  return (
    <>
      <Headlines insights={insights} />
      <div className={pairs}>
        <ReviewsByDay reviewing={reviewing} />
        <CostByDay reviewing={reviewing} />
        <Coverage reviewing={reviewing} />
        <Verdicts outcome={outcome} />
        <Confidence outcome={outcome} />
        <Severities outcome={outcome} />
      </div>
      <Spreads insights={insights} />
      <CostByModel reviewing={reviewing} />
      <div className={pairs}>
        <Repositories outcome={outcome} />
        <Authors outcome={outcome} />
      </div>
    </>
  )
}

/** Of the panels that are seen first, on a phone and on a screen. */
const heights = [
  'h-98 lg:h-85',
  'h-88 lg:h-85',
  'h-84 lg:h-73',
  'h-63 lg:h-73',
  'h-74 lg:h-67',
  'h-52 lg:h-67',
]

/** As high as the figures are going to be. */
function WaitingFigures() {
  return (
    <div role="status">
      <span className="sr-only">Loading the insights …</span>
      <div className="mb-4 grid grid-cols-2 gap-3 lg:grid-cols-4 lg:gap-4">
        {['a', 'b', 'c', 'd'].map((key) => (
          <Skeleton key={key} className="h-31 lg:h-28" />
        ))}
      </div>
      <div className={pairs}>
        {heights.map((height, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they never change
          <Skeleton key={index} className={`mb-4 ${height}`} />
        ))}
      </div>
    </div>
  )
}

function NoFigures({ days, search }: { days: number; search: InsightsSearch }) {
  const wider = [
    days < 90 && (
      <ToInsights key="days" search={{ ...search, days: 90 }} words="Look at the last 90 days" />
    ),
    search.repo && (
      <ToInsights key="repo" search={{ ...search, repo: '' }} words="Look at all repositories" />
    ),
  ].filter(Boolean)
  return (
    <Empty
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
    </Empty>
  )
}

function ToInsights({ search, words }: { search: InsightsSearch; words: string }) {
  return (
    <Link
      to="/insights"
      search={readInsightsSearch({ ...search })}
      className="text-accent underline"
    >
      {words}
    </Link>
  )
}
