// Gives each claim one identity that lasts over pushes: the one under which it stands already, or one of its own.
import { createHash } from 'node:crypto'
import { type Finding, severities } from '../../domain/finding.ts'
import type { AnchoredClaim } from './anchor-findings.ts'
import { type CodeRange, overlaps } from './find-code.ts'
import { hashAnchor, type LocatedFinding } from './locate-findings.ts'
import { measureSimilarity } from './measure-similarity.ts'
import type { Claim } from './merge-findings.ts'

/** A claim with its identity. */
export type IdentifiedClaim = AnchoredClaim &
  Pick<Finding, 'fingerprint' | 'anchorHash'> & {
    /** Whether a rule says it too: then it doesn't rest on a model's opinion. */
    readonly isFoundByRule: boolean
  }

/**
 * Gives each claim its fingerprint: that of the earlier finding that one of its members says again, else one of its own
 * (of the rule, where there is one, because a rule says it the same way again). `said` are the earlier findings that were
 * said again, also those whose claim goes by the fingerprint of another.
 */
export function identifyClaims(
  claims: readonly Claim[],
  earlier: readonly LocatedFinding[],
): { identified: IdentifiedClaim[]; said: ReadonlySet<string> } {
  const members = claims.flatMap((claim) => claim.members)
  const own = nameByText(members)
  const matches = matchEarlier(members, earlier, own)
  const said = new Set(matches.values())
  const taken = new Set(said)
  const identified = claims.map(({ strongest, members }) => {
    const ruled = members.find((member) => member.rule !== null)
    const name = ruled ?? members[0]!
    let fingerprint = members
      .map((member) => matches.get(member))
      .find((match) => match !== undefined)
    const candidates = [own.get(name)!]
    for (let next = 0; fingerprint === undefined; next++) {
      candidates.push(computeFingerprint(name, name.anchorText, next))
      fingerprint = candidates.find((candidate) => !taken.has(candidate))
    }
    taken.add(fingerprint)
    const anchorHash = hashAnchor(strongest.anchorText)
    return { ...strongest, fingerprint, anchorHash, isFoundByRule: ruled !== undefined }
  })
  return { identified, said }
}

/** The earlier finding that each new one says again, the nearest first, one each at most. */
function matchEarlier(
  fresh: readonly AnchoredClaim[],
  located: readonly LocatedFinding[],
  own: ReadonlyMap<AnchoredClaim, string>,
): Map<AnchoredClaim, string> {
  const pairs = fresh
    .flatMap((finding) =>
      located.flatMap((earlier) => {
        const distance = measureDistance(finding, earlier, own.get(finding))
        return distance === undefined
          ? []
          : [{ finding, fingerprint: earlier.finding.fingerprint, distance }]
      }),
    )
    .sort((a, b) => a.distance[0] - b.distance[0] || a.distance[1] - b.distance[1])
  const matches = new Map<AnchoredClaim, string>()
  const said = new Set<string>()
  for (const { finding, fingerprint } of pairs) {
    if (matches.has(finding) || said.has(fingerprint)) continue
    matches.set(finding, fingerprint)
    said.add(fingerprint)
  }
  return matches
}

/**
 * How far a new finding is from an earlier one that claims the same: by where its code stands now, then by where it
 * stood. Undefined where it isn't the same claim.
 */
function measureDistance(
  fresh: AnchoredClaim,
  { finding, range: place }: LocatedFinding,
  own: string | undefined,
): readonly [number, number] | undefined {
  const moved = Math.abs(fresh.startLine - finding.startLine)
  if (place && isSameClaim(fresh, { finding, range: place }))
    return [
      Math.abs(fresh.startLine - place.startLine) + Math.abs(fresh.endLine - place.endLine),
      moved,
    ]
  return own === finding.fingerprint ? [Number.MAX_SAFE_INTEGER, moved] : undefined
}

/** Titles that have this share of their words in common say the same. */
const alike = 0.5

/**
 * Whether a claim is about the lines on which an earlier one stands now, and names the same kind of harm or says much the
 * same of them: models don't stick to one kind.
 */
export function isSameClaim(
  fresh: AnchoredClaim,
  { finding, range: place }: LocatedFinding,
): boolean {
  return (
    fresh.path === finding.path &&
    fresh.side === finding.side &&
    fresh.rule === finding.rule &&
    place !== undefined &&
    overlaps(fresh, place) &&
    !isBeyondAnswer(fresh, finding, place) &&
    (fresh.category === finding.category || measureSimilarity(fresh.title, finding.title) >= alike)
  )
}

/** People answered for the lines that they were shown, and not for what is worse and takes in others. */
function isBeyondAnswer(
  fresh: AnchoredClaim,
  { state, severity }: Finding,
  place: CodeRange,
): boolean {
  const isWorse = severities.indexOf(fresh.severity) < severities.indexOf(severity)
  return (
    state === 'dismissed' &&
    isWorse &&
    (fresh.startLine < place.startLine || fresh.endLine > place.endLine)
  )
}

/** Each finding's own fingerprint. Those with the same text are numbered by the order of their places. */
function nameByText(findings: readonly AnchoredClaim[]): Map<AnchoredClaim, string> {
  const starts = new Map<string, number[]>()
  const own = new Map<AnchoredClaim, string>()
  for (const finding of findings.toSorted((a, b) => a.startLine - b.startLine)) {
    const identity = computeFingerprint(finding, finding.anchorText, 0)
    const seen = starts.get(identity) ?? []
    if (!seen.includes(finding.startLine)) seen.push(finding.startLine)
    starts.set(identity, seen)
    own.set(
      finding,
      computeFingerprint(finding, finding.anchorText, seen.indexOf(finding.startLine)),
    )
  }
  return own
}

/**
 * The identity of a finding: path, side, category, rule and the code it stands on, `text`. Line numbers are left out,
 * so that it survives moved lines. 32 hex digits.
 */
export function computeFingerprint(
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
