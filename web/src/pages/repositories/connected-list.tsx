// List of repositories that are connected to the account of the user.

import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { formatRepository } from '../../api/platform-name.ts'
import { useApi } from '../../api/use-api.ts'
import { EmptyState } from '../../components/page-states.tsx'
import { PagedList } from '../../components/paged-list.tsx'
import { RotateSecretButton } from '../../components/rotate-secret-button.tsx'
import { DisconnectButton } from './disconnect-button.tsx'
import { HealthIcon } from './health-icon.tsx'
import { type Repository, repositoriesQuery, splitName } from './repository-queries.ts'
import { RescanButton, ScanStatus } from './scan-status.tsx'

export function ConnectedList() {
  const query = useInfiniteQuery(repositoriesQuery(useApi(), { connected: true, search: '' }))
  const rows = query.data?.pages.flatMap(({ repositories }) => repositories) ?? []
  return (
    <PagedList
      query={query}
      rows={rows}
      rowKey={({ repo }) => repo}
      renderRow={(repository) => <ConnectedRow {...repository} />}
      empty={
        <EmptyState title="No connected repositories">
          Connect a repository below. Umpire scans it and reviews its new pull requests.
        </EmptyState>
      }
    />
  )
}

function ConnectedRow({ repo, has_webhook: hasWebhook, health }: Repository) {
  const api = useApi()
  const [owner = '', name = ''] = repo.split('/')
  return (
    <div className="flex flex-wrap items-center justify-between gap-2">
      <div className="min-w-0">
        <Link
          to="/repositories/$owner/$repo"
          params={{ owner, repo: name }}
          className="font-medium hover:underline"
        >
          {formatRepository(repo)}
        </Link>
        <div className="flex flex-wrap items-center gap-x-3">
          {health && <HealthIcon state={health.state} words />}
          <ScanStatus repo={repo} />
        </div>
        {health && health.messages.length > 0 && (
          <p className="text-muted">{health.messages.join(' ')}</p>
        )}
      </div>
      <div className="flex flex-wrap items-center gap-2">
        <RescanButton repo={repo} />
        {hasWebhook && (
          <RotateSecretButton
            subject={formatRepository(repo)}
            rotate={(body) => api.call('rotateWebhookSecret', { params: splitName(repo), body })}
          />
        )}
        <DisconnectButton repo={repo} />
      </div>
    </div>
  )
}
