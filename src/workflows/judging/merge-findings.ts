// Merges claims of several reviewers about the same problem into one claim.
import { compareBySeverity, type Evidence } from '../../domain/finding.ts'
import { isSecretRule } from '../../reviewers/rules/secret-rules.ts'
import type { AnchoredClaim } from './anchor-findings.ts'
import { maxEvidence } from './change-files.ts'
import { normalizeCode, overlaps } from './find-code.ts'
import { measureSimilarity } from './measure-similarity.ts'

export interface Claim {
  /** Has the suggestion and the evidence of all members. */
  readonly strongest: AnchoredClaim
  /** All merged claims, the strongest first, each unchanged. */
  readonly members: readonly AnchoredClaim[]
}

/** Claims are the same if their titles have at least this similarity. */
const minSimilarity = 0.5
/** Different reviewers may name lines up to this far apart for the same problem. */
const maxLineDistance = 3

/**
 * Merges claims on overlapping lines with the same category, or with similar titles; by different
 * reviewers also similar titles on nearby lines. Claims of one reviewer with the same category must
 * name the same lines. Claims of two different rules are never merged.
 */
export function mergeDuplicates(anchored: readonly AnchoredClaim[]): Claim[] {
  const groups: AnchoredClaim[][] = []
  const sorted = anchored.toSorted((a, b) => compareBySecret(a, b) || compareBySeverity(a, b))
  for (const finding of sorted) {
    const group = groups.find(
      (members) => canShareRule(members, finding) && isSameClaim(members[0]!, finding),
    )
    if (group) group.push(finding)
    else groups.push([finding])
  }
  return groups.map((members) => ({ strongest: mergeMembers(members), members }))
}

/** Findings of the rule about secrets come first: they have no quote, and outlast their line. */
function compareBySecret(a: AnchoredClaim, b: AnchoredClaim): number {
  return Number(isSecretRule(b.rule)) - Number(isSecretRule(a.rule))
}

function canShareRule(members: readonly AnchoredClaim[], { rule }: AnchoredClaim): boolean {
  const groupRule = members.find((member) => member.rule !== null)?.rule ?? null
  return groupRule === null || rule === null || groupRule === rule
}

function isSameClaim(a: AnchoredClaim, b: AnchoredClaim): boolean {
  if (a.path !== b.path || a.side !== b.side) return false
  const isSameCategory = a.category === b.category
  // Two claims of one reviewer with the same category are different, even if their lines overlap.
  const isOther = a.reviewer !== b.reviewer || !isSameCategory
  if (overlaps(a, b)) {
    const isSameRange = a.startLine === b.startLine && a.endLine === b.endLine
    return (isSameCategory && (isOther || isSameRange)) || isSameTitle(a, b)
  }
  const distance = Math.max(a.startLine - b.endLine, b.startLine - a.endLine)
  return isOther && distance <= maxLineDistance && isSameTitle(a, b)
}

function isSameTitle(a: AnchoredClaim, b: AnchoredClaim): boolean {
  return (
    normalizeCode(a.title) === normalizeCode(b.title) ||
    measureSimilarity(a.title, b.title) >= minSimilarity
  )
}

/** Keeps the text of the first member. Prefers the suggestion of a rule, for the same lines. */
function mergeMembers(members: readonly AnchoredClaim[]): AnchoredClaim {
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
