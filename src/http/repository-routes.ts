// Serves the list of repositories, connects and disconnects them, and rotates webhook secrets.
import { type HealthCheck, readRepositoryHealth } from '../analytics/repository-health.ts'
import type { ServiceContext } from '../context.ts'
import * as contract from '../contract/repository-endpoints.ts'
import type { RepositoryName } from '../domain/pull-request.ts'
import { connectRepository } from '../workflows/connecting/connect-repository.ts'
import { disconnectRepository } from '../workflows/connecting/disconnect-repository.ts'
import {
  listConnectableRepositories,
  listConnectedRepositories,
} from '../workflows/connecting/list-repositories.ts'
import { rotateWebhookSecret } from '../workflows/connecting/rotate-webhook-secrets.ts'
import { withdrawAllDecisions } from '../workflows/follow-decisions.ts'
import type { AddRoute } from './add-route.ts'
import { hostOfCaller } from './find-host.ts'

export function addRepositoryRoutes(addRoute: AddRoute, ctx: ServiceContext): void {
  addRoute(contract.listRepositories, async ({ caller, query }) => {
    const { search, connected, page, per_page: perPage } = query
    const list = connected === 'true' ? listConnectedRepositories : listConnectableRepositories
    const own = hostOfCaller(ctx, caller)
    const { repositories, hasMore } = await list(own, caller, { search, page, perPage })
    const health = connected === 'true' ? await readHealth(ctx, repositories) : new Map()
    const entries = repositories.map((entry) => ({
      ...entry,
      connected: entry.installationId !== null,
      health: health.get(entry.repo) ?? null,
    }))
    return { repositories: entries, page, perPage, hasMore }
  })

  addRoute(contract.connectRepository, async ({ caller, params: { owner, repo } }) => {
    const own = hostOfCaller(ctx, caller)
    const connected = await connectRepository(own, caller, `${owner}/${repo}`)
    return { ...connected, status: 'connected' as const }
  })

  addRoute(contract.disconnectRepository, async ({ caller, params }) => {
    const name = `${params.owner}/${params.repo}`
    const host = ctx.hosts.of(name)
    const beforeLast = (repo: string) => withdrawAllDecisions(host, repo)
    const repo = await disconnectRepository({ ...host, beforeLast }, caller, name)
    return { status: 'disconnected' as const, repo }
  })

  addRoute(contract.rotateWebhookSecret, async ({ caller, params: { owner, repo }, body }) => {
    const name = `${owner}/${repo}`
    const rotated = await rotateWebhookSecret(ctx.hosts.of(name), caller, name, body.leaked)
    return { status: 'rotated' as const, repo: rotated }
  })
}

/** Summarizes what is stored about repositories. */
async function readHealth(
  { db, hosts }: ServiceContext,
  repositories: readonly { readonly repo: RepositoryName }[],
): Promise<Map<RepositoryName, HealthSummary>> {
  const names = repositories.map(({ repo }) => repo)
  const hasToken = (repo: RepositoryName) => hosts.of(repo).config.fallback.token !== null
  const health = await readRepositoryHealth(db, names, hasToken)
  return new Map(health.map(({ repo, checks }) => [repo, summarizeChecks(checks)]))
}

interface HealthSummary {
  readonly state: HealthCheck['state']
  readonly messages: readonly string[]
}

function summarizeChecks(checks: readonly HealthCheck[]): HealthSummary {
  const problems = checks.filter(({ state }) => state === 'problem')
  const failed = [...problems, ...checks.filter(({ state }) => state === 'warning')]
  return { state: failed[0]?.state ?? 'ok', messages: failed.map(({ message }) => message) }
}
