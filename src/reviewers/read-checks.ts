// Reads what a model answered as checks of claims: what fits is kept, what doesn't is named.
import { z } from 'zod'
import { type ProposedFinding, severities } from '../domain/finding.ts'
import { toStorable } from '../lib/text.ts'
import { type Answer, describeProblems } from '../models/index.ts'
import { restoreInvisible } from './prompts/untrusted-block.ts'
import type { NamedClaim } from './prompts/verify-prompt.ts'
import type { ClaimCheck } from './reviewer.ts'

/** More are not even looked at; a call asks about a few claims. */
const mostRead = 100
const maxReason = 500
const maxNote = 300
const maxEvidence = 5

// No ranges and no optional keys: that is what all providers take as a shape.
const checkShape = z.object({
  id: z.string(),
  outcome: z.enum(['confirmed', 'refuted', 'unsure']),
  reason: z.string(),
  severity: z.enum(severities),
  evidence: z.array(z.object({ path: z.string(), line: z.number(), note: z.string() })),
})

/** The shape demanded of the answer. */
export const checksShape = z.object({ checks: z.array(checkShape) })

const looseChecks = z.object({ checks: z.array(z.unknown()) })

/** What an answer holds. */
export interface ReadChecks {
  /** By the id of the claim. Where an answer speaks of a claim twice, neither counts. */
  readonly checks: ReadonlyMap<string, ClaimCheck>
  /** Checks as they came that don't fit, and what is wrong with them, one sentence each. */
  readonly misfits: readonly unknown[]
  readonly problems: readonly string[]
}

/** Reads an answer; undefined where it is not the object that was asked for. What speaks of no claim is left out. */
export function readChecks(
  json: Answer['json'],
  claims: readonly NamedClaim[],
): ReadChecks | undefined {
  const loose = looseChecks.safeParse(Array.isArray(json) ? { checks: json } : json)
  if (!loose.success) return undefined
  const byId = new Map(claims.map(({ id, claim }) => [id, claim]))
  const checks = new Map<string, ClaimCheck>()
  const seen = new Set<string>()
  const misfits: unknown[] = []
  const problems: string[] = []
  for (const [index, raw] of loose.data.checks.slice(0, mostRead).entries()) {
    const parsed = checkShape.safeParse(raw)
    if (!parsed.success) {
      misfits.push(raw)
      problems.push(
        ...describeProblems(parsed.error).map((problem) => `checks.${index}: ${problem}`),
      )
      continue
    }
    const { id } = parsed.data
    const claim = byId.get(id)
    if (claim && !seen.has(id)) checks.set(id, toCheck(parsed.data, claim))
    else checks.delete(id)
    seen.add(id)
  }
  return { checks, misfits, problems }
}

function toCheck(said: z.infer<typeof checkShape>, claim: ProposedFinding): ClaimCheck {
  const isMore = severities.indexOf(said.severity) < severities.indexOf(claim.severity)
  return {
    outcome: said.outcome,
    reason: toStorable(said.reason.trim().slice(0, maxReason)),
    severity: isMore ? claim.severity : said.severity,
    evidence: said.evidence.slice(0, maxEvidence).map(({ path, line, note }) => ({
      path: toStorable(restoreInvisible(path).replace(/^(\.\/|\/)/, '')),
      line,
      note: toStorable(note.slice(0, maxNote)),
    })),
  }
}
