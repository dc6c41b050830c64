// List of repositories that the user administers and can connect.
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { formatRepository, usePlatformName } from '../../api/platform-name.ts'
import { useApi } from '../../api/use-api.ts'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/field.tsx'
import { EmptyState, ErrorAlert } from '../../components/page-states.tsx'
import { PagedList } from '../../components/paged-list.tsx'
import { useDebouncedValue } from '../../components/use-debounced-value.ts'
import { type Repository, repositoriesQuery, splitName } from './repository-queries.ts'

type OnConnected = (repo: string) => void

export function ConnectableList({ onConnected }: { onConnected: OnConnected }) {
  const [typed, setTyped] = useState('')
  const search = useDebouncedValue(typed.trim())
  const query = useInfiniteQuery(repositoriesQuery(useApi(), { connected: false, search }))
  const repositories = query.data?.pages.flatMap(({ repositories }) => repositories) ?? []
  return (
    <>
      <TextField
        label="Search by name"
        type="search"
        className="mb-3 max-w-sm"
        maxLength={200}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
      <PagedList
        query={query}
        rows={repositories.filter(({ connected }) => !connected)}
        rowKey={({ repo }) => repo}
        renderRow={(repository) => (
          <ConnectableRow repository={repository} onConnected={onConnected} />
        )}
        empty={<NothingToConnect search={search} />}
      />
    </>
  )
}

function NothingToConnect({ search }: { search: string }) {
  const platformName = usePlatformName()
  if (search !== '')
    return (
      <EmptyState title="No matching repositories">
        Only repositories that you administer are listed.
      </EmptyState>
    )
  return (
    <EmptyState title="No other repositories">
      Only repositories that you administer on {platformName} and that your token or sign-in can
      access are listed.
    </EmptyState>
  )
}

function ConnectableRow({
  repository,
  onConnected,
}: {
  repository: Repository
  onConnected: OnConnected
}) {
  const { repo, description } = repository
  const api = useApi()
  const client = useQueryClient()
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => api.call('connectRepository', { params: splitName(repo) }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['repositories'] })
      onConnected(repo)
    },
  })
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <div className="min-w-0 flex-1">
          <span className="font-medium">{formatRepository(repo)}</span>{' '}
          {repository.private && <Badge>Private</Badge>}
          {description && <p className="text-muted">{description}</p>}
        </div>
        <Button variant="main" disabled={isPending} onClick={() => mutate()}>
          {isPending ? 'Connecting …' : 'Connect'}
          <span className="sr-only"> {formatRepository(repo)}</span>
        </Button>
      </div>
      {error && (
        <div className="mt-2">
          <ErrorAlert error={error} />
        </div>
      )}
    </>
  )
}
