// Writes down what a reviewed pull request touches: its files with the definitions that it changes, and the issues it names.
import type { Db } from '../../db/database.ts'
import type { IssueReference, PullRequestRef } from '../../domain/pull-request.ts'

/** A file of a pull request, as the review saw it. */
export interface FileTouch {
  readonly path: string
  /** Null where it is the same. */
  readonly previousPath: string | null
  readonly status: string
  readonly additions: number
  readonly deletions: number
  /** Names of the definitions that change in it, with what they are defined in. */
  readonly symbols: readonly string[]
}

/** What a pull request touches: no path twice and no issue twice, and only text that a database takes. */
export interface Touches {
  readonly files: readonly FileTouch[]
  readonly issues: readonly IssueReference[]
}

/** A statement takes 65,535 parameters at most. */
const rowsAtOnce = 500

/** Files are kept by run; issues as the latest review saw them. Saving the same again changes nothing. */
export async function saveTouches(
  tx: Db,
  run: PullRequestRef & { readonly id: number },
  { files, issues }: Touches,
): Promise<void> {
  await tx.deleteFrom('pull_request_files').where('run_id', '=', run.id).execute()
  for (let start = 0; start < files.length; start += rowsAtOnce) {
    const rows = files.slice(start, start + rowsAtOnce).map((file) => fileRow(run, file))
    await tx.insertInto('pull_request_files').values(rows).execute()
  }
  await tx.deleteFrom('pull_request_issues').where('repo', '=', run.repo).where('pr_number', '=', run.number).execute()
  if (issues.length === 0) return
  const rows = issues.map(({ repo, number, closes }) => {
    return { repo: run.repo, pr_number: run.number, issue_repo: repo, issue_number: number, closes }
  })
  await tx.insertInto('pull_request_issues').values(rows).execute()
}

function fileRow(run: PullRequestRef & { readonly id: number }, file: FileTouch) {
  return {
    run_id: run.id,
    repo: run.repo,
    pr_number: run.number,
    path: file.path,
    previous_path: file.previousPath,
    status: file.status,
    additions: file.additions,
    deletions: file.deletions,
    symbols: [...file.symbols],
  }
}
