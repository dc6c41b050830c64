// Results of the setup checks, for administrators: problems first, passed checks collapsed.
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { meQuery } from '../../api/shared-queries.ts'
import { useApi } from '../../api/use-api.ts'
import { Badge, type Tone } from '../../components/badge.tsx'
import { Panel } from '../../components/page.tsx'
import { ErrorAlert, Skeleton } from '../../components/page-states.tsx'
import { Time } from '../../components/time.tsx'
import { checksQuery, type SetupCheck } from './settings-queries.ts'

/** Place it last on a page: its height changes when the results arrive. */
export function SetupChecks() {
  const { data: me } = useSuspenseQuery(meQuery(useApi()))
  return me.is_admin ? <Checks /> : null
}

function Checks() {
  const { data, error, refetch } = useQuery(checksQuery(useApi()))
  const checkedAt = data && (
    <span className="text-muted">
      Checked <Time at={data.checked_at} />
    </span>
  )
  return (
    <Panel title="Setup checks" aside={checkedAt}>
      {error && <ErrorAlert error={error} onRetry={refetch} />}
      {!error && data && <CheckResults checks={data.checks} />}
      {!error && !data && <ChecksSkeleton />}
    </Panel>
  )
}

function ChecksSkeleton() {
  return (
    <div role="status">
      <p className="mb-2 text-muted">
        Running checks of models, sources and code hosts. This can take a while …
      </p>
      <Skeleton className="h-24" />
    </div>
  )
}

const stateOrder: readonly SetupCheck['state'][] = ['problem', 'warning', 'ok', 'skipped']

function CheckResults({ checks }: { checks: readonly SetupCheck[] }) {
  const sorted = checks.toSorted(
    (a, b) => stateOrder.indexOf(a.state) - stateOrder.indexOf(b.state),
  )
  const failed = sorted.filter(({ state }) => state === 'problem' || state === 'warning')
  const passed = sorted.slice(failed.length)
  const count = (state: SetupCheck['state']) =>
    passed.filter((check) => check.state === state).length
  return (
    <>
      {failed.length === 0 && <p>All checks passed.</p>}
      <CheckList checks={failed} />
      {passed.length > 0 && (
        <details className="mt-3 first:mt-0">
          <summary className="text-muted">
            {count('ok')} passed{count('skipped') > 0 && `, ${count('skipped')} skipped`}
          </summary>
          <div className="mt-2">
            <CheckList checks={passed} />
          </div>
        </details>
      )}
    </>
  )
}

const stateLabels: Readonly<Record<SetupCheck['state'], readonly [Tone, string]>> = {
  problem: ['bad', 'Problem'],
  warning: ['warn', 'Warning'],
  ok: ['good', 'Passed'],
  skipped: ['plain', 'Skipped'],
}

function CheckList({ checks }: { checks: readonly SetupCheck[] }) {
  return (
    <ul className="divide-y divide-line">
      {checks.map(({ name, state, message, remedy }) => (
        <li
          key={`${name} ${message}`}
          className="grid gap-x-3 py-2 first:pt-0 last:pb-0 sm:grid-cols-[6rem_9rem_1fr]"
        >
          <span>
            <Badge tone={stateLabels[state][0]}>{stateLabels[state][1]}</Badge>
          </span>
          <span className="font-medium">{name}</span>
          <span>
            {message}
            {remedy !== null && <span className="block text-muted">{remedy}</span>}
          </span>
        </li>
      ))}
    </ul>
  )
}
