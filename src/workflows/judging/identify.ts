// Gives each claim a fingerprint: that of the earlier finding that it repeats, or a new one.
import { createHash } from 'node:crypto'
import { type Finding, isWorse } from '../../domain/finding.ts'
import { type CodeRange, overlaps } from './code-range.ts'
import type { LocatedFinding } from './locate-earlier.ts'
import { measureSimilarity } from './measure-similarity.ts'
import type { Anchored, Merged } from './stages.ts'

export type Identified = Merged & Pick<Finding, 'fingerprint'>

/**
 * Returns each claim with the fingerprint of the earlier finding that one of its members repeats,
 * or else with a new one. A new one is made from a rule's text where there is one, as that is
 * stable. `repeated` are the fingerprints of all repeated findings, also of those merged into
 * another claim.
 */
export function identifyClaims(
  claims: readonly Merged[],
  earlier: readonly LocatedFinding[],
): { identified: Identified[]; repeated: ReadonlySet<string> } {
  const allMembers = claims.flatMap((claim) => claim.members)
  const ownFingerprints = computeFingerprints(allMembers)
  const matches = matchEarlier(allMembers, earlier, ownFingerprints)
  const repeated = new Set(matches.values())
  const taken = new Set(repeated)
  const identified = claims.map((merged) => {
    const { members, byRule } = merged
    const source = byRule ?? members[0]!
    let fingerprint = members
      .map((member) => matches.get(member))
      .find((match) => match !== undefined)
    const candidates = [ownFingerprints.get(source)!]
    for (let next = 0; fingerprint === undefined; next++) {
      candidates.push(computeFingerprint(source, source.anchorText, next))
      fingerprint = candidates.find((candidate) => !taken.has(candidate))
    }
    taken.add(fingerprint)
    return { ...merged, fingerprint }
  })
  return { identified, repeated }
}

/** Pairs new claims with the earlier findings that they repeat, the nearest first. */
function matchEarlier(
  claims: readonly Anchored[],
  located: readonly LocatedFinding[],
  ownFingerprints: ReadonlyMap<Anchored, string>,
): Map<Anchored, string> {
  const pairs = claims
    .flatMap((claim) =>
      located.flatMap((earlier) => {
        const distance = measureDistance(claim, earlier, ownFingerprints.get(claim))
        const { fingerprint } = earlier.finding
        return distance === undefined ? [] : [{ claim, fingerprint, distance }]
      }),
    )
    .sort((a, b) => a.distance[0] - b.distance[0] || a.distance[1] - b.distance[1])
  const matches = new Map<Anchored, string>()
  const taken = new Set<string>()
  for (const { claim, fingerprint } of pairs) {
    if (matches.has(claim) || taken.has(fingerprint)) continue
    matches.set(claim, fingerprint)
    taken.add(fingerprint)
  }
  return matches
}

/**
 * Measures the distance in lines to an earlier finding that claims the same: from its present
 * range, then from its former one. Undefined if it isn't the same claim.
 */
function measureDistance(
  claim: Anchored,
  { finding, range }: LocatedFinding,
  ownFingerprint: string | undefined,
): readonly [number, number] | undefined {
  const formerDistance = Math.abs(claim.startLine - finding.startLine)
  if (range && isSameClaim(claim, { finding, range })) {
    const startDistance = Math.abs(claim.startLine - range.startLine)
    const endDistance = Math.abs(claim.endLine - range.endLine)
    return [startDistance + endDistance, formerDistance]
  }
  if (ownFingerprint !== finding.fingerprint) return undefined
  return [Number.MAX_SAFE_INTEGER, formerDistance]
}

/** Claims are the same if their titles have at least this similarity. */
const minSimilarity = 0.5

/**
 * Whether a claim is about the present lines of an earlier finding, and has the same category or a
 * similar title. Models don't choose the same category each time.
 */
export function isSameClaim(claim: Anchored, { finding, range }: LocatedFinding): boolean {
  const isSameLocation =
    claim.path === finding.path &&
    claim.side === finding.side &&
    range !== undefined &&
    overlaps(claim, range)
  if (!isSameLocation || claim.rule !== finding.rule) return false
  if (exceedsDismissal(claim, finding, range)) return false
  return (
    claim.category === finding.category ||
    measureSimilarity(claim.title, finding.title) >= minSimilarity
  )
}

/** A dismissal doesn't cover a more severe claim that includes other lines. */
function exceedsDismissal(
  claim: Anchored,
  { state, severity }: Finding,
  range: CodeRange,
): boolean {
  const isLarger = claim.startLine < range.startLine || claim.endLine > range.endLine
  return state === 'dismissed' && isWorse(claim.severity, severity) && isLarger
}

/** Computes new fingerprints. Claims about equal code are numbered in the order of their lines. */
function computeFingerprints(claims: readonly Anchored[]): Map<Anchored, string> {
  const startLines = new Map<string, number[]>()
  const fingerprints = new Map<Anchored, string>()
  for (const claim of claims.toSorted((a, b) => a.startLine - b.startLine)) {
    const { anchorText, startLine } = claim
    const identity = computeFingerprint(claim, anchorText, 0)
    const starts = startLines.get(identity) ?? []
    if (!starts.includes(startLine)) starts.push(startLine)
    startLines.set(identity, starts)
    fingerprints.set(claim, computeFingerprint(claim, anchorText, starts.indexOf(startLine)))
  }
  return fingerprints
}

/**
 * Hashes path, side, category, rule and code (`text`) of a finding to 32 hexadecimal digits. Line
 * numbers are left out, so that it survives moved lines.
 */
function computeFingerprint(
  finding: Pick<Finding, 'path' | 'side' | 'category' | 'rule'>,
  text: string,
  occurrence: number,
): string {
  const identity = JSON.stringify([
    finding.path,
    finding.side,
    finding.category,
    finding.rule,
    text,
  ])
  return createHash('sha256').update(`${identity}${occurrence}`).digest('hex').slice(0, 32)
}
