// Gives each claim one identity that lasts over pushes: the one under which it stands already, or one of its own.
import { createHash } from 'node:crypto'
import { type Finding, severities } from '../domain/finding.ts'
import type { Anchored } from './anchor-findings.ts'
import { normalizeCode, type Place } from './find-place.ts'

/** An open finding of an earlier review, and where its code stands in the diff now. */
export interface Located {
  readonly finding: Finding
  readonly place: Place | undefined
}

/** One claim, in the words of the strongest of those who made it. */
export interface Claim {
  readonly strongest: Anchored
  /** All who made it, the strongest first. */
  readonly members: readonly Anchored[]
}

export type Identified = Anchored & { readonly fingerprint: string }

/** Most severe first, then the surest. */
export function byWeight(
  a: Pick<Finding, 'severity' | 'confidence'>,
  b: Pick<Finding, 'severity' | 'confidence'>,
): number {
  return severities.indexOf(a.severity) - severities.indexOf(b.severity) || b.confidence - a.confidence
}

/** Proposals about overlapping lines with the same kind of harm are one claim. Two different rules never say the same. */
export function mergeDuplicates(anchored: readonly Anchored[]): Claim[] {
  const claims: { strongest: Anchored; members: Anchored[] }[] = []
  for (const finding of anchored.toSorted(byWeight)) {
    const twin = claims.find(({ strongest, members }) => {
      const rule = members.find((member) => member.rule !== null)?.rule ?? null
      return (
        strongest.path === finding.path &&
        strongest.side === finding.side &&
        (rule === finding.rule || rule === null || finding.rule === null) &&
        overlaps(strongest, finding) &&
        (strongest.category === finding.category || normalizeCode(strongest.title) === normalizeCode(finding.title))
      )
    })
    if (twin) twin.members.push(finding)
    else claims.push({ strongest: finding, members: [finding] })
  }
  return claims
}

function overlaps(a: Pick<Place, 'startLine' | 'endLine'>, b: Pick<Place, 'startLine' | 'endLine'>): boolean {
  return a.startLine <= b.endLine && b.startLine <= a.endLine
}

/**
 * Gives each claim its fingerprint: that of the open finding that one of its members says again, else one of its own
 * (of the rule, where there is one, because a rule says it the same way again). `said` are the open findings that were
 * said again, also those whose claim goes by the fingerprint of another.
 */
export function identifyClaims(
  claims: readonly Claim[],
  open: readonly Located[],
): { identified: Identified[]; said: ReadonlySet<string> } {
  const members = claims.flatMap((claim) => claim.members)
  const own = nameByText(members)
  const matches = matchEarlier(members, open, own)
  const said = new Set(matches.values())
  const taken = new Set(said)
  const identified = claims.map(({ strongest, members }) => {
    const name = members.find((member) => member.rule !== null) ?? strongest
    let fingerprint = members.map((member) => matches.get(member)).find((match) => match !== undefined)
    const candidates = [own.get(name)!]
    for (let next = 0; fingerprint === undefined; next++) {
      candidates.push(fingerprintOf(name, name.anchorText, next))
      fingerprint = candidates.find((candidate) => !taken.has(candidate))
    }
    taken.add(fingerprint)
    return { ...strongest, fingerprint }
  })
  return { identified, said }
}

/** The open finding that each new one says again, the nearest first, one each at most. */
function matchEarlier(
  fresh: readonly Anchored[],
  open: readonly Located[],
  own: ReadonlyMap<Anchored, string>,
): Map<Anchored, string> {
  const pairs = fresh
    .flatMap((finding) =>
      open.flatMap((earlier) => {
        const distance = measureDistance(finding, earlier, own.get(finding))
        return distance === undefined ? [] : [{ finding, fingerprint: earlier.finding.fingerprint, distance }]
      }),
    )
    .sort((a, b) => a.distance[0] - b.distance[0] || a.distance[1] - b.distance[1])
  const matches = new Map<Anchored, string>()
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
  fresh: Anchored,
  { finding, place }: Located,
  own: string | undefined,
): readonly [number, number] | undefined {
  const moved = Math.abs(fresh.startLine - finding.startLine)
  const isAlike =
    fresh.path === finding.path &&
    fresh.side === finding.side &&
    fresh.category === finding.category &&
    fresh.rule === finding.rule
  if (isAlike && place && overlaps(fresh, place))
    return [Math.abs(fresh.startLine - place.startLine) + Math.abs(fresh.endLine - place.endLine), moved]
  return own === finding.fingerprint ? [Number.MAX_SAFE_INTEGER, moved] : undefined
}

/** Each finding's own fingerprint. Those with the same text are numbered by the order of their places. */
function nameByText(findings: readonly Anchored[]): Map<Anchored, string> {
  const starts = new Map<string, number[]>()
  const own = new Map<Anchored, string>()
  for (const finding of findings.toSorted((a, b) => a.startLine - b.startLine)) {
    const identity = fingerprintOf(finding, finding.anchorText, 0)
    const seen = starts.get(identity) ?? []
    if (!seen.includes(finding.startLine)) seen.push(finding.startLine)
    starts.set(identity, seen)
    own.set(finding, fingerprintOf(finding, finding.anchorText, seen.indexOf(finding.startLine)))
  }
  return own
}

/**
 * The identity of a finding: path, side, category, rule and the code it stands on, `text`. Line numbers are left out,
 * so that it survives moved lines. 32 hex digits.
 */
export function fingerprintOf(
  finding: Pick<Finding, 'path' | 'side' | 'category' | 'rule'>,
  text: string,
  occurrence: number,
): string {
  const identity = JSON.stringify([finding.path, finding.side, finding.category, finding.rule, text])
  return createHash('sha256').update(`${identity}${occurrence}`).digest('hex').slice(0, 32)
}
