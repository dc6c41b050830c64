// Saves the files and definitions that a reviewed pull request changes, and the issues it names.
import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import type { IssueReference, PullRequestRef } from '../../domain/pull-request.ts'
import type { Verdict } from '../../domain/review.ts'

export interface FileActivity {
  readonly path: string
  /** Null unless the file was renamed. */
  readonly previousPath: string | null
  readonly status: string
  readonly additions: number
  readonly deletions: number
  /** Names of the changed definitions, with their enclosing definitions. */
  readonly symbols: readonly string[]
}

/** Paths and issues are unique, and all text can be stored in the database. */
export interface PullRequestActivity {
  readonly files: readonly FileActivity[]
  readonly issues: readonly IssueReference[]
}

interface ReviewedRun extends PullRequestRef {
  readonly id: number
  readonly verdict: Verdict
}

/** A statement can have at most 65,535 parameters. */
const batchSize = 500

/**
 * Replaces the files and issues of a pull request by those of the run. Files of earlier runs stay
 * only if the run requested changes on another commit. Saving the same again changes nothing.
 *
 * @param run must be stored, with its pull request
 */
export async function saveFileActivity(
  tx: Db,
  run: ReviewedRun,
  { files, issues }: PullRequestActivity,
): Promise<void> {
  await deleteEarlierActivity(tx, run)
  const author = await readAuthor(tx, run)
  for (let start = 0; start < files.length; start += batchSize) {
    const rows = files.slice(start, start + batchSize).map((file) => toFileRow(run, author, file))
    await tx.insertInto('pullRequestFiles').values(rows).execute()
  }
  await tx
    .deleteFrom('pullRequestIssues')
    .where('repo', '=', run.repo)
    .where('prNumber', '=', run.number)
    .execute()
  if (issues.length === 0) return
  const rows = issues.map(({ repo, number, closes }) => {
    return { repo: run.repo, prNumber: run.number, issueRepo: repo, issueNumber: number, closes }
  })
  await tx.insertInto('pullRequestIssues').values(rows).execute()
}

/** If a commit was reviewed again, only its last review counts. */
async function deleteEarlierActivity(tx: Db, { id, repo, number }: ReviewedRun): Promise<void> {
  const ofPullRequest = sql<boolean>`
    run_id in (select id from workflow_runs where repo = ${repo} and pr_number = ${number})`
  const ofSameCommit = sql<boolean>`(run_id = ${id} or run_id in (
    select id from workflow_runs
    where repo = ${repo} and pr_number = ${number}
      and head_sha = (select head_sha from workflow_runs where id = ${id})
  ))`
  await tx
    .deleteFrom('pullRequestFiles')
    .where(ofPullRequest)
    .where((eb) => eb.or([eb('requestedChanges', '=', false), ofSameCommit]))
    .execute()
  await tx
    .updateTable('pullRequestFiles')
    .set({ latest: false })
    .where(ofPullRequest)
    .where('latest', '=', true)
    .execute()
}

async function readAuthor(tx: Db, { repo, number }: PullRequestRef): Promise<string> {
  const row = await tx
    .selectFrom('pullRequests')
    .select('author')
    .where('repo', '=', repo)
    .where('number', '=', number)
    .executeTakeFirstOrThrow()
  return row.author
}

function toFileRow(run: ReviewedRun, author: string, file: FileActivity) {
  return {
    runId: run.id,
    repo: run.repo,
    prNumber: run.number,
    author,
    latest: true,
    requestedChanges: run.verdict === 'REQUEST_CHANGES',
    path: file.path,
    previousPath: file.previousPath,
    status: file.status,
    additions: file.additions,
    deletions: file.deletions,
    symbols: [...file.symbols],
  }
}
