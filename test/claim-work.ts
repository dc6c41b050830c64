// Claims work as a worker does, but a chosen piece of it.
import { sql } from 'kysely'
import type { Db } from '../src/db/database.ts'
import { beginRun, type ClaimedRun } from '../src/work/runs.ts'
import { type Claim, claimNext, type WorkSubject } from '../src/work/work-items.ts'

/** Claims work that is due. Throws if it isn't. */
export async function claimWork(
  db: Db,
  { kind, repo, number }: WorkSubject,
  { worker = 'test', leaseSeconds = 600 } = {},
): Promise<Claim> {
  const { rows } = await sql<{ owner: string }>`
    update work_items set due_at = due_at - interval '1 year'
    where kind = ${kind} and repo = ${repo} and number = ${number} and due_at <= now()
    returning owner`.execute(db)
  const owner = rows[0]?.owner ?? 'nobody'
  const claim = await claimNext(db, { kind, owner }, { worker, leaseSeconds })
  if (claim === undefined) throw new Error(`Nothing is due for ${repo} #${number}`)
  return claim
}

/** Claims the review of a pull request and begins its run. */
export async function claimReview(
  db: Db,
  ref: { repo: WorkSubject['repo']; number: number },
  options?: Parameters<typeof claimWork>[2],
): Promise<ClaimedRun> {
  const run = await beginRun(db, await claimWork(db, { kind: 'review', ...ref }, options))
  if (run === null) throw new Error(`Nothing is left to review of ${ref.repo} #${ref.number}`)
  return run
}

/** The queue's row for a piece of work; undefined if it isn't in the queue. */
export function findWorkItem(db: Db, { kind, repo, number }: WorkSubject) {
  return db
    .selectFrom('workItems')
    .selectAll()
    .where('kind', '=', kind)
    .where('repo', '=', repo)
    .where('number', '=', number)
    .executeTakeFirst()
}
