// Locates the findings of earlier reviews in the present diff, also where lines moved and files got other names.
import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { Diff, DiffSide, FileDiff } from '../../domain/diff.ts'
import type { Finding } from '../../domain/finding.ts'
import type { Change } from '../../reviewers/reviewer.ts'
import {
  type CodeRange,
  findInDiff,
  findNearest,
  listLines,
  type NumberedLine,
  normalizeCode,
  toCodeRange,
} from './find-code.ts'

/** A finding of an earlier review under the present name of its file, and where its code stands in the diff now. */
export interface LocatedFinding {
  readonly finding: Finding
  readonly range: CodeRange | undefined
}

/** Code with fewer characters than this stands in many files: it is looked for in a file of the same name only. */
const tellingLength = 10
/** How many pieces of code are compared at most when files are gone: some hundred thousand a second. */
const mostWindows = 200_000

/** By what code is found again without its text: the number of its lines that aren't blank, and their hash. */
export function hashAnchor(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return `${lines.length}:${createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 16)}`
}

/** All earlier findings that weren't resolved, each with its place in the present diff. */
export async function locateFindings(change: Change): Promise<LocatedFinding[]> {
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

/** The file that a finding is about. A deleted one has no lines that were added to it. */
function findFile({ files }: Diff, { path, side }: Finding): FileDiff | undefined {
  return (
    files.find((file) => file.path === path && (side === 'LEFT' || file.status !== 'deleted')) ??
    files.find((file) => file.oldPath === path && (side === 'LEFT' || file.status === 'renamed'))
  )
}

function locateIn(file: FileDiff, earlier: Finding, search: HashSearch): LocatedFinding {
  const finding = moveToFile(earlier, file.path)
  // An answer holds for the code that it was given about; what was said about a secret has no quote.
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
 * Where git sees a new file instead of a renamed one, as it does with all that the change itself added: the file in which
 * the very same lines stand, one of the same name first. No two findings of a kind are taken to the same lines.
 */
async function findInOtherFiles(
  diff: Diff,
  lost: readonly Finding[],
  located: readonly LocatedFinding[],
  search: HashSearch,
): Promise<LocatedFinding[]> {
  const places = await searchAll(diff, lost, search)
  const nameOf = ({ rule, category }: Finding, path: string, { startLine, endLine }: CodeRange) =>
    JSON.stringify([rule, category, path, startLine, endLine])
  const taken = new Set(
    located.flatMap(({ finding, range: place }) =>
      place ? [nameOf(finding, finding.path, place)] : [],
    ),
  )
  return lost.map((earlier) => {
    const isSameName = ({ path }: FoundPlace) =>
      posix.basename(path) === posix.basename(earlier.path)
    const candidates = (places.get(earlier.anchorHash) ?? []).filter(
      (found) =>
        (isSameName(found) || found.text.length >= tellingLength) &&
        !taken.has(nameOf(earlier, found.path, found)),
    )
    const namesakes = candidates.filter(isSameName)
    const found = findNearest(namesakes.length > 0 ? namesakes : candidates, earlier.startLine)
    if (found === undefined) return { finding: earlier, range: undefined }
    taken.add(nameOf(earlier, found.path, found))
    return { finding: moveToFile(earlier, found.path), range: found }
  })
}

interface FoundPlace extends CodeRange {
  readonly path: string
}

/** Looks for the code of findings on the new side of the whole diff. Lets other work go on between files. */
async function searchAll(
  { files }: Diff,
  findings: readonly Finding[],
  search: HashSearch,
): Promise<Map<string, FoundPlace[]>> {
  const found = new Map<string, FoundPlace[]>()
  const wanted = new Set(findings.map(({ anchorHash }) => anchorHash))
  const counts = new Set([...wanted].map(countLines))
  let windows = 0
  for (const file of files) {
    await setImmediate()
    windows += counts.size * file.hunks.reduce((sum, { newCount }) => sum + newCount, 0)
    if (windows > mostWindows) break
    for (const anchorHash of wanted) {
      const places = search(file, { side: 'RIGHT', anchorHash }).map((place) => ({
        ...place,
        path: file.path,
      }))
      if (places.length > 0) found.set(anchorHash, [...(found.get(anchorHash) ?? []), ...places])
    }
  }
  return found
}

/** Where code of this hash stands in a file of the diff. */
type HashSearch = (
  file: FileDiff,
  code: Pick<Finding, 'side' | 'anchorHash'>,
) => readonly CodeRange[]

/** Reads each file once for each number of lines, however many findings are looked for in it. */
function createHashSearch(): HashSearch {
  const indexes = new Map<FileDiff, Map<string, Map<string, CodeRange[]>>>()
  return (file, { side, anchorHash }) => {
    const ofFile = indexes.get(file) ?? new Map<string, Map<string, CodeRange[]>>()
    indexes.set(file, ofFile)
    const count = countLines(anchorHash)
    const index = ofFile.get(`${side} ${count}`) ?? indexByHash(file, side, count)
    ofFile.set(`${side} ${count}`, index)
    return index.get(anchorHash) ?? []
  }
}

function indexByHash(file: FileDiff, side: DiffSide, count: number): Map<string, CodeRange[]> {
  const places = file.hunks.flatMap((hunk) => listWindows(listLines(hunk, side), count))
  return Map.groupBy(places, ({ text }) => hashAnchor(text))
}

function countLines(anchorHash: string): number {
  return Number.parseInt(anchorHash, 10) || 0
}

/** All runs of `count` lines; blank ones in between don't count. */
function listWindows(lines: readonly NumberedLine[], count: number): CodeRange[] {
  if (count === 0) return []
  const filled = lines.filter(({ text }) => normalizeCode(text) !== '')
  return filled.flatMap((_, at) => {
    const place =
      at + count <= filled.length ? toCodeRange(filled.slice(at, at + count)) : undefined
    return place ? [place] : []
  })
}
