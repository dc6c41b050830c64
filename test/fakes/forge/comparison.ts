// The change between two commits: files, hunks, and which lines can hold a comment.

import type { Anchor, Repository } from './entities.ts'
import { git, gitLine } from './git.ts'

export interface PatchLine {
  readonly kind: ' ' | '+' | '-'
  readonly oldLine: number | null
  readonly newLine: number | null
  /** Lines below the file's first `@@`, 1-based. */
  readonly position: number
  readonly text: string
}

export interface Hunk {
  readonly header: string
  readonly oldStart: number
  readonly oldCount: number
  readonly newStart: number
  readonly newCount: number
  readonly lines: readonly PatchLine[]
}

export interface ChangedFile {
  readonly path: string
  readonly oldPath: string
  readonly status: 'added' | 'removed' | 'modified' | 'renamed' | 'copied' | 'changed'
  /** The blob at the head, or at the base for a removed file. */
  readonly sha: string
  readonly additions: number
  readonly deletions: number
  /** From the first `@@`; undefined for binary files and where only the name or mode changed. */
  readonly patch: string | undefined
}

/** What changed from a merge base to a head. */
export interface Comparison {
  readonly mergeBase: string
  readonly head: string
  readonly files: readonly ChangedFile[]
  /** The whole unified diff, as git prints it. */
  readonly diff: Buffer
}

/** Returns the merge base of two commits; null when they have no history in common. */
export async function mergeBaseOf(
  repository: Repository,
  base: string,
  head: string,
): Promise<string | null> {
  try {
    return await gitLine(repository.directory, ['merge-base', base, head])
  } catch {
    return null
  }
}

/** Returns the three-dot comparison of two commits. It is cached, because commits never change. */
export function compareCommits(
  repository: Repository,
  base: string,
  head: string,
): Promise<Comparison> {
  const key = `${base}...${head}`
  let comparison = repository.comparisons.get(key)
  if (comparison === undefined) {
    comparison = computeComparison(repository, base, head)
    // The cache is bounded: large test repositories would otherwise fill the memory with diffs.
    if (repository.comparisons.size >= 20)
      repository.comparisons.delete([...repository.comparisons.keys()][0]!)
    repository.comparisons.set(key, comparison)
  }
  return comparison
}

async function computeComparison(
  repository: Repository,
  base: string,
  head: string,
): Promise<Comparison> {
  const mergeBase = await mergeBaseOf(repository, base, head)
  if (mergeBase === null) throw new Error(`${base} and ${head} have no history in common.`)
  const common = ['--no-color', '--no-ext-diff', '--no-textconv', '-M', mergeBase, head, '--']
  const [list, diff] = await Promise.all([
    git(repository.directory, ['diff', '--raw', '--numstat', '-z', '--no-abbrev', ...common]),
    git(repository.directory, ['diff', '-p', ...common]),
  ])
  return {
    mergeBase,
    head,
    files: readFiles(list.toString('utf8'), splitSections(diff.toString('utf8'))),
    diff,
  }
}

/** Splits a diff at each `diff --git`: within hunks no line starts like that. */
function splitSections(diff: string): string[] {
  return diff === '' ? [] : diff.split(/(?<=\n)(?=diff --git )/)
}

/**
 * Joins git's machine-readable list (`--raw --numstat -z`) with the sections of the diff in the
 * same order.
 */
function readFiles(list: string, sections: string[]): ChangedFile[] {
  const fields = list.split('\0')
  const raw: {
    modes: [string, string]
    shas: [string, string]
    letter: string
    oldPath: string
    path: string
  }[] = []
  let index = 0
  while (fields[index]?.startsWith(':')) {
    const [oldMode, newMode, oldSha, newSha, status] = fields[index]!.slice(1).split(' ') as [
      string,
      ...string[],
    ]
    const letter = status![0]!
    const oldPath = fields[index + 1]!
    const renamed = letter === 'R' || letter === 'C'
    raw.push({
      modes: [oldMode, newMode!],
      shas: [oldSha!, newSha!],
      letter,
      oldPath,
      path: renamed ? fields[index + 2]! : oldPath,
    })
    index += renamed ? 3 : 2
  }
  let section = 0
  return raw.map((entry) => {
    const [added, deleted, path] = fields[index]!.split('\t')
    index += path === '' ? 3 : 1
    const text = sections[section]
    // A change of type (file to link) is one entry and two sections.
    section += entry.letter === 'T' ? 2 : 1
    const patchStart = text === undefined || entry.letter === 'T' ? 0 : text.indexOf('\n@@ ') + 1
    return {
      path: entry.path,
      oldPath: entry.oldPath,
      status: statusOf(entry.letter, entry.shas, entry.modes),
      sha: entry.letter === 'D' ? entry.shas[0] : entry.shas[1],
      additions: added === '-' ? 0 : Number(added),
      deletions: deleted === '-' ? 0 : Number(deleted),
      patch: patchStart === 0 ? undefined : text!.slice(patchStart).replace(/\n$/, ''),
    }
  })
}

