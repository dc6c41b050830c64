// Serves the list of repositories, and connects and disconnects them.
import type { AppContext } from '../context.ts'
import * as contract from '../contract/repository-schemas.ts'
import { connectRepository } from '../workflows/connecting/connect-repository.ts'
import { disconnectRepository } from '../workflows/connecting/disconnect-repository.ts'
import {
  listConnectableRepositories,
  listConnectedRepositories,
  type RepositoryEntry,
} from '../workflows/connecting/list-repositories.ts'
import { type Authenticate, callerOf } from './authenticate.ts'
import type { Server } from './server.ts'

/** Adds `GET /api/v1/repos`, and POST and DELETE of a repository's `install`. */
export function addRepositoryRoutes(
  server: Server,
  ctx: AppContext,
  authenticate: Authenticate,
): void {
  const listRoute = { schema: contract.listRepositoriesSchema, onRequest: authenticate.either }
  server.get('/api/v1/repos', listRoute, async (request) => {
    const { search, connected, page, per_page: perPage } = request.query
    const list = connected === 'true' ? listConnectedRepositories : listConnectableRepositories
    const { repositories, hasMore } = await list(ctx, callerOf(request), { search, page, perPage })
    return {
      repositories: repositories.map(serializeRepository),
      page,
      per_page: perPage,
      has_more: hasMore,
    }
  })

  const installPath = '/api/v1/repos/:owner/:repo/install'
  const connectRoute = { schema: contract.connectRepositorySchema, onRequest: authenticate.bearer }
  server.post(installPath, connectRoute, async (request) => {
    const requestedName = `${request.params.owner}/${request.params.repo}`
    const connected = await connectRepository(ctx, callerOf(request), requestedName)
    const { installationId, repo } = connected
    return { status: 'connected' as const, installation_id: installationId, repo }
  })

  const disconnectRoute = {
    schema: contract.disconnectRepositorySchema,
    onRequest: authenticate.bearer,
  }
  server.delete(installPath, disconnectRoute, async (request) => {
    const requestedName = `${request.params.owner}/${request.params.repo}`
    const repo = await disconnectRepository(ctx, callerOf(request), requestedName)
    return { status: 'disconnected' as const, repo }
  })
}

function serializeRepository(entry: RepositoryEntry) {
  return {
    repo: entry.repo,
    connected: entry.installationId !== null,
    installation_id: entry.installationId,
    private: entry.private,
    description: entry.description,
    default_branch: entry.defaultBranch,
  }
}
