// Overview of a repository: whether reviews work, the last reviews, settings and risk.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useApi } from '../../api/use-api.ts'
import { DataTable } from '../../components/data-table.tsx'
import { Panel } from '../../components/page.tsx'
import { ErrorAlert, Skeleton } from '../../components/page-states.tsx'
import { ReviewResult } from '../../components/review-result.tsx'
import { Time } from '../../components/time.tsx'
import { describeSetting, nameSetting } from './describe-setting.ts'
import { HealthIcon } from './health-icon.tsx'
import {
  type RepositoryHealth,
  recentReviewsQuery,
  repositoryHealthQuery,
  repositorySettingsQuery,
} from './repository-queries.ts'
import { nameFile } from './settings-table.tsx'

export function OverviewTab({ repo }: { repo: string }) {
  return (
    <div className="grid gap-x-4 lg:grid-cols-2">
      <HealthPanel repo={repo} />
      <RecentReviews repo={repo} />
      <SettingsPanel repo={repo} />
      <RiskPanel repo={repo} />
    </div>
  )
}

const checkNames: Readonly<Record<RepositoryHealth['checks'][number]['name'], string>> = {
  deliveries: 'Deliveries',
  token: 'Reviewer',
  reviews: 'Reviews',
  scan: 'Scan',
}

function HealthPanel({ repo }: { repo: string }) {
  const { data, error, refetch } = useQuery(repositoryHealthQuery(useApi(), repo))
  return (
    <Panel title="Health">
      {error && <ErrorAlert error={error} onRetry={refetch} />}
      {!error && data === undefined && <Skeleton className="h-44" />}
      {data && (
        <ul className="min-h-44 divide-y divide-line">
          {data.checks.map(({ name, state, message, remedy }) => (
            <li key={name} className="grid gap-x-3 py-2 first:pt-0 sm:grid-cols-[9rem_1fr]">
              <span className="flex items-center gap-1.5 self-start font-medium">
                <HealthIcon state={state} />
                {checkNames[name]}
              </span>
              <span>
                {message}
                {name === 'deliveries' && data.last_delivery_at !== null && (
                  <span className="text-muted">
                    {' '}
                    <Time at={data.last_delivery_at} />
                  </span>
                )}
                {remedy !== null && <span className="block text-muted">{remedy}</span>}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}

function RecentReviews({ repo }: { repo: string }) {
  const { data, error, refetch } = useQuery(recentReviewsQuery(useApi(), repo))
  const all = (
    <Link to="/reviews" search={{ tab: 'all', repo }} className="text-accent hover:underline">
      All reviews
    </Link>
  )
  return (
    <Panel title="Last reviews" aside={all}>
      {error && <ErrorAlert error={error} onRetry={refetch} />}
      {!error && data === undefined && <Skeleton className="h-44" />}
      {data && (
        <ul className="min-h-44 divide-y divide-line">
          {data.entries.length === 0 && <li>No pull request was reviewed yet.</li>}
          {data.entries.map((review) => (
            <li
              key={review.id}
              className="flex flex-wrap items-start justify-between gap-x-3 py-2 first:pt-0"
            >
              <span className="min-w-0">
                <Link
                  to="/reviews/$id"
                  params={{ id: String(review.id) }}
                  className="font-medium hover:text-accent hover:underline"
                >
                  {review.pr_title || `Pull request ${review.pr_number}`}
                </Link>{' '}
                <span className="text-muted">
                  #{review.pr_number}, <Time at={review.processed_at ?? review.created_at} />
                </span>
              </span>
              <ReviewResult review={review} />
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}

function SettingsPanel({ repo }: { repo: string }) {
  const { data, error, refetch } = useQuery(repositorySettingsQuery(useApi(), repo))
  return (
    <Panel title="Settings in force">
      {error && <ErrorAlert error={error} onRetry={refetch} />}
      {!error && data === undefined && <Skeleton className="h-40" />}
      {data && (
        <div className="min-h-40 space-y-2">
          {data.files.length === 0 && (
            <p>No settings file: the defaults apply, and all rules are on.</p>
          )}
          <ul className="space-y-1">
            {data.files.map(({ problem_count: problems, ...file }) => (
              <li key={nameFile(file)} className="flex flex-wrap items-center gap-x-2">
                <HealthIcon state={problems === 0 ? 'ok' : 'warning'} />
                <code>{nameFile(file)}</code>
                <span className="text-muted">
                  {problems === 0
                    ? 'is valid'
                    : `has ${problems} problem${problems === 1 ? '' : 's'}`}
                </span>
              </li>
            ))}
          </ul>
          <dl className="grid grid-cols-[minmax(8rem,auto)_1fr] gap-x-4 gap-y-1">
            {data.settings
              .filter(({ directory, file }) => directory === '' && file !== null)
              .slice(0, 8)
              .map((setting) => (
                <div key={`${setting.key} ${setting.text}`} className="contents">
                  <dt className="text-muted">{nameSetting(setting.key)}</dt>
                  <dd className="line-clamp-3">{describeSetting(setting)}</dd>
                </div>
              ))}
          </dl>
          <Link to="." search={{ tab: 'settings' }} className="text-accent hover:underline">
            All settings
          </Link>
        </div>
      )}
    </Panel>
  )
}

export function RiskPanel({ repo }: { repo: string }) {
  const { data } = useQuery(repositoryHealthQuery(useApi(), repo))
  return (
    <Panel title="Most findings">
      <p className="mb-2 text-muted">
        Files with the most findings per pull request that changed them. Dismissed findings do not
        count.
      </p>
      {data === undefined && <Skeleton className="h-24" />}
      {data?.risk.length === 0 && <p>No findings yet.</p>}
      {data && data.risk.length > 0 && (
        <DataTable
          caption="Most findings"
          rows={data.risk.slice(0, 10)}
          rowKey={({ path }) => path}
          columns={[
            { name: 'File', render: ({ path }) => <FileLink repo={repo} path={path} /> },
            { name: 'Findings', isNumber: true, render: ({ findings }) => findings },
            { name: 'Pull requests', isNumber: true, render: (file) => file.pull_requests },
          ]}
        />
      )}
    </Panel>
  )
}

/** Leads to the findings of the file. */
function FileLink({ repo, path }: { repo: string; path: string }) {
  return (
    <Link
      to="/insights/findings"
      search={{ repo, search: path }}
      className="text-accent hover:underline"
    >
      <code>{path}</code>
    </Link>
  )
}
