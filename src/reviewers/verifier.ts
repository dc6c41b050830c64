// Has a model try to refute the claims of reviewers, a few claims per call, with read-only tools.
import { randomBytes } from 'node:crypto'
import type { Change } from '../domain/change.ts'
import { ModelError } from '../domain/errors.ts'
import { compareBySeverity, type ProposedFinding } from '../domain/finding.ts'
import { noUsage } from '../domain/review.ts'
import { createLineReader } from '../git/line-reader.ts'
import { type GenerateLimits, type ModelAnswer, requestRepair } from '../models/index.ts'
import { remainingLimits } from './ask-for-findings.ts'
import { fenceTools } from './fence-tools.ts'
import type { ModelOptions } from './model-options.ts'
import { checksSchema, type ParsedChecks, parseChecks } from './parse-checks.ts'
import { createPromptFence } from './prompts/prompt-fence.ts'
import {
  type NamedClaim,
  quoteCitation,
  verifyInstructions,
  verifyMessage,
} from './prompts/verify-prompt.ts'
import { type ClaimFiles, renderClaimCode } from './render-claim-code.ts'
import { fatalErrorCodes } from './review-rounds.ts'
import type { ClaimCheck, Verifier, VerifierReport } from './reviewer.ts'

/** `steps` and `outputTokens` apply to one batch, `totalTokens` and `timeMs` to all batches. */
const defaultLimits: GenerateLimits = {
  steps: 10,
  outputTokens: 8_000,
  totalTokens: 1_000_000,
  timeMs: 300_000,
}

/** In larger batches, claims have little code in common and may be checked less carefully. */
const maxClaimsPerCall = 5
/** More than a review shows; the least severe claims stay unchecked. */
const maxClaims = 60
const maxConcurrentCalls = 3

const notJsonObject = 'The answer is not the JSON object that was asked for.'

/** Makes the verifier of one review. */
export function createVerifier(options: ModelOptions): Verifier {
  return {
    verify: async (change, claims, signal) => {
      if (claims.length === 0) return { checks: [], usage: noUsage, notes: [] }
      const run: VerificationRun = {
        ...options,
        limits: { ...defaultLimits, ...options.limits },
        budget: options.budget.createShare(),
        change,
        files: { head: createLineReader(change.head), base: createLineReader(change.base) },
        startedAt: performance.now(),
        checks: new Map(),
        failures: new Set(),
        answeredBy: new Set(),
      }
      await verifyBatches(run, claims.toSorted(compareBySeverity).slice(0, maxClaims), signal)
      return createReport(run, claims)
    },
  }
}

interface VerificationRun extends Omit<ModelOptions, 'limits'> {
  readonly limits: GenerateLimits
  readonly change: Change
  readonly files: ClaimFiles
  readonly startedAt: number
  readonly checks: Map<ProposedFinding, ClaimCheck>
  /** Messages that explain why claims could not be checked. */
  readonly failures: Set<string>
  /** Names of the models that answered. */
  readonly answeredBy: Set<string>
}

async function verifyBatches(
  run: VerificationRun,
  claims: readonly ProposedFinding[],
  signal: AbortSignal,
): Promise<void> {
  const waiting = groupClaims(claims)
  const work = async () => {
    for (let batch = waiting.shift(); batch !== undefined; batch = waiting.shift()) {
      try {
        for (const [claim, check] of await verifyBatch(run, batch, signal))
          run.checks.set(claim, check)
      } catch (error) {
        signal.throwIfAborted()
        if (!(error instanceof ModelError)) throw error
        if (error.code === 'model_context_overflow' && batch.length > 1) {
          const half = Math.ceil(batch.length / 2)
          waiting.unshift(batch.slice(0, half), batch.slice(half))
          continue
        }
        run.failures.add(error.publicMessage)
        if (fatalErrorCodes.includes(error.code)) waiting.length = 0
      }
    }
  }
  await Promise.all(Array.from({ length: maxConcurrentCalls }, work))
}

