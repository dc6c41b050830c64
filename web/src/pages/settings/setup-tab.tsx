// What the operator has set up, as far as it is no secret.
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useApi } from '../../api/use-api.ts'
import { Badge } from '../../components/badge.tsx'
import { Panel } from '../../components/page.tsx'
import { ErrorAlert, Skeleton, Waiting } from '../../components/page-states.tsx'
import {
  type Settings,
  type SourceHealth,
  settingsQuery,
  sourcesQuery,
} from './settings-queries.ts'
import { SetupChecks } from './setup-checks.tsx'

export function SetupTab() {
  const { data: settings, error, refetch } = useQuery(settingsQuery(useApi()))
  if (error) return <ErrorAlert error={error} onRetry={refetch} />
  if (settings === undefined) return <Waiting />
  return (
    <>
      <p className="mb-4 text-muted">
        As the operator configured it, by variables of the environment.
      </p>
      <div className="grid items-start gap-x-4 lg:grid-cols-2">
        <ReviewSettings {...settings} />
        <div>
          <ServiceSettings {...settings} />
          <SourceSettings sources={settings.sources} />
        </div>
      </div>
      <SetupChecks />
    </>
  )
}

type Setting = readonly [name: string, value: ReactNode]

function SettingList({ facts }: { facts: readonly Setting[] }) {
  return (
    <dl className="grid grid-cols-[minmax(7rem,auto)_1fr] gap-x-4 gap-y-1">
      {facts.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-muted">{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

const modeLabels = {
  agentic: 'one model that looks around by itself',
  parallel: 'several reviewers side by side',
  static: 'built-in rules, without a model',
}

function ReviewSettings({ models, review, memory, graph }: Settings) {
  const {
    per_review_usd: perReview,
    per_day_usd: perDay,
    per_owner_day_usd: perOwnerDay,
  } = models.budget
  return (
    <Panel title="Reviews">
      <SettingList
        facts={[
          ['Model', describeModel(models.main, 'none: no code is shown to a model')],
          ['Fast model', describeModel(models.fast, 'none')],
          ['Embedder', describeModel(models.embedder, 'none: memories are found by their words')],
          ['Way', modeLabels[review.mode]],
          ['Budget of a review', formatBudget(perReview)],
          ['Budget of a day', formatBudget(perDay)],
          ['Budget of an owner in a day', formatBudget(perOwnerDay)],
          ['Context', `${review.context_tokens.toLocaleString('en')} tokens in one round`],
          ['Inline comments', `${review.max_inline_comments} at most`],
          ['At the same time', `${review.concurrency} in one process`],
          ['Memory', memory ? 'on' : 'off'],
          ['Code graph', graph ? 'on' : 'off'],
        ]}
      />
    </Panel>
  )
}

function describeModel(model: Settings['models']['main'], none: string): ReactNode {
  if (model === null) return none
  return (
    <>
      {model.name} {!model.priced && <Badge tone="warn">price unknown: budgets don’t hold</Badge>}
    </>
  )
}

function formatBudget(dollars: number | null): string {
  return dollars === null ? 'no limit' : `US$ ${dollars}`
}

function ServiceSettings({
  service_name,
  version,
  public_url,
  platform,
  sign_in_limited,
  mcp,
}: Settings) {
  const access = { open: 'answers everybody who reaches it', token: 'asks for a token', off: 'off' }
  return (
    <Panel title="Service">
      <SettingList
        facts={[
          ['Version', `${service_name} ${version}`],
          ['Address', public_url],
          ['Platform', `${platform.id}, ${platform.url}`],
          [
            'Sign-in',
            `${platform.oauth ? 'at the platform, or by token' : 'by token'}${sign_in_limited ? ', for some people only' : ''}`,
          ],
          [
            'Not connected',
            platform.token ? 'reviewed too, with the operator’s token' : 'not reviewed',
          ],
          ['MCP server', access[mcp.access]],
        ]}
      />
    </Panel>
  )
}

const sourceKindLabels = {
  tickets: 'tickets',
  errors: 'errors',
  discussion: 'discussions',
  other: 'other',
}

function SourceSettings({ sources }: Pick<Settings, 'sources'>) {
  const { data, error, refetch } = useQuery({
    ...sourcesQuery(useApi()),
    enabled: sources.length > 0,
  })
  const healthOf = (name: string) => data?.sources.find((source) => source.name === name)
  return (
    <Panel title="Trackers and chats">
      {sources.length === 0 && (
        <p>
          None is set up. With one, reviews know the tickets, errors and conversations that a change
          is about.
        </p>
      )}
      {error && <ErrorAlert error={error} onRetry={refetch} />}
      <ul className="space-y-1">
        {sources.map(({ name, kind }) => (
          <li key={name} className="flex flex-wrap items-center gap-x-2">
            <span className="font-medium">{name}</span>{' '}
            <span className="text-muted">{sourceKindLabels[kind]}</span>
            {!error && <SourceHealthBadge source={healthOf(name)} />}
          </li>
        ))}
      </ul>
    </Panel>
  )
}

function SourceHealthBadge({ source }: { source: SourceHealth | undefined }) {
  if (source === undefined) return <Skeleton className="h-5 w-20" />
  if (source.fault === null) return <Badge tone="good">Answers</Badge>
  return (
    <>
      <Badge tone="bad">No answer</Badge> <span>{source.fault}</span>
    </>
  )
}
