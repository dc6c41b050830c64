// Locates findings of earlier reviews in the present diff, also in moved lines and renamed files.
import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { Change } from '../../domain/change.ts'
import type { Diff, DiffSide, FileDiff } from '../../domain/diff.ts'
import type { Finding } from '../../domain/finding.ts'
import {
  type CodeRange,
  findNearest,
  listLines,
  type NumberedLine,
  normalizeCode,
  toCodeRange,
} from './code-range.ts'
import { findInDiff } from './match-code.ts'

/**
 * The finding has the present path of its file. `range` is undefined if its code isn't in the diff.
 */
export interface LocatedFinding {
  readonly finding: Finding
  readonly range: CodeRange | undefined
}

/** Shorter code occurs in many files, so it is only searched for in files of the same name. */
const minDistinctiveLength = 10
/** Bounds the search in other files, which hashes some 100,000 windows a second. */
const maxWindows = 200_000

/** Returns the number of non-blank lines and their hash, which finds code without storing it. */
export function hashAnchor(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const hash = createHash('sha256').update(lines.join('\n')).digest('hex')
  return `${lines.length}:${hash.slice(0, 16)}`
}

/** Locates all earlier findings that weren't resolved. */
export async function locateEarlierFindings(change: Change): Promise<LocatedFinding[]> {
  const search = createHashSearch()
  const located: LocatedFinding[] = []
  const lost: Finding[] = []
  for (const finding of change.earlier.findings.filter(({ state }) => state !== 'resolved')) {
    const file = findFile(change.diff, finding)
    if (file) located.push(locateIn(file, finding, search))
    else if (finding.side === 'RIGHT' && finding.anchorHash !== '') lost.push(finding)
    else located.push({ finding, range: undefined })
  }
  return lost.length === 0
    ? located
    : [...located, ...(await findInOtherFiles(change.diff, lost, located, search))]
}

/** Finds the file of a finding. A deleted file has no lines on the right side. */
function findFile({ files }: Diff, { path, side }: Finding): FileDiff | undefined {
  return (
    files.find((file) => file.path === path && (side === 'LEFT' || file.status !== 'deleted')) ??
    files.find((file) => file.oldPath === path && (side === 'LEFT' || file.status === 'renamed'))
  )
}

function locateIn(file: FileDiff, earlier: Finding, search: HashSearch): LocatedFinding {
  const finding = moveToFile(earlier, file.path)
  // A dismissal is only valid for the same code. Findings about secrets have no quote.
  if (finding.state !== 'dismissed' && finding.quote !== '')
    return { finding, range: findInDiff(file, finding) }
  return { finding, range: findNearest(search(file, finding), finding.startLine) }
}

function moveToFile(finding: Finding, path: string): Finding {
  if (path === finding.path) return finding
  const evidence = finding.evidence.map((item) =>
    item.path === finding.path ? { ...item, path } : item,
  )
  return { ...finding, path, evidence }
}

/**
 * Searches all files of the diff for the code of findings whose file is gone. Git shows the rename
 * of a file that the change itself added as a new file. Files of the same name are preferred, and
 * no two findings of a kind are located on the same lines.
 */
async function findInOtherFiles(
  diff: Diff,
  lost: readonly Finding[],
  located: readonly LocatedFinding[],
  search: HashSearch,
): Promise<LocatedFinding[]> {
  const rangesByHash = await searchAll(diff, lost, search)
  const toKey = ({ rule, category }: Finding, path: string, { startLine, endLine }: CodeRange) =>
    JSON.stringify([rule, category, path, startLine, endLine])
  const taken = new Set(
    located.flatMap(({ finding, range }) => (range ? [toKey(finding, finding.path, range)] : [])),
  )
  return lost.map((earlier) => {
    const isSameName = ({ path }: FoundRange) =>
      posix.basename(path) === posix.basename(earlier.path)
    const candidates = (rangesByHash.get(earlier.anchorHash) ?? []).filter(
      (found) =>
        (isSameName(found) || found.text.length >= minDistinctiveLength) &&
        !taken.has(toKey(earlier, found.path, found)),
    )
    const inSameName = candidates.filter(isSameName)
    const found = findNearest(inSameName.length > 0 ? inSameName : candidates, earlier.startLine)
    if (found === undefined) return { finding: earlier, range: undefined }
    taken.add(toKey(earlier, found.path, found))
    return { finding: moveToFile(earlier, found.path), range: found }
  })
}

interface FoundRange extends CodeRange {
  readonly path: string
}

/** Searches the right side of the diff and yields to other work between files. */
async function searchAll(
  { files }: Diff,
  findings: readonly Finding[],
  search: HashSearch,
): Promise<Map<string, FoundRange[]>> {
  const found = new Map<string, FoundRange[]>()
  const wanted = new Set(findings.map(({ anchorHash }) => anchorHash))
  const counts = new Set([...wanted].map(countLines))
  let windows = 0
  for (const file of files) {
    await setImmediate()
    windows += counts.size * file.hunks.reduce((sum, { newCount }) => sum + newCount, 0)
    if (windows > maxWindows) break
    for (const anchorHash of wanted) {
      const ranges = search(file, { side: 'RIGHT', anchorHash })
      if (ranges.length === 0) continue
      const withPath = ranges.map((range) => ({ ...range, path: file.path }))
      found.set(anchorHash, [...(found.get(anchorHash) ?? []), ...withPath])
    }
  }
  return found
}

/** Finds the code with this hash in a file of the diff. */
type HashSearch = (
  file: FileDiff,
  code: Pick<Finding, 'side' | 'anchorHash'>,
) => readonly CodeRange[]

/** Indexes each file once per number of lines, for all findings that are searched for in it. */
function createHashSearch(): HashSearch {
  const indexes = new Map<FileDiff, Map<string, Map<string, CodeRange[]>>>()
  return (file, { side, anchorHash }) => {
    const fileIndexes = indexes.get(file) ?? new Map<string, Map<string, CodeRange[]>>()
    indexes.set(file, fileIndexes)
    const count = countLines(anchorHash)
    const index = fileIndexes.get(`${side} ${count}`) ?? indexByHash(file, side, count)
    fileIndexes.set(`${side} ${count}`, index)
    return index.get(anchorHash) ?? []
  }
}

function indexByHash(file: FileDiff, side: DiffSide, count: number): Map<string, CodeRange[]> {
  const windows = file.hunks.flatMap((hunk) => listWindows(listLines(hunk, side), count))
  return Map.groupBy(windows, ({ text }) => hashAnchor(text))
}

function countLines(anchorHash: string): number {
  return Number.parseInt(anchorHash, 10) || 0
}

/** Lists all runs of `count` lines, not counting blank ones. */
function listWindows(lines: readonly NumberedLine[], count: number): CodeRange[] {
  if (count === 0) return []
  const filled = lines.filter(({ text }) => normalizeCode(text) !== '')
  return filled.flatMap((_, start) => {
    const end = start + count
    const range = end <= filled.length ? toCodeRange(filled.slice(start, end)) : undefined
    return range ? [range] : []
  })
}