/** Groups claims by file, the most severe file first, because the budget may end early. */
function groupClaims(claims: readonly ProposedFinding[]): ProposedFinding[][] {
  const sorted = [...Map.groupBy(claims, (claim) => claim.path).values()].flat()
  const batches: ProposedFinding[][] = []
  for (let start = 0; start < sorted.length; start += maxClaimsPerCall)
    batches.push(sorted.slice(start, start + maxClaimsPerCall))
  return batches
}

async function verifyBatch(
  run: VerificationRun,
  batch: readonly ProposedFinding[],
  signal: AbortSignal,
): Promise<[ProposedFinding, ClaimCheck][]> {
  const fence = createPromptFence()
  const series = randomBytes(4).toString('hex')
  const claims = batch.map(
    (claim, index): NamedClaim => ({
      id: `${series}-${index + 1}`,
      claim,
      citation: claim.citation
        ? quoteCitation(claim.citation, run.change.liveContext.records)
        : null,
    }),
  )
  const code = await renderClaimCode(run.change, run.files, batch, fence)
  const answer = await run.model.generate(
    {
      system: verifyInstructions(run.language ?? 'English'),
      prompt: verifyMessage(claims, code, fence),
      tools: fenceTools(run.tools(run.change), fence),
      output: checksSchema,
      limits: remainingLimits(run),
      budget: run.budget,
    },
    signal,
  )
  for (const name of answer.answeredBy) run.answeredBy.add(name)
  const checks = await parseWithRepair(run, answer, claims, signal)
  return claims.flatMap(({ id, claim }) => {
    const check = checks.get(id)
    return check ? [[claim, check]] : []
  })
}

/** Parses the checks. Invalid ones are sent back once; claims without a check stay unchecked. */
async function parseWithRepair(
  run: VerificationRun,
  answer: ModelAnswer,
  claims: readonly NamedClaim[],
  signal: AbortSignal,
): Promise<ParsedChecks['checks']> {
  if (answer.text.trim() === '') return new Map()
  const parsed = parseChecks(answer.json, claims)
  if (parsed === undefined) {
    const rejected = { text: answer.text, problems: [notJsonObject] }
    const repaired = await repair(run, rejected, claims, signal)
    // The text may quote untrusted data, so a refutation from it must not suppress a finding.
    return new Map([...(repaired?.checks ?? [])].filter(([, check]) => check.outcome !== 'refuted'))
  }
  if (parsed.invalid.length === 0 || answer.truncated) return parsed.checks
  const rejected = { text: JSON.stringify({ checks: parsed.invalid }), problems: parsed.problems }
  const repaired = await repair(run, rejected, claims, signal)
  return new Map([...(repaired?.checks ?? []), ...parsed.checks])
}

async function repair(
  run: VerificationRun,
  rejected: { text: string; problems: readonly string[] },
  claims: readonly NamedClaim[],
  signal: AbortSignal,
): Promise<ParsedChecks | undefined> {
  try {
    const request = { ...rejected, output: checksSchema }
    const options = { limits: remainingLimits(run), budget: run.budget }
    const answer = await requestRepair(run.model, request, options, signal)
    return parseChecks(answer.json, claims)
  } catch (error) {
    // A failed repair must not lose the checks that are valid.
    if (!(error instanceof ModelError)) throw error
    run.failures.add(error.publicMessage)
    return undefined
  }
}

function createReport(run: VerificationRun, claims: readonly ProposedFinding[]): VerifierReport {
  const checks = claims.map((claim) => run.checks.get(claim))
  const { name } = run.model
  const notes = [...run.answeredBy]
    .filter((other) => other !== name)
    .map((other) => `${other} stood in for ${name} in the verification.`)
  const missing = checks.filter((check) => check === undefined).length
  if (missing > 0) {
    if (claims.length > maxClaims) run.failures.add('They were too many.')
    if (run.failures.size === 0) run.failures.add('The model gave no usable answer.')
    const subject = missing === 1 ? '1 claim' : `${missing} claims`
    notes.push(`${subject} could not be verified: ${[...run.failures].join(' ')}`)
  }
  return { checks, usage: run.budget.usage, notes }
}
