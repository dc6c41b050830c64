// Starts scans of a repository and serves their status.
import type { ServiceContext } from '../context.ts'
import * as contract from '../contract/scan-endpoints.ts'
import { RequestError } from '../domain/errors.ts'
import { readScan } from '../work/scans.ts'
import { rescanRepository } from '../workflows/rescan-repository.ts'
import type { AddRoute } from './add-route.ts'
import { findRequestedRepository } from './find-requested-repository.ts'
import { malformedRepositoryMessage, memoryNotConfiguredMessage } from './memory-overview-routes.ts'

export function addScanRoutes(addRoute: AddRoute, ctx: ServiceContext): void {
  addRoute(contract.rescan, async (request) => {
    const repo = await findRequestedRepository(ctx, request, malformedRepositoryMessage)
    if (!ctx.config.memory) throw new RequestError('not_configured', memoryNotConfiguredMessage)
    await rescanRepository(ctx, request.caller, repo)
    return { status: 'rescan_started' as const, repo }
  })

  addRoute(contract.readScan, async (request) => {
    const repo = await findRequestedRepository(ctx, request, malformedRepositoryMessage)
    return (await readScan(ctx.db, repo)) ?? { ...neverScanned, repo }
  })
}

const neverScanned = {
  status: 'none' as const,
  step: '',
  done: 0,
  total: 0,
  commit: null,
  requestedAt: null,
  startedAt: null,
  finishedAt: null,
  error: null,
}
