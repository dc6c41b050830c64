// Finds the position of a comment on lines, which names three commits and both sides of the diff.
// https://docs.gitlab.com/api/discussions/#create-a-new-thread-in-the-merge-request-diff
import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { DiffHunk, DiffLine } from '../../domain/diff.ts'
import { PlatformError } from '../../domain/errors.ts'
import type { Connection } from '../http/connection.ts'
import { sendForJson } from '../http/request.ts'
import type { DiffPlace, LineNumbers } from '../platform.ts'
import { fileDiff, type GitlabFileDiff, parseFile } from './diffs.ts'
import type { MergeRequestRef } from './notes.ts'
import { buildProjectCall } from './project-calls.ts'

const maxVersionBytes = 64 * 2 ** 20

const version = z.object({
  id: z.int(),
  head_commit_sha: z.string(),
  base_commit_sha: z.string(),
  start_commit_sha: z.string(),
})

/** What a merge request showed when its head was pushed. */
interface Version {
  readonly refs: {
    readonly base_sha: string
    readonly start_sha: string
    readonly head_sha: string
  }
  readonly files: readonly GitlabFileDiff[]
}

/**
 * GET /projects/{id}/merge_requests/{iid}/versions, and the diffs of the newest one with that head.
 *
 * @throws PlatformError `platform_refused` for a commit that was never the head
 */
export async function readVersion(
  connection: Connection,
  { access, number, signal }: MergeRequestRef,
  headSha: string,
): Promise<Version> {
  const path = `/merge_requests/${number}/versions`
  const list = buildProjectCall(access, `${path}?per_page=100`, signal)
  const versions = await sendForJson(connection, list, z.array(version))
  const found = versions.find(({ head_commit_sha: sha }) => sha === headSha)
  if (found === undefined) {
    const message = 'The commit is no version of the merge request.'
    throw new PlatformError('platform_refused', message, { status: 422 })
  }
  const call = buildProjectCall(access, `${path}/${found.id}`, signal, {
    maxBytes: maxVersionBytes,
  })
  const { diffs } = await sendForJson(connection, call, z.object({ diffs: z.array(fileDiff) }))
  const { base_commit_sha: base_sha, start_commit_sha: start_sha } = found
  return { refs: { base_sha, start_sha, head_sha: headSha }, files: diffs }
}

/** The position of a place; undefined if the diff doesn't show its lines. */
export function findPosition({ refs, files }: Version, place: DiffPlace): object | undefined {
  const { path, side } = place
  const file = files.find(({ new_path }) => new_path === path)
  const hunks = (file && parseFile(file))?.hunks ?? []
  const [start, end] = [place.start, place.end].map((at) => findLine(hunks, side, at))
  if (file === undefined || start === undefined || end === undefined) return undefined
  const position = {
    ...refs,
    position_type: 'text',
    old_path: file.old_path,
    new_path: path,
    ...numbersOf(end.line),
  }
  if (start.line === end.line) return position
  return { ...position, line_range: { start: toRangeEnd(path, start), end: toRangeEnd(path, end) } }
}

interface FoundLine {
  readonly line: DiffLine
  /** How many lines of both sides come before it, plus one: GitLab's codes have these. */
  readonly at: { readonly old: number; readonly new: number }
}

function findLine(
  hunks: readonly DiffHunk[],
  side: DiffPlace['side'],
  wanted: LineNumbers,
): FoundLine | undefined {
  for (const hunk of hunks) {
    // The start is 0 on a side without lines.
    let [oldNext, newNext] = [Math.max(1, hunk.oldStart), Math.max(1, hunk.newStart)]
    for (const line of hunk.lines) {
      const isFound = side === 'LEFT' ? line.oldLine === wanted.old : line.newLine === wanted.new
      if (isFound && (line.oldLine ?? line.newLine) !== null)
        return { line, at: { old: oldNext, new: newNext } }
      if (line.oldLine !== null) oldNext += 1
      if (line.newLine !== null) newNext += 1
    }
  }
  return undefined
}

/** An added line has no old number, and a deleted one no new number. */
function numbersOf({ oldLine, newLine }: DiffLine) {
  return {
    ...(oldLine === null ? {} : { old_line: oldLine }),
    ...(newLine === null ? {} : { new_line: newLine }),
  }
}

function toRangeEnd(path: string, { line, at }: FoundLine): object {
  const hash = createHash('sha1').update(path).digest('hex')
  return {
    line_code: `${hash}_${at.old}_${at.new}`,
    type: line.kind === 'added' ? 'new' : 'old',
    ...numbersOf(line),
  }
}
