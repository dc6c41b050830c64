// Reads what is stored about the health of repositories, and judges it.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { RepositoryName } from '../domain/pull-request.ts'
import { findingOutcome, joinDismissal, joinReviewed } from '../events/finding-outcomes.ts'
import { reconciledPrefix } from '../events/reconciliations.ts'

/** What is stored about a connected repository. */
interface StoredFacts {
  readonly repo: RepositoryName
  readonly lastDeliveryAt: Date | null
  /** Deliveries with a wrong signature since the last one that was accepted, in the last week. */
  readonly refused: number
  readonly isSuspended: boolean
  /** Whether someone's stored token, or the App, can review it. */
  readonly hasToken: boolean
  /** Of the newest review. */
  readonly reviewStatus: string | null
  readonly reviewError: string | null
  readonly scanStatus: string | null
  readonly scanError: string | null
}

export interface HealthCheck {
  readonly name: 'deliveries' | 'token' | 'reviews' | 'scan'
  /** `none` if nothing has happened yet that could work or fail. */
  readonly state: 'ok' | 'none' | 'warning' | 'problem'
  /** One sentence for people. */
  readonly message: string
  /** What to do; null if nothing has to be done. */
  readonly remedy: string | null
}

interface RepositoryHealth {
  readonly repo: RepositoryName
  readonly lastDeliveryAt: Date | null
  readonly checks: readonly HealthCheck[]
}

/**
 * Judges connected repositories by what is stored, without a call to their code hosts.
 *
 * @param hasDeploymentToken whether a token of the deployment reviews what no one's token can
 */
export async function readRepositoryHealth(
  db: Db,
  repos: readonly RepositoryName[],
  hasDeploymentToken: (repo: RepositoryName) => boolean,
): Promise<RepositoryHealth[]> {
  const { rows } = await sql<StoredFacts>`
    select named.repo, delivery.created_at as last_delivery_at, refusals.refused,
      connection.is_suspended, connection.has_token,
      review.status as review_status, review.error as review_error,
      scan.status as scan_status, scan.error as scan_error
    from unnest(${repos}::text[]) as named (repo)
    left join lateral (
      select created_at from events
      where events.repo = named.repo and delivery_id is not null
        and not starts_with(delivery_id, ${reconciledPrefix})
      order by id desc limit 1
    ) as delivery on true
    cross join lateral (
      select coalesce(sum(count), 0)::integer as refused from unused_deliveries u
      where lower(u.repo) = lower(named.repo) and reason = 'invalid_signature'
        and last_at > coalesce(delivery.created_at, '-infinity')
        and last_at > now() - interval '7 days'
    ) as refusals
    cross join lateral (
      select coalesce(bool_and(a.suspended_at is not null), false) as is_suspended,
        coalesce(bool_or(
          u.encrypted_token is not null or (a.id is not null and a.suspended_at is null)
        ), false) as has_token
      from installations i
      join users u on u.id = i.user_id
      left join app_installations a on a.id = i.app_installation_id and a.removed_at is null
      where lower(i.repo_full_name) = lower(named.repo) and i.is_active
    ) as connection
    left join lateral (
      select status, error from workflow_runs r
      where lower(r.repo) = lower(named.repo) order by created_at desc, id desc limit 1
    ) as review on true
    left join scans scan on scan.repo = named.repo`.execute(db)
  return rows.map((facts) => ({
    repo: facts.repo,
    lastDeliveryAt: facts.lastDeliveryAt,
    checks: [
      checkDeliveries(facts),
      checkToken(facts, hasDeploymentToken(facts.repo)),
      checkReviews(facts),
      checkScan(facts),
    ],
  }))
}

function nothingYet(name: HealthCheck['name'], message: string): HealthCheck {
  return { name, state: 'none', message, remedy: null }
}

function checkDeliveries({ lastDeliveryAt, refused }: StoredFacts): HealthCheck {
  const name = 'deliveries'
  if (refused > 0) {
    const subject = refused === 1 ? 'delivery was' : `${refused} deliveries were`
    return {
      name,
      // Anybody can send one without a signature.
      state: 'warning',
      message: `The last ${subject} refused: the signature is missing, or of another secret.`,
      remedy:
        'If the code host sent them, rotate the webhook secret under Repositories, or connect ' +
        'the repository again.',
    }
  }
  if (lastDeliveryAt === null)
    return nothingYet(name, 'No delivery has arrived yet. Each new pull request sends one.')
  return { name, state: 'ok', message: 'The last delivery was accepted.', remedy: null }
}

function checkToken(
  { isSuspended, hasToken }: StoredFacts,
  hasDeploymentToken: boolean,
): HealthCheck {
  const name = 'token'
  if (hasToken) return { name, state: 'ok', message: 'A stored token reviews it.', remedy: null }
  if (hasDeploymentToken) {
    const message = 'The token of the deployment reviews it.'
    return { name, state: 'ok', message, remedy: null }
  }
  if (isSuspended) {
    const message = "The App's installation is suspended, so nothing is reviewed."
    const remedy = 'An owner of the account can end that in the settings of the code host.'
    return { name, state: 'problem', message, remedy }
  }
  const message = 'No one who connected it has a stored token, so nothing is reviewed.'
  const remedy = 'Someone who connected it has to sign in again.'
  return { name, state: 'problem', message, remedy }
}

function checkReviews({ reviewStatus, reviewError }: StoredFacts): HealthCheck {
  const name = 'reviews'
  if (reviewStatus === 'failed') {
    const message = `The last review failed: ${reviewError ?? 'the reason is unknown'}`
    return { name, state: 'problem', message, remedy: 'Open the review and choose Review again.' }
  }
  if (reviewError !== null && reviewStatus !== 'completed') {
    const message = `The last review waits: ${reviewError}`
    return { name, state: 'warning', message, remedy: 'It is tried again without your help.' }
  }
  if (reviewStatus === null) return nothingYet(name, 'Nothing was reviewed yet.')
  return { name, state: 'ok', message: 'The last review worked.', remedy: null }
}

function checkScan({ scanStatus, scanError }: StoredFacts): HealthCheck {
  const name = 'scan'
  if (scanStatus === 'failed') {
    const message = `The last scan failed: ${scanError ?? 'the reason is unknown'}`
    return { name, state: 'warning', message, remedy: 'Choose Scan again.' }
  }
  if (scanStatus === null) return nothingYet(name, 'It was never scanned.')
  return { name, state: 'ok', message: 'The last scan worked.', remedy: null }
}

/** A file with the findings of the pull requests that changed it. */
interface FileRisk {
  readonly path: string
  readonly pullRequests: number
  readonly findings: number
}

const maxRisks = 20

/**
 * Lists the files with most findings for each pull request that changed them. Findings count in
 * their own file only, without dismissed, replaced and withdrawn ones.
 */
export async function listRiskyFiles(db: Db, repo: RepositoryName): Promise<FileRisk[]> {
  const { rows } = await sql<FileRisk>`
    with changed as (
      select path, count(distinct pr_number)::integer as pull_requests
      from pull_request_files where repo = ${repo} and latest group by path
    ), found as (
      select f.path, count(*)::integer as findings
      from findings f ${joinReviewed}
      ${joinDismissal}
      where f.repo = ${repo} and ${findingOutcome} in ('open', 'fixed', 'suppressed')
      group by f.path
    )
    select path, pull_requests, findings from changed join found using (path)
    -- One more pull request is assumed, because a single one proves little.
    order by findings::float8 / (pull_requests + 1) desc, findings desc, path
    limit ${sql.lit(maxRisks)}`.execute(db)
  return rows
}
