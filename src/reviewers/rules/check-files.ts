// Runs the rules that look at all changed lines of a file or of the change together.

import { type Change, listReviewedFiles } from '../../domain/change.ts'
import type { FileDiff } from '../../domain/diff.ts'
import { GitError } from '../../domain/errors.ts'
import type { ProposedFinding } from '../../domain/finding.ts'
import { toProposedFinding } from './propose-finding.ts'
import { reviewSettingsRules } from './review-settings-rules.ts'
import { type ChangeHit, type FileHit, type IsDisabled, type Rule, toRuleFinding } from './rule.ts'
import { spellingRules } from './spelling-rules.ts'

/** Returns what the enabled rules find in the reviewed files. */
export function checkFiles(change: Change, isDisabled: IsDisabled): ProposedFinding[] {
  const findings: ProposedFinding[] = []
  for (const file of listReviewedFiles(change)) {
    for (const rule of reviewSettingsRules) {
      const hit = isDisabled(rule.id, file.path) ? undefined : rule.file?.(file)
      if (!hit) continue
      const { side, at } = hit
      const texts = new Map([[at.startLine, findChangedLine(file, hit)]])
      findings.push(toProposedFinding(toRuleFinding(rule, hit), { path: file.path, side, texts }))
    }
  }
  return findings
}

/**
 * Returns what the enabled rules find that search the repository. Where it can't be searched, they
 * find nothing. Generated and vendored files are left out.
 */
export async function checkChange(
  change: Change,
  isDisabled: IsDisabled,
): Promise<ProposedFinding[]> {
  const { head, base } = change
  const findings: ProposedFinding[] = []
  for (const rule of spellingRules) {
    const isEnabled = (file: FileDiff) => !isDisabled(rule.id, file.path)
    const files = change.files.filter(isEnabled)
    const hits = await rule.change!({ files, head, base }).catch(ignoreGitErrors)
    findings.push(...hits.flatMap((hit) => proposeInChange(files, rule, hit)))
  }
  return findings
}

function ignoreGitErrors(error: unknown): [] {
  if (error instanceof GitError) return []
  throw error
}

function proposeInChange(
  files: readonly FileDiff[],
  rule: Rule,
  hit: ChangeHit,
): ProposedFinding[] {
  const file = files.find(({ path }) => path === hit.path)
  if (file === undefined) return []
  const texts = new Map([[hit.at.startLine, findChangedLine(file, { ...hit, side: 'RIGHT' })]])
  const place = { path: hit.path, side: 'RIGHT', texts } as const
  return [toProposedFinding(toRuleFinding(rule, hit), place)]
}

/** The text of the changed line that a hit is on; empty where the diff has none. */
function findChangedLine({ hunks }: FileDiff, { side, at }: FileHit): string {
  const lines = hunks.flatMap((hunk) => hunk.lines)
  const line = lines.find(
    ({ kind, newLine, oldLine }) =>
      kind !== 'context' && (side === 'RIGHT' ? newLine : oldLine) === at.startLine,
  )
  return line?.text.replace(/\r$/, '') ?? ''
}
