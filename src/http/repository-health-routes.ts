// Serves whether the reviews of a repository work, and what to do if they don't.
import {
  type HealthCheck,
  listRiskyFiles,
  readRepositoryHealth,
} from '../analytics/repository-health.ts'
import type { ServiceContext } from '../context.ts'
import * as contract from '../contract/repository-health-endpoints.ts'
import { UmpireError } from '../domain/errors.ts'
import type { RepositoryName } from '../domain/pull-request.ts'
import { startDeadline } from '../platforms/deadline.ts'
import { chooseAccess } from '../workflows/choose-access.ts'
import { describeIdentity, type ReviewIdentity } from '../workflows/connecting/describe-identity.ts'
import type { AddRoute } from './add-route.ts'
import { findRequestedRepository } from './find-requested-repository.ts'
import { malformedRepositoryMessage } from './memory-overview-routes.ts'

const timeoutMs = 10_000

export function addRepositoryHealthRoutes(addRoute: AddRoute, ctx: ServiceContext): void {
  const { db, hosts } = ctx
  addRoute(contract.showRepositoryHealth, async ({ caller, params: { owner, repo: name } }) => {
    const request = { caller, query: { repo: `${owner}/${name}` } }
    const repo = await findRequestedRepository(ctx, request, malformedRepositoryMessage)
    const hasToken = (one: RepositoryName) => hosts.of(one).config.fallback.token !== null
    const [[stored], { identity, check }, risk] = await Promise.all([
      readRepositoryHealth(db, [repo], hasToken),
      checkIdentity(ctx, repo),
      listRiskyFiles(db, repo),
    ])
    const { checks, lastDeliveryAt } = stored!
    // What the code host says now is worth more than what is stored.
    const all = checks.map((one) => (one.name === check.name ? check : one))
    return { repo, checks: all, lastDeliveryAt, identity, risk }
  })
}

async function checkIdentity(
  { hosts }: ServiceContext,
  repo: RepositoryName,
): Promise<{ identity: ReviewIdentity | null; check: HealthCheck }> {
  const ctx = hosts.of(repo)
  const signal = startDeadline(timeoutMs)
  const name = 'token'
  try {
    const access = await chooseAccess(ctx, repo, signal)
    const identity = await describeIdentity(ctx, access, signal)
    if (identity.canWrite) {
      const message = `${describeReviewer(identity)} works and can post reviews.`
      return { identity, check: { name, state: 'ok', message, remedy: null } }
    }
    const message = `${describeReviewer(identity)} can read it, but can't post reviews.`
    const remedy = 'Someone who can write to it has to connect it, or install the App there.'
    return { identity, check: { name, state: 'problem', message, remedy } }
  } catch (error) {
    if (!(error instanceof UmpireError)) throw error
    const remedy = error.retryable
      ? 'It is tried again without your help.'
      : 'Someone who connected it has to sign in again.'
    const state = error.retryable ? 'warning' : 'problem'
    return { identity: null, check: { name, state, message: error.message, remedy } }
  }
}

function describeReviewer({ kind, login }: ReviewIdentity): string {
  if (kind === 'app') return `The App ${login}`
  return kind === 'person' ? `The token of ${login}` : 'The token of the deployment'
}
