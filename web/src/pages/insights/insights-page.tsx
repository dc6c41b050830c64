// Page with outcomes of findings, and statistics about recent pull requests, reviews and cost.
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { useApi } from '../../api/use-api.ts'
import { Page } from '../../components/page.tsx'
import { EmptyState, ErrorAlert, Skeleton } from '../../components/page-states.tsx'
import { CostByModel } from './cost-by-model.tsx'
import { CostByDay, ReviewsByDay } from './daily-panels.tsx'
import { InsightsFilters } from './insights-filters.tsx'
import { InsightsNavigation } from './insights-navigation.tsx'
import { type Insights, insightsQuery } from './insights-queries.ts'
import { type InsightsSearch, parseInsightsSearch } from './insights-search.ts'
import { OpenCriticalPanel } from './open-critical-panel.tsx'
import { OutcomeCourse } from './outcome-course.tsx'
import { OutcomeFigures } from './outcome-figures.tsx'
import {
  ConfidencePanel,
  ReviewCoveragePanel,
  SeveritiesPanel,
  VerdictsPanel,
} from './outcome-panels.tsx'
import { PercentilePanel } from './percentile-panel.tsx'
import { AuthorsPanel, RepositoriesPanel } from './repository-and-author-panels.tsx'
import { DismissalsPanel, MergedFindingsPanel, RulesPanel } from './rule-outcomes.tsx'

export function InsightsPage() {
  const search = useSearch({ from: '/shell/insights' })
  return (
    <Page title="Insights" aside={<InsightsFilters search={search} />}>
      <InsightsNavigation repo={search.repo} />
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
    <div aria-busy={isPlaceholderData}>
      <InsightsPanels insights={data} repo={search.repo} />
    </div>
  )
}

const twoColumnClass = 'grid gap-x-4 lg:grid-cols-2'

function InsightsPanels({ insights, repo }: { insights: Insights; repo: string | undefined }) {
  const { outcomes, outcome, reviewing } = insights
  const hasCost = usedModels(reviewing)
  return (
    <>
      <OutcomeFigures outcomes={outcomes} />
      <OutcomeCourse parts={outcomes.parts} />
      <OpenCriticalPanel outcomes={outcomes} />
      <div className={twoColumnClass}>
        <MergedFindingsPanel outcomes={outcomes} repo={repo} />
        <DismissalsPanel outcomes={outcomes} repo={repo} />
      </div>
      <RulesPanel outcomes={outcomes} repo={repo} />
      <div className={twoColumnClass}>
        <ReviewsByDay reviewing={reviewing} />
        {hasCost && <CostByDay reviewing={reviewing} />}
        <ReviewCoveragePanel reviewing={reviewing} />
        <VerdictsPanel outcome={outcome} />
        {hasCost && <ConfidencePanel outcome={outcome} />}
        <SeveritiesPanel outcome={outcome} />
      </div>
      <PercentilePanel insights={insights} hasCost={hasCost} />
      {hasCost && <CostByModel reviewing={reviewing} />}
      <div className={outcome.repos.length > 1 ? twoColumnClass : ''}>
        {outcome.repos.length > 1 && <RepositoriesPanel outcome={outcome} />}
        <AuthorsPanel outcome={outcome} />
      </div>
    </>
  )
}

/** Without a model there is no cost to show, and confidence says nothing. */
function usedModels({ cost }: Insights['reviewing']): boolean {
  return cost.models.length > 0 || (cost.outside_usd ?? 0) > 0
}

/** Heights of the first panels, on narrow and wide screens. */
const skeletonHeights = ['h-52 lg:h-48', 'h-98 lg:h-48', 'h-84 lg:h-73', 'h-63 lg:h-73']

/** Has the height of the panels, so that the layout does not shift. */
function InsightsSkeleton() {
  return (
    <div role="status">
      <span className="sr-only">Loading insights …</span>
      <div className="mb-4 grid gap-3 sm:grid-cols-2 lg:grid-cols-4 lg:gap-4">
        {['a', 'b', 'c', 'd'].map((key) => (
          <Skeleton key={key} className="h-44" />
        ))}
      </div>
      <div className={twoColumnClass}>
        {skeletonHeights.map((height, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list is constant
          <Skeleton key={index} className={`mb-4 ${height}`} />
        ))}
      </div>
    </div>
  )
}

function NoInsights({ days, search }: { days: number; search: InsightsSearch }) {
  const links = [
    days < 90 && (
      <InsightsLink key="days" search={{ ...search, days: 90 }} label="Show the last 90 days" />
    ),
    search.repo && (
      <InsightsLink key="repo" search={{ ...search, repo: '' }} label="Show all repositories" />
    ),
  ].filter(Boolean)
  return (
    <EmptyState
      title={`No reviews${search.repo ? ` in ${search.repo}` : ''} in the last ${days} days`}
    >
      <p>
        To get insights,{' '}
        <Link to="/repositories" className="text-accent underline">
          connect a repository
        </Link>{' '}
        and open a pull request in it.
      </p>
      {links.length > 0 && <p className="mt-2 flex flex-wrap justify-center gap-x-4">{links}</p>}
    </EmptyState>
  )
}

function InsightsLink({ search, label }: { search: InsightsSearch; label: string }) {
  return (
    <Link
      to="/insights"
      search={parseInsightsSearch({ ...search })}
      className="text-accent underline"
    >
      {label}
    </Link>
  )
}
