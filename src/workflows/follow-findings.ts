// Follows the open findings of earlier reviews: where their code stands now, and whether it still does.
import type { FileDiff } from '../domain/diff.ts'
import type { Evidence, Finding } from '../domain/finding.ts'
import type { Change } from '../reviewers/reviewer.ts'
import { readLines } from './anchor-findings.ts'
import { checkSuggestion } from './check-suggestion.ts'
import { findInDiff, findInLines, linesOf, nearestPlace, type Place, placeOf } from './find-place.ts'
import { fingerprintOf, type Located } from './identify-findings.ts'

/** How many findings on equal code are told apart without a quote. */
const maxOccurrences = 4

/** The open ones among the earlier findings, with the place of each in the present diff. */
export function locateOpen(change: Change, earlier: readonly Finding[]): Located[] {
  return earlier
    .filter((finding) => finding.state === 'open')
    .map((finding) => {
      const file = change.diff.files.find(({ path }) => path === finding.path)
      if (!file) return { finding, place: undefined }
      return { finding, place: finding.quote === '' ? findUnquoted(file, finding) : findInDiff(file, finding) }
    })
}

/** A finding about a secret has no quote: its place is where the code gives its very fingerprint. */
function findUnquoted(file: FileDiff, finding: Finding): Place | undefined {
  const count = finding.endLine - finding.startLine + 1
  const occurrences = Array.from({ length: maxOccurrences }, (_, index) => index)
  const places = file.hunks.flatMap((hunk) => {
    const lines = linesOf(hunk, finding.side)
    return lines.flatMap((_, index) => {
      const place = index + count <= lines.length ? placeOf(lines.slice(index, index + count)) : undefined
      const isIt = place && occurrences.some((at) => fingerprintOf(finding, place.text, at) === finding.fingerprint)
      return isIt ? [place] : []
    })
  })
  return nearestPlace(places, finding.startLine)
}

/**
 * What becomes of an open finding that wasn't raised again: it is carried over with its lines brought up to date, or
 * resolved when its code is gone or, with `wasLookedFor`, when its rule looked and saw nothing. What can't be known is
 * carried. One whose code is not in the diff has no line there and is told in the summary.
 */
export async function followFinding(
  change: Change,
  { finding, place }: Located,
  wasLookedFor: boolean,
): Promise<Finding> {
  const resolved: Finding = { ...finding, state: 'resolved' }
  const unplaced: Finding = { ...finding, placement: 'summary' }
  const file = change.diff.files.find(({ path }) => path === finding.path)
  const isInDoubt = file ? file.truncated : change.diff.problems.length > 0
  if (wasLookedFor) return resolved
  if (place) return moveFinding(change, finding, place)
  if (isInDoubt) return unplaced
  if (!file || finding.side === 'LEFT' || finding.quote === '') return resolved
  const lines = await readLines(change.head, finding.path)
  if (lines === null) return unplaced
  const elsewhere = lines && findInLines(lines, finding)
  return elsewhere ? { ...(await moveFinding(change, finding, elsewhere)), placement: 'summary' } : resolved
}

/** The finding on the lines where its code stands now, and what belongs to those lines with it. */
async function moveFinding(change: Change, finding: Finding, place: Place): Promise<Finding> {
  const { startLine, endLine } = place
  const moved = { ...finding, startLine, endLine, placement: 'inline' as const }
  const isItself = ({ path, line }: Evidence) =>
    path === finding.path && line >= finding.startLine && line <= finding.endLine
  return {
    ...moved,
    evidence: finding.evidence.map((item) =>
      isItself(item) ? { ...item, line: Math.min(endLine, item.line + startLine - finding.startLine) } : item,
    ),
    suggestion: finding.suggestion && checkSuggestion(await readLines(change.head, finding.path), moved),
  }
}
