// Merges what several reviewers say of the same fault into one claim.
import { compareBySeverity, type Evidence } from '../../domain/finding.ts'
import { isSecretRule } from '../../reviewers/rules/secret-rules.ts'
import type { AnchoredClaim } from './anchor-findings.ts'
import { maxEvidence } from './change-files.ts'
import { normalizeCode, overlaps } from './find-code.ts'
import { measureSimilarity } from './measure-similarity.ts'

/** One claim, in the words of the strongest of those who made it. */
export interface Claim {
  /** With the suggestion and the evidence of the others where it has no better. */
  readonly strongest: AnchoredClaim
  /** All who made it, the strongest first, each as it was. */
  readonly members: readonly AnchoredClaim[]
}

/** Titles that have this share of their words in common say the same. */
const alike = 0.5
/** Different reviewers name neighbouring lines for the same fault. */
const nearLines = 3

/**
 * Proposals of different reviewers about overlapping lines with the same kind of harm are one claim, those of one reviewer
 * where the lines are the same; so are similar titles on overlapping lines, and of different reviewers nearby. Two different rules never say the same.
 */
export function mergeDuplicates(anchored: readonly AnchoredClaim[]): Claim[] {
  const groups: AnchoredClaim[][] = []
  for (const finding of anchored.toSorted((a, b) => bySecret(a, b) || compareBySeverity(a, b))) {
    const group = groups.find(([strongest, ...others]) => {
      const rule = [strongest!, ...others].find((member) => member.rule !== null)?.rule ?? null
      return (
        (rule === finding.rule || rule === null || finding.rule === null) &&
        saysTheSame(strongest!, finding)
      )
    })
    if (group) group.push(finding)
    else groups.push([finding])
  }
  return groups.map((members) => ({ strongest: unite(members), members }))
}

/** The rule about secrets speaks first: it quotes none, and what it finds outlasts its line. */
function bySecret(a: AnchoredClaim, b: AnchoredClaim): number {
  return Number(isSecretRule(b.rule)) - Number(isSecretRule(a.rule))
}

function saysTheSame(a: AnchoredClaim, b: AnchoredClaim): boolean {
  if (a.path !== b.path || a.side !== b.side) return false
  // What one reviewer says twice of the same kind, about two places, are two faults, also where one holds the other.
  const isOther = a.reviewer !== b.reviewer || a.category !== b.category
  if (overlaps(a, b)) {
    const isSamePlace = a.startLine === b.startLine && a.endLine === b.endLine
    return (a.category === b.category && (isOther || isSamePlace)) || isSameTitle(a, b)
  }
  const distance = Math.max(a.startLine - b.endLine, b.startLine - a.endLine)
  return isOther && distance <= nearLines && isSameTitle(a, b)
}

function isSameTitle(a: AnchoredClaim, b: AnchoredClaim): boolean {
  return (
    normalizeCode(a.title) === normalizeCode(b.title) ||
    measureSimilarity(a.title, b.title) >= alike
  )
}

/** The words of the first; the suggestion of a rule, else the first one, for the same lines; the evidence of all. */
function unite(members: readonly AnchoredClaim[]): AnchoredClaim {
  const strongest = members[0]!
  const { startLine, endLine } = strongest
  const fitting = members.filter(
    (member) =>
      member.suggestion !== null && member.startLine === startLine && member.endLine === endLine,
  )
  const best = fitting.find((member) => member.rule !== null) ?? fitting[0]
  return {
    ...strongest,
    suggestion: best?.suggestion ?? null,
    evidence: mergeEvidence(members.flatMap((member) => member.evidence)),
  }
}

/** Each place once, the first `maxEvidence`. */
export function mergeEvidence(evidence: readonly Evidence[]): Evidence[] {
  const places = new Map<string, Evidence>()
  for (const item of evidence) {
    const place = `${item.line} ${item.path}`
    if (!places.has(place)) places.set(place, item)
  }
  return [...places.values()].slice(0, maxEvidence)
}
