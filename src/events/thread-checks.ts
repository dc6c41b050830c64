// Chooses pull requests to check for dismissals in threads, because platforms send no event for
// them.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { PullRequestRef } from '../domain/pull-request.ts'

/**
 * Claims open pull requests whose threads can change the verdict on the reviewed head: those with
 * blocking findings and those with a dismissed finding. The longest unchecked ones come first.
 *
 * @param input `everySeconds` is the minimum interval between claims of a pull request
 */
export async function claimThreadChecks(
  db: Db,
  input: { limit: number; everySeconds: number },
): Promise<PullRequestRef[]> {
  const { rows } = await sql<PullRequestRef>`
    update pull_requests p set threads_checked_at = now()
    from (
      select pr.repo, pr.number from pull_requests pr
      join workflow_runs r on r.id = pr.reviewed_run_id
      where pr.state = 'open'
        and (threads_checked_at is null
          or threads_checked_at < now() - make_interval(secs => ${input.everySeconds})
          -- The clock was set back.
          or threads_checked_at > now())
        -- A head that isn't reviewed yet is not checked: its review reads the threads.
        and r.head_sha = pr.head_sha and r.basis is not null
        and exists (
          select from findings f
          where f.repo = pr.repo and f.pr_number = pr.number
            and (f.placement = 'inline' or f.comment_url is not null)
            and (f.state = 'dismissed' or (f.state = 'open' and pr.verdict <> 'APPROVE')))
        and not exists (
          select from findings f
          where f.repo = pr.repo and f.pr_number = pr.number
            and f.last_run_id > pr.reviewed_run_id)
      order by threads_checked_at nulls first
      limit ${input.limit}
      for update of pr skip locked
    ) as due
    where p.repo = due.repo and p.number = due.number
    returning p.repo, p.number`.execute(db)
  return rows
}
