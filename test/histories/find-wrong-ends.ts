// Compares what the forge and the database show with what a history must lead to.
import { sql } from 'kysely'
import type { OpenDatabase } from '../../src/db/database.ts'
import type { Forge } from '../fakes/forge/forge.ts'
import { slug } from '../installed-app-scenario.ts'
import type { History, PlayedPullRequest } from './history.ts'

/** Describes where the forge doesn't show exactly one right end at each open head. */
export function findWrongEnds(forge: Forge, { repo, pullRequests }: History): string[] {
  return pullRequests.flatMap((one) => {
    const wrong = [...findRunningChecks(forge, repo, one)]
    if (one.state === 'open') wrong.push(...findWrongEnd(forge, repo, one))
    return wrong.map((text) => `#${one.number}: ${text}`)
  })
}

/** No check may be left in progress, also not where nobody waits for it any more. */
function findRunningChecks(forge: Forge, repo: string, { heads }: PlayedPullRequest): string[] {
  return heads.flatMap((head) =>
    forge
      .checkRuns(repo, head)
      .filter(({ status }) => status !== 'completed')
      .map(({ status }) => `a check of ${head} is ${status}`),
  )
}

function findWrongEnd(forge: Forge, repo: string, one: PlayedPullRequest): string[] {
  const wrong: string[] = []
  const head = one.heads.at(-1)!
  const checks = forge.checkRuns(repo, head)
  if (checks.length !== 1) wrong.push(`its head has ${checks.length} checks`)
  // By the settings, the review of a draft is incomplete.
  const conclusion = one.draft ? 'action_required' : one.findings > 0 ? 'failure' : 'success'
  const shown = checks[0]?.conclusion
  if (shown !== conclusion)
    wrong.push(`its check is ${shown} instead of ${conclusion}, with ${one.findings} findings`)
  const view = forge.pullRequest(repo, one.number)
  const summaries = view.comments.filter((comment) => comment.author === `${slug}[bot]`)
  if (summaries.length !== 1) wrong.push(`it has ${summaries.length} summaries`)
  if (!summaries[0]?.body.includes(`head=${head} `)) wrong.push('its summary is of another head')
  const open = view.threads.filter(({ resolved }) => !resolved)
  if (open.length !== one.findings)
    wrong.push(`it has ${open.length} open conversations for ${one.findings} findings`)
  return wrong
}

/** Returns what is left to do: unfinished events and work. */
export async function findUnsettled({ db }: OpenDatabase): Promise<string[]> {
  const { rows } = await sql<{ text: string }>`
    select event_type || ' of ' || repo || ' is ' || status as text from events
    where wants_review and status in ('pending', 'processing')
    union all
    select kind || ' of ' || repo || ' is left ' || status from work_items`.execute(db)
  return rows.map(({ text }) => text)
}

/** Describes where the database differs from what the histories left. */
export async function findWrongRecords(
  { db }: OpenDatabase,
  histories: readonly History[],
): Promise<Map<History, string[]>> {
  const stored = await db
    .selectFrom('pullRequests')
    .select(['repo', 'number', 'state', 'headSha'])
    .execute()
  const reviewed = await db
    .selectFrom('workflowRuns')
    .select(['repo', 'prNumber', 'headSha', 'status', 'error'])
    .orderBy('id')
    .execute()
  return new Map(
    histories.map((history) => [
      history,
      history.pullRequests.flatMap((one) => {
        const isOwn = (row: { repo: string }) => row.repo === history.repo
        const row = stored.find((other) => isOwn(other) && other.number === one.number)
        const runs = reviewed.filter((run) => isOwn(run) && run.prNumber === one.number)
        return [
          // Nobody has to know of one that was closed before any delivery of it arrived.
          ...(row?.state === one.state || (row === undefined && one.state !== 'open')
            ? []
            : [`#${one.number} is stored as ${row?.state}, but is ${one.state}`]),
          ...runs
            .filter(({ status }) => status !== 'completed')
            .map(({ status, error }) => `a run of #${one.number} is ${status}: ${error}`),
          ...(one.state !== 'open' || runs.at(-1)?.headSha === one.heads.at(-1)
            ? []
            : [`the last run of #${one.number} is of another head`]),
        ]
      }),
    ]),
  )
}

/** Describes acknowledged deliveries whose event is not stored. */
export async function findLostEvents(forge: Forge, { db }: OpenDatabase): Promise<string[]> {
  const rows = await db.selectFrom('events').select(['id', 'deliveryId']).execute()
  const stored = new Map(rows.map(({ id, deliveryId }) => [id, deliveryId]))
  return forge.deliveries.flatMap(({ guid, attempts }) =>
    attempts
      .filter(({ status }) => status === 200)
      .map(({ responseBody }) => JSON.parse(responseBody))
      .filter((answer) => answer.status === 'received' && stored.get(answer.event_id) !== guid)
      .map((answer) => `event ${answer.event_id} of delivery ${guid} is lost`),
  )
}
