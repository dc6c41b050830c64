// Follows a finding of an earlier review: whether its code still exists, and on which lines.

import type { Change } from '../../domain/change.ts'
import type { Evidence, Finding } from '../../domain/finding.ts'
import { isSecretRule } from '../../reviewers/rules/secret-rules.ts'
import type { ChangeFiles } from './change-files.ts'
import type { CodeRange, LineRange } from './code-range.ts'
import { hashAnchor, type LocatedFinding } from './locate-earlier.ts'
import { findInLines } from './match-code.ts'

/**
 * Updates a finding that wasn't reported again: moves it to the present lines of its code, or
 * resolves it if the code is gone or, with `wasLookedFor`, if its rule ran again without reporting
 * it. It stays as it is where neither can be known.
 *
 * A secret that was pushed is known to others, so it stays open until it is dismissed.
 */
export async function followFinding(
  change: Change,
  files: ChangeFiles,
  { finding, range }: LocatedFinding,
  wasLookedFor: boolean,
): Promise<Finding> {
  if (wasLookedFor && !(isOpenSecret(finding) && range)) return resolve(finding)
  return range ? moveFinding(finding, range) : await findOutsideDiff(change, files, finding)
}

/** Follows a finding whose code isn't in the diff, so that it can't be shown on a line. */
async function findOutsideDiff(
  change: Change,
  files: ChangeFiles,
  finding: Finding,
): Promise<Finding> {
  const unplaced: Finding = { ...finding, placement: 'summary' }
  const file = change.diff.files.find(({ path }) => path === finding.path)
  const isDiffIncomplete = file ? file.truncated : change.diff.problems.length > 0
  if (isDiffIncomplete) return unplaced
  if (!file || finding.side === 'LEFT' || finding.quote === '') return resolve(finding)
  const lines = await files.head(finding.path)
  if (lines === null) return unplaced
  const range = lines && findInLines(files.comparable(lines), finding)
  return range ? { ...moveFinding(finding, range), placement: 'summary' } : resolve(finding)
}

function isOpenSecret({ state, rule }: Finding): boolean {
  return state === 'open' && isSecretRule(rule)
}

function resolve(finding: Finding): Finding {
  return isOpenSecret(finding)
    ? { ...finding, removed: true, placement: 'summary', suggestion: null }
    : { ...finding, state: 'resolved' }
}

function moveFinding(finding: Finding, range: CodeRange): Finding {
  const { startLine, endLine } = range
  const placement = 'inline' as const
  const moved = { ...finding, ...moveToLines(finding, range), startLine, endLine, placement }
  return { ...moved, anchorHash: hashAnchor(range.text), removed: false }
}

/** Returns the evidence and the suggestion of a finding for the lines that its code moved to. */
export function moveToLines(
  finding: Finding,
  { startLine, endLine }: LineRange,
): Pick<Finding, 'evidence' | 'suggestion'> {
  const isOwnLine = ({ path, line }: Evidence) =>
    path === finding.path && line >= finding.startLine && line <= finding.endLine
  const move = (line: number) => Math.min(endLine, line + startLine - finding.startLine)
  const hasSameLength = endLine - startLine === finding.endLine - finding.startLine
  return {
    evidence: finding.evidence.map((item) =>
      isOwnLine(item) ? { ...item, line: move(item.line) } : item,
    ),
    // A suggestion replaces a fixed number of lines.
    suggestion: hasSameLength ? finding.suggestion : null,
  }
}
