// Parses a model's answer as checks of claims, and lists the invalid ones.
import { z } from 'zod'
import { toStorableText } from '../contract/storable-text.ts'
import { isWorse, type ProposedFinding, severities } from '../domain/finding.ts'
import { describeProblems, type ModelAnswer } from '../models/index.ts'
import { unescapeInvisible } from './prompts/prompt-fence.ts'
import type { NamedClaim } from './prompts/verify-prompt.ts'
import type { ClaimCheck } from './reviewer.ts'

/** A request is about a few claims, so further checks are ignored. */
const maxChecks = 100
const maxReasonChars = 500
const maxNoteChars = 300
const maxEvidence = 5

// Some providers accept no ranges and no optional keys in a schema.
const checkSchema = z.object({
  id: z.string(),
  outcome: z.enum(['confirmed', 'refuted', 'unsure']),
  reason: z.string(),
  severity: z.enum(severities),
  evidence: z.array(z.object({ path: z.string(), line: z.number(), note: z.string() })),
})

export const checksSchema = z.object({ checks: z.array(checkSchema) })

const looseChecksSchema = z.object({ checks: z.array(z.unknown()) })

export interface ParsedChecks {
  /** Checks by the id of their claim. When a claim has two checks, neither counts. */
  readonly checks: ReadonlyMap<string, ClaimCheck>
  /** The checks that don't match the schema. */
  readonly invalid: readonly unknown[]
  /** What is wrong with the invalid checks, one sentence each. */
  readonly problems: readonly string[]
}

/** Parses an answer. Ignores checks of unknown claims. Returns undefined for any other JSON. */
export function parseChecks(
  json: ModelAnswer['json'],
  claims: readonly NamedClaim[],
): ParsedChecks | undefined {
  const loose = looseChecksSchema.safeParse(Array.isArray(json) ? { checks: json } : json)
  if (!loose.success) return undefined
  const byId = new Map(claims.map(({ id, claim }) => [id, claim]))
  const checks = new Map<string, ClaimCheck>()
  const seen = new Set<string>()
  const invalid: unknown[] = []
  const problems: string[] = []
  for (const [index, raw] of loose.data.checks.slice(0, maxChecks).entries()) {
    const parsed = checkSchema.safeParse(raw)
    if (!parsed.success) {
      invalid.push(raw)
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
  return { checks, invalid, problems }
}

function toCheck(parsed: z.infer<typeof checkSchema>, claim: ProposedFinding): ClaimCheck {
  return {
    outcome: parsed.outcome,
    reason: toStorableText(parsed.reason.trim().slice(0, maxReasonChars)),
    severity: isWorse(parsed.severity, claim.severity) ? claim.severity : parsed.severity,
    evidence: parsed.evidence.slice(0, maxEvidence).map(({ path, line, note }) => ({
      path: toStorableText(unescapeInvisible(path).replace(/^(\.\/|\/)/, '')),
      line,
      note: toStorableText(note.slice(0, maxNoteChars)),
    })),
  }
}
