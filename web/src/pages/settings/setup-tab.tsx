// Configuration of the service without its secrets.
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useApi } from '../../api/use-api.ts'
import { Badge } from '../../components/badge.tsx'
import { Panel } from '../../components/page.tsx'
import { ErrorAlert, Skeleton, Waiting } from '../../components/page-states.tsx'
import { AppPanel } from './app-panel.tsx'
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
        The operator configures these settings with environment variables.
      </p>
      <div className="grid items-start gap-x-4 lg:grid-cols-2">
        <ReviewSettings {...settings} />
        <div>
          <ServiceSettings {...settings} />
          <SourceSettings sources={settings.sources} />
        </div>
      </div>
      <AppPanel />
      <SetupChecks />
    </>
  )
}

type Setting = readonly [name: string, value: ReactNode]

function SettingList({ settings }: { settings: readonly Setting[] }) {
  return (
    <dl className="grid grid-cols-[minmax(7rem,auto)_1fr] gap-x-4 gap-y-1">
      {settings.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-muted">{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

const modeLabels = {
  agentic: 'agentic: one model explores the code',
  parallel: 'parallel: several reviewers at once',
  static: 'static: built-in rules, no model',
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
        settings={[
          ['Model', describeModel(models.main, 'none: no code is sent to a model')],
          ['Fast model', describeModel(models.fast, 'none')],
          [
            'Embedder',
            describeModel(models.embedder, 'none: memories are found by keyword search'),
          ],
          ['Mode', modeLabels[review.mode]],
          ['Budget per review', formatBudget(perReview)],
          ['Budget per day', formatBudget(perDay)],
          ['Budget per owner and day', formatBudget(perOwnerDay)],
          ['Context', `${review.context_tokens.toLocaleString('en')} tokens per request`],
          ['Inline comments', `at most ${review.max_inline_comments}`],
          ['Concurrency', `${review.concurrency} per process`],
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
      {model.name}{' '}
      {!model.priced && <Badge tone="warn">price unknown: budgets are not enforced</Badge>}
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
  further_platforms: furtherPlatforms,
  sign_in_limited,
  mcp,
}: Settings) {
  const signIn = platform.oauth
    ? `${platform.name} or personal access token`
    : 'personal access token'
  const accessLabels = { open: 'open, no token required', token: 'token required', off: 'off' }
  return (
    <Panel title="Service">
      <SettingList
        settings={[
          ['Version', `${service_name} ${version}`],
          ['URL', public_url],
          ['Platform', `${platform.name}, ${platform.url}`],
          ...furtherPlatforms.map(({ id, name, url }): [string, string] => [
            `Platform ${id}`,
            `${name}, ${url}`,
          ]),
          ['Sign-in', sign_in_limited ? `${signIn}, restricted` : signIn],
          [
            'Unconnected repositories',
            platform.token ? 'reviewed with the operator’s token' : 'not reviewed',
          ],
          ['MCP server', accessLabels[mcp.access]],
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
          No sources are configured. Reviews use them to find the tickets, errors and discussions
          that a change refers to.
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
  if (source.fault === null) return <Badge tone="good">Connected</Badge>
  return (
    <>
      <Badge tone="bad">Unreachable</Badge> <span>{source.fault}</span>
    </>
  )
}
