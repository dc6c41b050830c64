// What checks of the set-up find, for administrators: what is wrong and what to do about it, and, folded, what is fine.
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { meQuery } from '../../api/shared-queries.ts'
import { useApi } from '../../api/use-api.ts'
import { Badge, type Tone } from '../../components/badge.tsx'
import { Panel } from '../../components/page.tsx'
import { ErrorAlert, Skeleton } from '../../components/page-states.tsx'
import { Time } from '../../components/time.tsx'
import { checksQuery, type SetupCheck } from './settings-queries.ts'

/** Nothing for those who are no administrators. Let nothing stand below it: how much it has to say comes late. */
export function SetupChecks() {
  const { data: me } = useSuspenseQuery(meQuery(useApi()))
  return me.is_admin ? <Checks /> : null
}

function Checks() {
  const { data, error, refetch } = useQuery(checksQuery(useApi()))
  const age = data && (
    <span className="text-muted">
      Checked <Time at={data.checked_at} />
    </span>
  )
  return (
    <Panel title="Checks of the set-up" aside={age}>
      {error ? (
        <ErrorAlert error={error} onRetry={refetch} />
      ) : data ? (
        <CheckResults checks={data.checks} />
      ) : (
        <ChecksSkeleton />
      )}
    </Panel>
  )
}

function ChecksSkeleton() {
  return (
    <div role="status">
      <p className="mb-2 text-muted">
        Looking at everything: models and sources are asked too, which may take a while …
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
  const wrong = sorted.filter(({ state }) => state === 'problem' || state === 'warning')
  const fine = sorted.slice(wrong.length)
  const count = (state: SetupCheck['state']) => fine.filter((check) => check.state === state).length
  return (
    <>
      {wrong.length === 0 && <p>All that can be checked is fine.</p>}
      <CheckList checks={wrong} />
      {fine.length > 0 && (
        <details className="mt-3 first:mt-0">
          <summary className="text-muted">
            {count('ok')} fine{count('skipped') > 0 && `, ${count('skipped')} not checked`}
          </summary>
          <div className="mt-2">
            <CheckList checks={fine} />
          </div>
        </details>
      )}
    </>
  )
}

const stateLabels: Readonly<Record<SetupCheck['state'], readonly [Tone, string]>> = {
  problem: ['bad', 'Problem'],
  warning: ['warn', 'Warning'],
  ok: ['good', 'Fine'],
  skipped: ['plain', 'Not checked'],
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