function statusOf(
  letter: string,
  shas: [string, string],
  modes: [string, string],
): ChangedFile['status'] {
  if (letter === 'A') return 'added'
  if (letter === 'D') return 'removed'
  if (letter === 'R') return 'renamed'
  if (letter === 'C') return 'copied'
  return letter === 'T' || (shas[0] === shas[1] && modes[0] !== modes[1]) ? 'changed' : 'modified'
}

/** Parses the hunks of one file's patch. */
// oxlint-disable-next-line complexity -- one condition for each kind of line
export function readHunks(patch: string): Hunk[] {
  const hunks: (Hunk & { lines: PatchLine[] })[] = []
  let [oldLine, newLine, position] = [0, 0, -1]
  for (const line of patch.split('\n')) {
    position += 1
    const header = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line)
    if (header !== null) {
      ;[oldLine, newLine] = [Number(header[1]), Number(header[3])]
      const [oldCount, newCount] = [Number(header[2] ?? 1), Number(header[4] ?? 1)]
      hunks.push({
        header: line,
        oldStart: oldLine,
        oldCount,
        newStart: newLine,
        newCount,
        lines: [],
      })
      continue
    }
    const kind = line[0]
    if (kind !== ' ' && kind !== '+' && kind !== '-') continue
    hunks.at(-1)?.lines.push({
      kind,
      oldLine: kind === '+' ? null : oldLine,
      newLine: kind === '-' ? null : newLine,
      position,
      text: line.slice(1),
    })
    if (kind !== '+') oldLine += 1
    if (kind !== '-') newLine += 1
  }
  return hunks
}

/** The line range of a comment in a request. */
export interface AnchorRequest {
  readonly path: string
  readonly side: 'LEFT' | 'RIGHT'
  readonly line: number
  readonly startSide: 'LEFT' | 'RIGHT' | null
  readonly startLine: number | null
}

export type AnchorProblem = 'path' | 'line' | 'start_line_order' | 'start_line_hunk'

/** Finds the position of a comment in a change, or returns what is wrong with it. */
export function resolveAnchor(
  comparison: Comparison,
  request: AnchorRequest,
): Anchor | AnchorProblem {
  const file = comparison.files.find((candidate) => candidate.path === request.path)
  if (file === undefined) return 'path'
  const onSide = (line: PatchLine, side: 'LEFT' | 'RIGHT') =>
    side === 'LEFT' ? line.oldLine : line.newLine
  for (const hunk of readHunks(file.patch ?? '')) {
    const end = hunk.lines.findIndex((line) => onSide(line, request.side) === request.line)
    if (end < 0) continue
    const { startLine } = request
    const startSide = startLine === null ? null : (request.startSide ?? request.side)
    if (startLine !== null) {
      if (startSide === request.side && startLine >= request.line) return 'start_line_order'
      const start = hunk.lines.findIndex((line) => onSide(line, startSide!) === startLine)
      if (start < 0) return 'start_line_hunk'
      if (start >= end) return 'start_line_order'
    }
    const shown = hunk.lines.slice(0, end + 1).map((line) => line.kind + line.text)
    return {
      ...request,
      startSide,
      position: hunk.lines[end]!.position,
      diffHunk: [hunk.header, ...shown].join('\n'),
    }
  }
  return 'line'
}

/**
 * Maps a line of the old file to the new one by the hunks of a diff without context; null when it
 * was removed.
 */
export function mapLine(hunks: readonly Hunk[], line: number): number | null {
  let shift = 0
  for (const hunk of hunks) {
    // With a count of 0, the start is the line after which text was inserted.
    const end = hunk.oldCount === 0 ? hunk.oldStart : hunk.oldStart + hunk.oldCount - 1
    if (line <= end && (hunk.oldCount === 0 || line < hunk.oldStart)) break
    if (line <= end) return null
    shift += hunk.newCount - hunk.oldCount
  }
  return line + shift
}

/**
 * Returns the change between two commits without context, by path. Renamed files count as removed.
 */
export async function lineMovements(
  repository: Repository,
  from: string,
  to: string,
): Promise<Map<string, Hunk[] | 'gone'>> {
  if (from === to) return new Map()
  const common = ['--no-color', '--no-ext-diff', '--no-textconv', '--no-renames', from, to, '--']
  const [list, diff] = await Promise.all([
    git(repository.directory, ['diff', '--raw', '--numstat', '-z', '--no-abbrev', ...common]),
    git(repository.directory, ['diff', '-p', '-U0', ...common]),
  ])
  const files = readFiles(list.toString('utf8'), splitSections(diff.toString('utf8')))
  return new Map(
    files.map((file) => [
      file.path,
      file.status === 'removed' ? 'gone' : readHunks(file.patch ?? ''),
    ]),
  )
}
