// Starts scans of a repository and serves their status.
import type { AppContext } from '../context.ts'
import * as contract from '../contract/scan-schemas.ts'
import { RequestError } from '../domain/errors.ts'
import { readScan } from '../jobs/scans.ts'
import { rescanRepository } from '../workflows/rescan-repository.ts'
import { type Authenticate, callerOf } from './authenticate.ts'
import { findRequestedRepository } from './find-requested-repository.ts'
import { malformedRepositoryMessage, memoryNotConfiguredMessage } from './memory-overview-routes.ts'
import type { Server } from './server.ts'

/** Adds `POST /api/v1/memory/rescan` and `GET /api/v1/memory/scan`. */
export function addScanRoutes(server: Server, ctx: AppContext, authenticate: Authenticate): void {
  const rescanRoute = { schema: contract.rescanSchema, onRequest: authenticate.cookie }
  server.post('/api/v1/memory/rescan', rescanRoute, async (request) => {
    const caller = callerOf(request)
    const repo = await findRequestedRepository(
      ctx,
      caller,
      request.query.repo,
      malformedRepositoryMessage,
    )
    if (!ctx.config.memory) throw new RequestError('not_configured', memoryNotConfiguredMessage)
    await rescanRepository(ctx, caller, repo)
    return { status: 'rescan_started' as const, repo }
  })

  const scanRoute = { schema: contract.readScanSchema, onRequest: authenticate.either }
  server.get('/api/v1/memory/scan', scanRoute, async (request) => {
    const repo = await findRequestedRepository(
      ctx,
      callerOf(request),
      request.query.repo,
      malformedRepositoryMessage,
    )
    const scan = await readScan(ctx.db, repo)
    if (scan === undefined) return { ...neverScanned, repo }
    const { requestedAt, startedAt, finishedAt, ...fields } = scan
    return {
      ...fields,
      requested_at: requestedAt,
      started_at: startedAt,
      finished_at: finishedAt,
    }
  })
}

const neverScanned = {
  status: 'none' as const,
  step: '',
  done: 0,
  total: 0,
  commit: null,
  requested_at: null,
  started_at: null,
  finished_at: null,
  error: null,
}
