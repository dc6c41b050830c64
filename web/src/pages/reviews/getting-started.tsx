// Checklist of setup steps, shown while there are no reviews.
import { queryOptions, useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { ApiClient } from '../../api/api-client.ts'
import { useCodeHost } from '../../api/platform-name.ts'
import { meQuery } from '../../api/shared-queries.ts'
import { useApi } from '../../api/use-api.ts'
import { Badge } from '../../components/badge.tsx'
import { Panel } from '../../components/page.tsx'
import { ErrorAlert, Skeleton } from '../../components/page-states.tsx'
import { AppPanel } from '../settings/app-panel.tsx'
import { SetupChecks } from '../settings/setup-checks.tsx'

interface SetupProgress {
  readonly isConnected: boolean
  readonly hasModel: boolean
}

function setupProgressQuery(api: ApiClient) {
  return queryOptions({
    queryKey: ['repositories', 'progress'],
    queryFn: async ({ signal }): Promise<SetupProgress> => {
      const query = { connected: 'true', per_page: 1 } as const
      const [{ repositories }, { models }] = await Promise.all([
        api.call('listRepositories', { query }, { signal }),
        api.call('showSettings', {}, { signal }),
      ])
      return { isConnected: repositories.length > 0, hasModel: models.main !== null }
    },
  })
}

export function GettingStarted() {
  const { data: progress, error, refetch } = useQuery(setupProgressQuery(useApi()))
  if (error !== null) return <ErrorAlert error={error} onRetry={() => refetch()} />
  if (progress === undefined) return <Skeleton className="h-44 w-full" />
  return (
    <>
      <Steps {...progress} />
      <AppPanel />
      <SetupChecks />
    </>
  )
}

function Steps({ isConnected, hasModel }: SetupProgress) {
  return (
    <Panel title="No reviews yet">
      <ol className="space-y-2">
        <Step isDone={isConnected} title="Connect a repository">
          <WaysToConnect />
        </Step>
        <Step isDone={hasModel} title="Set a model">
          The operator sets <code>MODEL</code> and the key of its provider. Without a model, only
          the built-in rules review pull requests.
        </Step>
        <Step isDone={false} title="Open a pull request">
          Its review appears here automatically, usually within a minute.
        </Step>
      </ol>
    </Panel>
  )
}

function WaysToConnect() {
  const { name: platformName, apps } = useCodeHost()
  const { data: me } = useSuspenseQuery(meQuery(useApi()))
  const link = (text: string) => (
    <Link to="/repositories" className="text-accent underline">
      {text}
    </Link>
  )
  if (!apps) return <>{link('Connect it')} with your token.</>
  return me.is_admin ? (
    <>
      Create the {platformName} App below and install it (recommended), or{' '}
      {link('connect one without it')}.
    </>
  ) : (
    <>
      Ask an administrator to install the {platformName} App in it (recommended). With or without
      the App, {link('connect it')} to see its reviews.
    </>
  )
}

function Step({
  isDone,
  title,
  children,
}: {
  isDone: boolean
  title: string
  children: ReactNode
}) {
  return (
    <li className="flex items-start gap-2">
      <span className="w-12 shrink-0">
        <Badge tone={isDone ? 'good' : 'plain'}>{isDone ? 'Done' : 'To do'}</Badge>
      </span>
      <span>
        <strong className="font-medium">{title}.</strong>{' '}
        <span className="text-muted">{children}</span>
      </span>
    </li>
  )
}
