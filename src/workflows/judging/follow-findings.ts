// Follows the findings of earlier reviews: whether the code of each still stands, and on which lines.
import type { Evidence, Finding } from '../../domain/finding.ts'
import type { Change } from '../../reviewers/reviewer.ts'
import { isSecretRule } from '../../reviewers/rules/secret-rules.ts'
import type { ChangeFiles } from './change-files.ts'
import { type CodeRange, findInLines } from './find-code.ts'
import { hashAnchor, type LocatedFinding } from './locate-findings.ts'

/**
 * What becomes of a finding that wasn't raised again: it is carried over as it was, its lines brought up to date, or
 * resolved when its code is gone or, with `wasLookedFor`, when its rule looked and saw nothing. What can't be known is
 * carried. One whose code is not in the diff has no line there and is told in the summary.
 *
 * A secret that was pushed is known, also when its line is gone: it stays open until it is dismissed.
 */
export async function followFinding(
  change: Change,
  files: ChangeFiles,
  { finding, range: place }: LocatedFinding,
  wasLookedFor: boolean,
): Promise<Finding> {
  const isSecret = finding.state === 'open' && isSecretRule(finding.rule)
  const resolved: Finding = isSecret
    ? { ...finding, removed: true, placement: 'summary', suggestion: null }
    : { ...finding, state: 'resolved' }
  const unplaced: Finding = { ...finding, placement: 'summary' }
  const file = change.diff.files.find(({ path }) => path === finding.path)
  const isInDoubt = file ? file.truncated : change.diff.problems.length > 0
  if (wasLookedFor && !(isSecret && place)) return resolved
  if (place) return moveFinding(finding, place)
  if (isInDoubt) return unplaced
  if (!file || finding.side === 'LEFT' || finding.quote === '') return resolved
  const lines = await files.head(finding.path)
  if (lines === null) return unplaced
  const elsewhere = lines && findInLines(lines, finding)
  return elsewhere ? { ...moveFinding(finding, elsewhere), placement: 'summary' } : resolved
}

/** The finding on the lines where its code stands now, and what belongs to those lines with it. */
function moveFinding(finding: Finding, place: CodeRange): Finding {
  const { startLine, endLine } = place
  const placement = 'inline' as const
  const moved = { ...finding, ...moveToLines(finding, place), startLine, endLine, placement }
  return { ...moved, anchorHash: hashAnchor(place.text), removed: false }
}

/** What belongs to the lines of a finding, where they stand elsewhere now: its evidence, and what is to replace them. */
export function moveToLines(
  finding: Finding,
  { startLine, endLine }: Pick<CodeRange, 'startLine' | 'endLine'>,
): Pick<Finding, 'evidence' | 'suggestion'> {
  const isItself = ({ path, line }: Evidence) =>
    path === finding.path && line >= finding.startLine && line <= finding.endLine
  return {
    evidence: finding.evidence.map((item) =>
      isItself(item)
        ? { ...item, line: Math.min(endLine, item.line + startLine - finding.startLine) }
        : item,
    ),
    // It replaces as many lines as it was made for.
    suggestion:
      endLine - startLine === finding.endLine - finding.startLine ? finding.suggestion : null,
  }
}
