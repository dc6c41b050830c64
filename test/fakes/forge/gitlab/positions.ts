// Places of notes in a diff: which are taken, their line codes, and where they are after a push.
import { createHash } from 'node:crypto'
import {
  type ChangedFile,
  type Comparison,
  compareCommits,
  type Hunk,
  mapLine,
  readHunks,
} from '../comparison.ts'
import type { Anchor, InlineComment, PullRequest, Repository } from '../entities.ts'
import { readBlob, readTree, resolveCommit } from '../objects.ts'
import type { ForgeState } from '../state.ts'
import { type LineEnd, memoryOf, type Position } from './memory.ts'

/** A line of a diff by its numbers on both sides; null on the one that lacks it. */
interface Pair {
  readonly old: number | null
  readonly new: number | null
}

/** A line on one side of a diff. */
interface Side {
  readonly side: 'LEFT' | 'RIGHT'
  readonly line: number
}

/**
 * Names a line: the path's digest and the counters of both sides at this line, so that an added
 * line has the number of the old line that it is above (lib/gitlab/git.rb, `diff_line_code`).
 */
function lineCode(path: string, oldCounter: number, newCounter: number): string {
  return `${createHash('sha1').update(path).digest('hex')}_${oldCounter}_${newCounter}`
}

/** Returns the counters at a line of the diff; null where there is no such line. */
function countersAt(hunks: readonly Hunk[], pair: Pair): [number, number] | null {
  for (const hunk of hunks) {
    let [oldCounter, newCounter] = [hunk.oldStart, hunk.newStart]
    for (const line of hunk.lines) {
      if (line.oldLine === pair.old && line.newLine === pair.new) return [oldCounter, newCounter]
      if (line.kind !== '+') oldCounter += 1
      if (line.kind !== '-') newCounter += 1
    }
  }
  return null
}

const isBetween = (hunks: readonly Hunk[], oldLine: number) =>
  hunks.every(({ oldCount, oldStart }) => oldLine < oldStart || oldLine > oldStart + oldCount - 1)

/**
 * Returns the code of a line, or null where the diff has none. Unchanged lines anywhere in the file
 * count, with both of their numbers (lib/gitlab/diff/lines_unfolder.rb).
 */
async function findCode(
  repository: Repository,
  comparison: Comparison,
  file: ChangedFile,
  pair: Pair,
): Promise<string | null> {
  const hunks = readHunks(file.patch ?? '')
  const counters = countersAt(hunks, pair)
  if (counters !== null) return lineCode(file.path, ...counters)
  const { old, new: current } = pair
  if (old === null || current === null || file.status === 'added') return null
  if (!isBetween(hunks, old) || mapLine(hunks, old) !== current) return null
  const lines = await countLines(repository, comparison.mergeBase, file.oldPath)
  return old >= 1 && old <= lines ? lineCode(file.path, old, current) : null
}

async function countLines(repository: Repository, commit: string, path: string): Promise<number> {
  const [entry] = await readTree(repository, commit, false, path)
  if (entry?.type !== 'blob') return 0
  const text = (await readBlob(repository, entry.sha)).toString('utf8')
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
}

/**
 * Finds the file that a position names, among the files at its paths. A renamed file is a new one
 * for who names its new path alone (lib/gitlab/diff/position.rb asks for the diff of these paths).
 */
function findFile(comparison: Comparison, position: Position): ChangedFile | undefined {
  const paths = [position.old_path, position.new_path]
  const file = comparison.files.find(
    ({ oldPath, path }) => paths.includes(path) || paths.includes(oldPath),
  )
  if (file?.status !== 'renamed' || paths.includes(file.oldPath)) return file
  return { ...file, oldPath: file.path, status: 'added', patch: undefined }
}

/** What a note on a diff needs of its position. */
interface Placed {
  readonly anchor: Anchor
  readonly mergeBase: string
}

/** Finds the line of a position in the diff of its commits; null where there is none. */
export async function place(repository: Repository, position: Position): Promise<Placed | null> {
  const comparison = await comparisonOf(repository, position)
  const file = comparison === null ? undefined : findFile(comparison, position)
  if (comparison === null || file === undefined) return null
  const pair = { old: position.old_line, new: position.new_line }
  if ((await findCode(repository, comparison, file, pair)) === null) return null
  return { mergeBase: comparison.mergeBase, anchor: anchorOf(file, pair, position) }
}

