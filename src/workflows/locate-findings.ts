// Locates the findings of earlier reviews in the present diff, also where lines moved and files got other names.
import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { Diff, FileDiff } from '../domain/diff.ts'
import type { Finding } from '../domain/finding.ts'
import type { Change } from '../reviewers/reviewer.ts'
import {
  findInDiff,
  linesOf,
  type NumberedLine,
  nearestPlace,
  normalizeCode,
  type Place,
  placeOf,
} from './find-place.ts'

/** A finding of an earlier review under the present name of its file, and where its code stands in the diff now. */
export interface Located {
  readonly finding: Finding
  readonly place: Place | undefined
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
export async function locateFindings(change: Change): Promise<Located[]> {
  const standing = change.earlier.findings.filter((finding) => finding.state !== 'resolved')
  const located: Located[] = []
  const lost: Finding[] = []
  for (const finding of standing) {
    const file = findFile(change.diff, finding)
    if (file) located.push(locateIn(file, finding))
    else if (finding.side === 'RIGHT' && finding.anchorHash !== '') lost.push(finding)
    else located.push({ finding, place: undefined })
  }
  return lost.length === 0 ? located : [...located, ...(await findInOtherFiles(change, lost, located))]
}

/** The file that a finding is about. A deleted one has no lines that were added to it. */
function findFile({ files }: Diff, { path, side }: Finding): FileDiff | undefined {
  return (
    files.find((file) => file.path === path && (side === 'LEFT' || file.status !== 'deleted')) ??
    files.find((file) => file.oldPath === path && (side === 'LEFT' || file.status === 'renamed'))
  )
}

function locateIn(file: FileDiff, earlier: Finding): Located {
  const finding = moveToFile(earlier, file.path)
  if (finding.quote !== '') return { finding, place: findInDiff(file, finding) }
  // What was said about a secret has no quote.
  const places = file.hunks.flatMap((hunk) => listWindows(linesOf(hunk, finding.side), countLines(finding.anchorHash)))
  const same = places.filter(({ text }) => hashAnchor(text) === finding.anchorHash)
  return { finding, place: nearestPlace(same, finding.startLine) }
}

function moveToFile(finding: Finding, path: string): Finding {
  if (path === finding.path) return finding
  const evidence = finding.evidence.map((item) => (item.path === finding.path ? { ...item, path } : item))
  return { ...finding, path, evidence }
}

/**
 * Where git sees a new file instead of a renamed one, as it does with all that the change itself added: the file in which
 * the very same lines stand, one of the same name first.
 */
async function findInOtherFiles(
  change: Change,
  lost: readonly Finding[],
  located: readonly Located[],
): Promise<Located[]> {
  const places = await findByHash(change.diff, new Set(lost.map((finding) => finding.anchorHash)))
  const nameOf = ({ rule, category }: Finding, path: string, { startLine, endLine }: Place) =>
    JSON.stringify([rule, category, path, startLine, endLine])
  const taken = new Set(located.flatMap(({ finding, place }) => (place ? [nameOf(finding, finding.path, place)] : [])))
  return lost.map((earlier) => {
    const isSameName = (path: string) => posix.basename(path) === posix.basename(earlier.path)
    const candidates = (places.get(earlier.anchorHash) ?? []).filter(
      ({ path, place }) =>
        (isSameName(path) || place.text.length >= tellingLength) && !taken.has(nameOf(earlier, path, place)),
    )
    const namesakes = candidates.filter(({ path }) => isSameName(path))
    const wanted = namesakes.length > 0 ? namesakes : candidates
    const place = nearestPlace(
      wanted.map((candidate) => candidate.place),
      earlier.startLine,
    )
    const path = wanted.find((candidate) => candidate.place === place)?.path
    if (place === undefined || path === undefined) return { finding: earlier, place: undefined }
    taken.add(nameOf(earlier, path, place))
    return { finding: moveToFile(earlier, path), place }
  })
}

interface FoundPlace {
  readonly path: string
  readonly place: Place
}

/** Looks for code by its hash on the new side of the whole diff. Lets other work go on between files. */
async function findByHash({ files }: Diff, wanted: ReadonlySet<string>): Promise<Map<string, FoundPlace[]>> {
  const found = new Map<string, FoundPlace[]>()
  const counts = new Set([...wanted].map(countLines))
  let windows = 0
  for (const file of files) {
    await setImmediate()
    for (const hunk of file.hunks) {
      const lines = linesOf(hunk, 'RIGHT')
      for (const place of [...counts].flatMap((count) => listWindows(lines, count))) {
        windows += 1
        if (windows > mostWindows) return found
        const hash = hashAnchor(place.text)
        if (wanted.has(hash)) found.set(hash, [...(found.get(hash) ?? []), { path: file.path, place }])
      }
    }
  }
  return found
}

function countLines(anchorHash: string): number {
  return Number.parseInt(anchorHash, 10) || 0
}

/** All runs of `count` lines; blank ones in between don't count. */
function listWindows(lines: readonly NumberedLine[], count: number): Place[] {
  if (count === 0) return []
  const filled = lines.filter(({ text }) => normalizeCode(text) !== '')
  return filled.flatMap((_, at) => {
    const place = at + count <= filled.length ? placeOf(filled.slice(at, at + count)) : undefined
    return place ? [place] : []
  })
}
