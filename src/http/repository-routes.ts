// Serves the list of repositories, connects and disconnects them, and rotates webhook secrets.
import type { AppContext } from '../context.ts'
import * as contract from '../contract/repository-endpoints.ts'
import { connectRepository } from '../workflows/connecting/connect-repository.ts'
import { disconnectRepository } from '../workflows/connecting/disconnect-repository.ts'
import {
  listConnectableRepositories,
  listConnectedRepositories,
} from '../workflows/connecting/list-repositories.ts'
import { rotateWebhookSecret } from '../workflows/connecting/rotate-webhook-secrets.ts'
import { withdrawAllDecisions } from '../workflows/follow-decisions.ts'
import type { AddRoute } from './add-route.ts'

export function addRepositoryRoutes(addRoute: AddRoute, ctx: AppContext): void {
  addRoute(contract.listRepositories, async ({ caller, query }) => {
    const { search, connected, page, per_page: perPage } = query
    const list = connected === 'true' ? listConnectedRepositories : listConnectableRepositories
    const { repositories, hasMore } = await list(ctx, caller, { search, page, perPage })
    const entries = repositories.map((entry) => {
      return { ...entry, connected: entry.installationId !== null }
    })
    return { repositories: entries, page, perPage, hasMore }
  })

  addRoute(contract.connectRepository, async ({ caller, params: { owner, repo } }) => {
    const connected = await connectRepository(ctx, caller, `${owner}/${repo}`)
    return { ...connected, status: 'connected' as const }
  })

  addRoute(contract.disconnectRepository, async ({ caller, params }) => {
    const beforeLast = (repo: string) => withdrawAllDecisions(ctx, repo)
    const name = `${params.owner}/${params.repo}`
    const repo = await disconnectRepository({ ...ctx, beforeLast }, caller, name)
    return { status: 'disconnected' as const, repo }
  })

  addRoute(contract.rotateWebhookSecret, async ({ caller, params: { owner, repo }, body }) => {
    const name = await rotateWebhookSecret(ctx, caller, `${owner}/${repo}`, body.leaked)
    return { status: 'rotated' as const, repo: name }
  })
}
