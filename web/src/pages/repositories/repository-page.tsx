// Page of one repository: overview, scan status, project map, memories, code, people and settings.

import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { toHostPath } from '../../../../src/contract/repository-name.ts'
import { ApiError } from '../../api/api-error.ts'
import {
  formatRepository,
  useCodeHost,
  usePlatformName,
  useRepositoryName,
} from '../../api/platform-name.ts'
import { useApi } from '../../api/use-api.ts'
import { buttonClass } from '../../components/button.tsx'
import { Page } from '../../components/page.tsx'
import { EmptyState, ErrorAlert } from '../../components/page-states.tsx'
import { PageTabs } from '../../components/page-tabs.tsx'
import { CodeTab } from './code-tab.tsx'
import { DisconnectButton } from './disconnect-button.tsx'
import { MemoriesTab } from './memories-tab.tsx'
import { OverviewTab } from './overview-tab.tsx'
import { PeopleTab } from './people-tab.tsx'
import { ProjectMapTab } from './project-map-tab.tsx'
import { scanQuery } from './repository-queries.ts'
import { RescanButton, ScanStatus } from './scan-status.tsx'
import { SettingsTab } from './settings-tab.tsx'

export function RepositoryPage() {
  const { owner, repo: name } = useParams({ from: '/shell/repositories/$owner/$repo' })
  const repo = useRepositoryName(owner, name)
  const { error, refetch } = useQuery(scanQuery(useApi(), repo))
  return (
    <Page title={formatRepository(repo)} aside={!error && <Actions repo={repo} />}>
      {error ? <RepositoryError error={error} onRetry={refetch} /> : <RepositoryTabs repo={repo} />}
    </Page>
  )
}

function Actions({ repo }: { repo: string }) {
  const host = useCodeHost(repo)
  const navigate = useNavigate()
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Link to="/reviews" search={{ tab: 'all', repo }} className={buttonClass()}>
        Reviews
      </Link>
      <Link to="/deliveries" search={{ repo }} className={buttonClass()}>
        Deliveries
      </Link>
      <a
        href={`${host.url}/${toHostPath(repo)}`}
        target="_blank"
        rel="noreferrer nofollow"
        className={buttonClass()}
      >
        Open on {host.name}
      </a>
      <RescanButton repo={repo} />
      <DisconnectButton repo={repo} onDone={() => void navigate({ to: '/repositories' })} />
    </div>
  )
}

function RepositoryTabs({ repo }: { repo: string }) {
  return (
    <>
      <div className="mb-4">
        <ScanStatus repo={repo} />
      </div>
      <PageTabs
        label={`Tabs of ${formatRepository(repo)}`}
        tabs={[
          { id: 'overview', name: 'Overview', render: () => <OverviewTab repo={repo} /> },
          { id: 'map', name: 'Project map', render: () => <ProjectMapTab repo={repo} /> },
          { id: 'memories', name: 'Memories', render: () => <MemoriesTab repo={repo} /> },
          { id: 'code', name: 'Code', render: () => <CodeTab repo={repo} /> },
          { id: 'people', name: 'People', render: () => <PeopleTab repo={repo} /> },
          { id: 'settings', name: 'Settings', render: () => <SettingsTab repo={repo} /> },
        ]}
      />
    </>
  )
}

function RepositoryError({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const platformName = usePlatformName()
  if (!(error instanceof ApiError && (error.status === 403 || error.status === 400))) {
    return <ErrorAlert error={error} onRetry={onRetry} />
  }
  return (
    <EmptyState title="This repository is not connected to your account">
      If you administer it on {platformName}, connect it under{' '}
      <Link to="/repositories" className="text-accent underline">
        Repositories
      </Link>
      .
    </EmptyState>
  )
}
