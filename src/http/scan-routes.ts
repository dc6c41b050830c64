// Scans of a repository: asking for one, and how it stands.
import type { AppContext } from '../context.ts'
import * as contract from '../contract/scan-schemas.ts'
import { RequestError } from '../domain/errors.ts'
import { readScan } from '../jobs/scans.ts'
import { rescanRepository } from '../workflows/rescan-repository.ts'
import { type Authenticate, callerOf } from './authenticate.ts'
import { findRequestedRepository } from './find-requested-repository.ts'
import { memoryNotConfiguredMessage } from './memory-overview-routes.ts'
import type { Server } from './server.ts'

const malformedMessage = 'repo must be owner/repo'

/** Adds what stands under `/api/v1/memory` of scans. */
export function addScanRoutes(server: Server, ctx: AppContext, authenticate: Authenticate): void {
  const rescanRoute = { schema: contract.rescanSchema, onRequest: authenticate.cookie }
  server.post('/api/v1/memory/rescan', rescanRoute, async (request) => {
    const caller = callerOf(request)
    const repo = await findRequestedRepository(ctx, caller, request.query.repo, malformedMessage)
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
      malformedMessage,
    )
    const scan = await readScan(ctx.db, repo)
    if (scan === undefined) return { ...neverScanned, repo }
    const {
      requestedAt: requested_at,
      startedAt: started_at,
      finishedAt: finished_at,
      ...rest
    } = scan
    return { ...rest, requested_at, started_at, finished_at }
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
