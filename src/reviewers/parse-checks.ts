// Reads what a model answered as checks of claims: what fits is kept, what doesn't is named.
import { z } from 'zod'
import { toStorableText } from '../contract/storable-text.ts'
import { type ProposedFinding, severities } from '../domain/finding.ts'
import { describeProblems, type ModelAnswer } from '../models/index.ts'
import { unescapeInvisible } from './prompts/prompt-fence.ts'
import type { NamedClaim } from './prompts/verify-prompt.ts'
import type { ClaimCheck } from './reviewer.ts'

/** More are not even looked at; a call asks about a few claims. */
const maxChecks = 100
const maxReasonChars = 500
const maxNoteChars = 300
const maxEvidence = 5

// No ranges and no optional keys: that is what all providers take as a shape.
const checkSchema = z.object({
  id: z.string(),
  outcome: z.enum(['confirmed', 'refuted', 'unsure']),
  reason: z.string(),
  severity: z.enum(severities),
  evidence: z.array(z.object({ path: z.string(), line: z.number(), note: z.string() })),
})

/** The shape demanded of the answer. */
export const checksSchema = z.object({ checks: z.array(checkSchema) })

const looseChecksSchema = z.object({ checks: z.array(z.unknown()) })

/** What an answer holds. */
export interface ParsedChecks {
  /** By the id of the claim. Where an answer speaks of a claim twice, neither counts. */
  readonly checks: ReadonlyMap<string, ClaimCheck>
  /** Checks as they came that don't fit, and what is wrong with them, one sentence each. */
  readonly invalid: readonly unknown[]
  readonly problems: readonly string[]
}

/** Reads an answer; undefined where it is not the object that was asked for. What speaks of no claim is left out. */
export function parseChecks(
  json: ModelAnswer['json'],
  claims: readonly NamedClaim[],
): ParsedChecks | undefined {
  const loose = looseChecksSchema.safeParse(Array.isArray(json) ? { checks: json } : json)
  if (!loose.success) return undefined
  const byId = new Map(claims.map(({ id, claim }) => [id, claim]))
  const checks = new Map<string, ClaimCheck>()
  const seen = new Set<string>()
  const misfits: unknown[] = []
  const problems: string[] = []
  for (const [index, raw] of loose.data.checks.slice(0, maxChecks).entries()) {
    const parsed = checkSchema.safeParse(raw)
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
  return { checks, invalid: misfits, problems }
}

function toCheck(said: z.infer<typeof checkSchema>, claim: ProposedFinding): ClaimCheck {
  const isMore = severities.indexOf(said.severity) < severities.indexOf(claim.severity)
  return {
    outcome: said.outcome,
    reason: toStorableText(said.reason.trim().slice(0, maxReasonChars)),
    severity: isMore ? claim.severity : said.severity,
    evidence: said.evidence.slice(0, maxEvidence).map(({ path, line, note }) => ({
      path: toStorableText(unescapeInvisible(path).replace(/^(\.\/|\/)/, '')),
      line,
      note: toStorableText(note.slice(0, maxNoteChars)),
    })),
  }
}
