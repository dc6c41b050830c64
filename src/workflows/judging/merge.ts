// Second step: merges candidates of several reviewers about the same problem into one claim.
import { compareBySeverity, type Evidence, isOwnRule, isToolRule } from '../../domain/finding.ts'
import { isSecretRule } from '../../reviewers/rules/secret-rules.ts'
import { maxEvidence } from './change-files.ts'
import { normalizeCode, overlaps } from './code-range.ts'
import { measureSimilarity } from './measure-similarity.ts'
import type { Anchored, Merged } from './stages.ts'

/** Candidates are the same if their titles have at least this similarity. */
const minSimilarity = 0.5
/** Different reviewers may name lines up to this far apart for the same problem. */
const maxLineDistance = 3

/**
 * Merges candidates on overlapping lines with similar titles; by different reviewers also with the
 * same category, or with similar titles on nearby lines. Candidates of two different rules are
 * never merged, but those of another tool with the same problem on overlapping lines.
 */
export function mergeDuplicates(anchored: readonly Anchored[]): Merged[] {
  const groups: Anchored[][] = []
  const sorted = anchored.toSorted(
    (a, b) => compareByTrust(a, b) || compareBySecret(a, b) || compareBySeverity(a, b),
  )
  for (const candidate of sorted) {
    const group = groups.find(
      (members) => canShareRule(members, candidate) && isSameProblem(members[0]!, candidate),
    )
    if (group) group.push(candidate)
    else groups.push([candidate])
  }
  return groups.map((members) => ({
    claim: mergeMembers(members),
    members,
    byRule: members.find(({ rule }) => isOwnRule(rule)) ?? null,
  }))
}

/** A stranger's words never replace those of others, which would be refuted with them. */
function compareByTrust(a: Anchored, b: Anchored): number {
  return Number(a.isStrangers ?? false) - Number(b.isStrangers ?? false)
}

/** Findings of the rule about secrets come first: they have no quote, and outlast their line. */
function compareBySecret(a: Anchored, b: Anchored): number {
  return Number(isSecretRule(b.rule)) - Number(isSecretRule(a.rule))
}

function canShareRule(members: readonly Anchored[], { rule }: Anchored): boolean {
  if (!isOwnRule(rule)) return true
  return members.every((member) => !isOwnRule(member.rule) || member.rule === rule)
}

function isSameProblem(a: Anchored, b: Anchored): boolean {
  if (a.path !== b.path || a.side !== b.side) return false
  return isToolRule(a.rule) || isToolRule(b.rule) ? isSameToolClaim(a, b) : isSameClaim(a, b)
}

function isSameClaim(a: Anchored, b: Anchored): boolean {
  const isSameCategory = a.category === b.category
  // One reviewer's candidates of the same category are different, even if their lines are the same.
  const isOther = a.reviewer !== b.reviewer || !isSameCategory
  if (overlaps(a, b)) return (isSameCategory && isOther) || isSameTitle(a, b)
  const distance = Math.max(a.startLine - b.endLine, b.startLine - a.endLine)
  return isOther && distance <= maxLineDistance && isSameTitle(a, b)
}

/** Whether two claims are the same if another tool makes one: its categories are too wide. */
function isSameToolClaim(a: Anchored, b: Anchored): boolean {
  if (!overlaps(a, b)) return false
  if (a.reviewer === b.reviewer) return a.rule === b.rule && a.title === b.title
  const isSameRule = [a.rule, a.sameAs].some((rule) => rule && [b.rule, b.sameAs].includes(rule))
  return isSameRule || isSameTitle(a, b)
}

function isSameTitle(a: Anchored, b: Anchored): boolean {
  return (
    normalizeCode(a.title) === normalizeCode(b.title) ||
    measureSimilarity(a.title, b.title) >= minSimilarity
  )
}

/** Keeps the text of the first member. Prefers the suggestion of a rule, for the same lines. */
function mergeMembers(members: readonly Anchored[]): Anchored {
  const strongest = members[0]!
  const { startLine, endLine } = strongest
  const withSuggestion = members.filter(
    (member) =>
      member.suggestion !== null && member.startLine === startLine && member.endLine === endLine,
  )
  const best = withSuggestion.find((member) => member.rule !== null) ?? withSuggestion[0]
  return {
    ...strongest,
    suggestion: best?.suggestion ?? null,
    evidence: mergeEvidence(members.flatMap((member) => member.evidence)),
  }
}

/** Keeps the first evidence for each line, up to `maxEvidence`. */
export function mergeEvidence(evidence: readonly Evidence[]): Evidence[] {
  const byLine = new Map<string, Evidence>()
  for (const item of evidence) {
    const key = `${item.line} ${item.path}`
    if (!byLine.has(key)) byLine.set(key, item)
  }
  return [...byLine.values()].slice(0, maxEvidence)
}
