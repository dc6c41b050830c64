// Events: what was accepted from the platform, and the pull requests' last known state.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { PullRequestRef } from '../domain/pull-request.ts'
import type { DeliveredPullRequest, Delivery } from '../platforms/platform.ts'
import { packPayload } from './payload.ts'

/** A delivery that is to be stored. */
export interface NewEvent {
  readonly source: string
  readonly eventType: string
  readonly delivery: Delivery
  /** Whether it opens or pushes to a pull request: it is checked for duplicates and leads to a review. */
  readonly wantsReview: boolean
}

/** The pull request that an event is about; null for the others. */
export function pullRequestOf(event: NewEvent): PullRequestRef | null {
  const { repo, pullRequest } = event.delivery
  return repo !== null && pullRequest !== null ? { repo, number: pullRequest.number } : null
}

/**
 * Brings the last known state of the pull requests up to date; an older payload changes nothing. Locks their rows
 * until the transaction ends, always in the same order.
 */
export async function savePullRequests(tx: Db, events: readonly NewEvent[]): Promise<void> {
  const newest = new Map<string, { repo: string; pullRequest: DeliveredPullRequest }>()
  for (const { delivery } of events) {
    if (delivery.repo === null || delivery.pullRequest === null) continue
    const key = `${delivery.repo}#${delivery.pullRequest.number}`
    const known = newest.get(key)
    if (!known || timeOf(known.pullRequest) <= timeOf(delivery.pullRequest)) {
      newest.set(key, { repo: delivery.repo, pullRequest: delivery.pullRequest })
    }
  }
  if (newest.size === 0) return
  const rows = [...newest].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => pullRequestRow(entry))
  await tx
    .insertInto('pull_requests')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['repo', 'number'])
        .doUpdateSet((eb) => ({
          title: eb.ref('excluded.title'),
          author: eb.ref('excluded.author'),
          branch: eb.ref('excluded.branch'),
          base_branch: eb.ref('excluded.base_branch'),
          url: eb.ref('excluded.url'),
          state: eb.ref('excluded.state'),
          draft: eb.ref('excluded.draft'),
          head_sha: eb.ref('excluded.head_sha'),
          additions: eb.ref('excluded.additions'),
          deletions: eb.ref('excluded.deletions'),
          opened_at: sql`coalesce(excluded.opened_at, pull_requests.opened_at)`,
          merged_at: sql`coalesce(excluded.merged_at, pull_requests.merged_at)`,
          updated_at: eb.ref('excluded.updated_at'),
        }))
        .whereRef('pull_requests.updated_at', '<=', 'excluded.updated_at'),
    )
    .execute()
}

/**
 * Which of these would be a duplicate: an unsettled event of the same type for the same pull request, at most an
 * hour old, is there already. Call it after `savePullRequests`, which holds the lock that makes the answer stay true.
 *
 * @returns keys as made by `duplicateKey`
 */
export async function findDuplicates(tx: Db, events: readonly NewEvent[]): Promise<Set<string>> {
  const asked = events.filter((event) => event.wantsReview)
  if (asked.length === 0) return new Set()
  const repos = asked.map(({ delivery }) => delivery.repo)
  const numbers = asked.map(({ delivery }) => delivery.pullRequest?.number)
  const types = asked.map(({ eventType }) => eventType)
  // One look into the index for each: `limit` keeps the planner from reading all unsettled events instead.
  const { rows } = await sql<{ repo: string; number: number; type: string }>`
    select asked.repo, asked.number, asked.type
    from unnest(${repos}::text[], ${numbers}::int[], ${types}::text[]) as asked (repo, number, type)
    cross join lateral (
      select from events
      where repo = asked.repo and pr_number = asked.number and event_type = asked.type
        and wants_review and status in ('pending', 'processing') and created_at > now() - interval '1 hour'
      limit 1) as earlier`.execute(tx)
  return new Set(rows.map((row) => duplicateKeyOf(row.type, row.repo, row.number)))
}

/** What makes two events duplicates of each other. */
export function duplicateKey(event: NewEvent): string {
  return duplicateKeyOf(event.eventType, event.delivery.repo, event.delivery.pullRequest?.number ?? 0)
}

/** Stores events as `pending`. Returns their ids, in order. */
export async function insertEvents(tx: Db, events: readonly NewEvent[]): Promise<number[]> {
  if (events.length === 0) return []
  const rows = await tx
    .insertInto('events')
    .values(
      events.map(({ source, eventType, delivery, wantsReview }) => ({
        source,
        event_type: eventType,
        delivery_id: delivery.deliveryId,
        repo: delivery.repo,
        pr_number: delivery.pullRequest?.number ?? null,
        payload: packPayload(delivery.payload),
        wants_review: wantsReview,
        run_id: null,
      })),
    )
    .returning('id')
    .execute()
  return rows.map((row) => row.id)
}

function duplicateKeyOf(eventType: string, repo: string | null, number: number): string {
  return `${eventType} ${repo}#${number}`
}

function timeOf(pullRequest: DeliveredPullRequest): number {
  return Date.parse(pullRequest.updatedAt ?? pullRequest.createdAt ?? '') || 0
}

function pullRequestRow({ repo, pullRequest: pr }: { repo: string; pullRequest: DeliveredPullRequest }) {
  return {
    repo,
    number: pr.number,
    title: pr.title,
    author: pr.author,
    branch: pr.branch,
    base_branch: pr.baseBranch,
    url: pr.url,
    state: pr.state,
    draft: pr.draft,
    head_sha: pr.headSha,
    additions: pr.additions,
    deletions: pr.deletions,
    opened_at: pr.createdAt,
    merged_at: pr.mergedAt,
    updated_at: new Date(timeOf(pr)),
  }
}
