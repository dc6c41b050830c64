// Creates, lists and revokes the personal API tokens of the user.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../api/use-api.ts'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { CopyBlock } from '../../components/copy-block.tsx'
import { Panel } from '../../components/page.tsx'
import { EmptyState, ErrorAlert, Skeleton } from '../../components/page-states.tsx'
import { Time } from '../../components/time.tsx'
import { NewTokenForm } from './new-token-form.tsx'
import { type ApiToken, type NewApiToken, tokensQuery } from './settings-queries.ts'

export function ApiTokens() {
  const [created, setCreated] = useState<NewApiToken | null>(null)
  return (
    <>
      <Panel title="Create token">
        <NewTokenForm onCreated={setCreated} />
        {created && <CreatedToken {...created} />}
      </Panel>
      <Panel title="Your tokens">
        <TokenList />
      </Panel>
    </>
  )
}

function CreatedToken({ name, token }: NewApiToken) {
  return (
    <div role="status" className="mt-3 rounded-lg border border-good bg-good-soft p-3">
      <p className="mb-2 font-medium text-good">
        Created {name}. Copy the token now: it is not shown again.
      </p>
      <CopyBlock label="Token" text={token} />
    </div>
  )
}

function TokenList() {
  const { data, error, refetch } = useQuery(tokensQuery(useApi()))
  if (error) return <ErrorAlert error={error} onRetry={refetch} />
  if (data === undefined) return <Skeleton className="h-24" />
  if (data.tokens.length === 0) {
    return (
      <EmptyState title="No tokens">
        Create a token to use the API or the MCP server as yourself.
      </EmptyState>
    )
  }
  return (
    <ul className="divide-y divide-line">
      {data.tokens.map((token) => (
        <li key={token.id} className="py-2 first:pt-0 last:pb-0">
          <TokenRow token={token} />
        </li>
      ))}
    </ul>
  )
}

function TokenRow({
  token: { id, name, created_at, expires_at, last_used_at },
}: {
  token: ApiToken
}) {
  const api = useApi()
  const client = useQueryClient()
  const revoke = async () => {
    await api.call('revokeApiToken', { params: { id } })
    await client.invalidateQueries({ queryKey: tokensQuery(api).queryKey })
  }
  return (
    <div className="flex flex-wrap items-center justify-between gap-2">
      <div className="min-w-0">
        <span className="font-medium">{name}</span>
        <p className="text-muted">
          Created <Time at={created_at} />, {last_used_at === null ? 'never used' : 'last used '}
          {last_used_at !== null && <Time at={last_used_at} />}, expires <Time at={expires_at} />
        </p>
      </div>
      <ConfirmButton label="Revoke" subject={name} title={`Revoke ${name}?`} action={revoke}>
        Programs that use this token lose access immediately.
      </ConfirmButton>
    </div>
  )
}