/** The place in the shared state's form, whose lines are on one side each. */
function anchorOf(file: ChangedFile, pair: Pair, { line_range: range }: Position): Anchor {
  const end: Side =
    pair.new === null ? { side: 'LEFT', line: pair.old! } : { side: 'RIGHT', line: pair.new }
  const start = range === null ? null : sideOf(range.start)
  const isSame = start?.side === end.side && start.line === end.line
  const found = readHunks(file.patch ?? '')
    .flatMap(({ lines }) => lines)
    .find((one) => one.oldLine === pair.old && one.newLine === pair.new)
  const first = start === null || isSame ? { startSide: null, startLine: null } : startOf(start)
  const position = found?.position ?? 0
  return { path: file.path, ...end, ...first, position, diffHunk: '' }
}

const startOf = ({ line, side }: Side) => ({ startSide: side, startLine: line })

async function comparisonOf(
  repository: Repository,
  position: Position,
): Promise<Comparison | null> {
  const commits = [position.start_sha, position.head_sha]
  const known = await Promise.all(commits.map((sha) => resolveCommit(repository, sha)))
  if (known.some((sha, index) => sha !== commits[index])) return null
  return await compareCommits(repository, position.start_sha, position.head_sha).catch(() => null)
}

/** The line that one end of a range means: its numbers, or else those in its code. */
function sideOf(end: LineEnd): Side | null {
  const [, old, current] = /_(\d+)_(\d+)$/.exec(end.line_code ?? '') ?? []
  if (end.type === 'old') {
    const line = end.old_line ?? Number(old ?? 0)
    return line === 0 ? null : { side: 'LEFT', line }
  }
  const line = end.new_line ?? Number(current ?? 0)
  return line === 0 ? null : { side: 'RIGHT', line }
}

/**
 * Returns the position of a note as the API shows it: in the current diff where its line is there,
 * and as it was made where it isn't (app/models/concerns/diff_positionable_note.rb).
 */
export async function currentPosition(
  state: ForgeState,
  pull: PullRequest,
  comment: InlineComment,
): Promise<Position | null> {
  const made = memoryOf(state).positions.get(comment.inReplyTo ?? comment.id)
  if (made === undefined) return null
  if (comment.current === null || made.head_sha === pull.headSha) return made
  const comparison = await compareCommits(pull.repository, pull.baseSha, pull.headSha)
  const { path, side } = comment.original
  const pair = pairAt(comparison, path, side, comment.current.line)
  return {
    ...made,
    base_sha: comparison.mergeBase,
    start_sha: pull.baseSha,
    head_sha: pull.headSha,
    old_line: pair.old,
    new_line: pair.new,
    line_range: moveRange(made.line_range, path, pair),
  }
}

/** Moves both ends of a range by as much as its last line moved. */
function moveRange(range: Position['line_range'], path: string, pair: Pair) {
  if (range === null) return null
  const by = (pair.new ?? 0) - (range.end.new_line ?? pair.new ?? 0)
  const move = (end: LineEnd): LineEnd => {
    const [oldLine, newLine] = [end.old_line, end.new_line === null ? null : end.new_line + by]
    return { ...end, new_line: newLine, line_code: lineCode(path, oldLine ?? 0, newLine ?? 0) }
  }
  return { start: move(range.start), end: move(range.end) }
}

/** Returns both numbers of a line that is known on one side. */
function pairAt(comparison: Comparison, path: string, side: 'LEFT' | 'RIGHT', line: number): Pair {
  const file = comparison.files.find((candidate) => candidate.path === path)
  const found = readHunks(file?.patch ?? '')
    .flatMap(({ lines }) => lines)
    .find((one) => (side === 'LEFT' ? one.oldLine : one.newLine) === line)
  if (found !== undefined) return { old: found.oldLine, new: found.newLine }
  return side === 'LEFT' ? { old: line, new: null } : { old: null, new: line }
}
