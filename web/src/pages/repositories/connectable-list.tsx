// The repositories that the person administers at the platform, to be connected.
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../api/use-api.ts'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/field.tsx'
import { EmptyState, ErrorAlert } from '../../components/page-states.tsx'
import { PagedList } from '../../components/paged-list.tsx'
import { useDebouncedValue } from '../../components/use-debounced-value.ts'
import { type Repository, repositoriesQuery } from './repository-queries.ts'

export function ConnectableList() {
  const [typed, type] = useState('')
  const search = useDebouncedValue(typed.trim())
  const query = useInfiniteQuery(repositoriesQuery(useApi(), { connected: false, search }))
  const found = query.data?.pages.flatMap(({ repositories }) => repositories) ?? []
  return (
    <>
      <TextField
        label="Search by name"
        type="search"
        className="mb-3 max-w-sm"
        maxLength={200}
        value={typed}
        onChange={({ target }) => type(target.value)}
      />
      <PagedList
        query={query}
        rows={found.filter(({ connected }) => !connected)}
        rowKey={({ repo }) => repo}
        renderRow={(repository) => <ConnectableRow repository={repository} />}
        empty={<NothingToConnect search={search} />}
      />
    </>
  )
}

function NothingToConnect({ search }: { search: string }) {
  if (search !== '')
    return (
      <EmptyState title="No repository has such a name">
        Only those that you administer are shown.
      </EmptyState>
    )
  return (
    <EmptyState title="There is no other repository">
      Only those that you administer at the platform are shown, as far as the token or the sign-in
      covers them.
    </EmptyState>
  )
}

function ConnectableRow({ repository }: { repository: Repository }) {
  const { repo, description } = repository
  const api = useApi()
  const client = useQueryClient()
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => api.request(`/api/v1/repos/${repo}/install`, { method: 'POST' }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['repositories'] }),
  })
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <div className="min-w-0 flex-1">
          <span className="font-medium">{repo}</span> {repository.private && <Badge>Private</Badge>}
          {description && <p className="text-muted">{description}</p>}
        </div>
        <Button look="main" disabled={isPending} onClick={() => mutate()}>
          {isPending ? 'Connecting …' : 'Connect'}
          <span className="sr-only"> {repo}</span>
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
