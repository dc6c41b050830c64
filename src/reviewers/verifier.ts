// Has a model try to refute what reviewers claim, a few claims a call, with the code in hand and read-only tools.
import { randomBytes } from 'node:crypto'
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
import type { Change, ClaimCheck, Verifier, VerifierReport } from './reviewer.ts'

/** `steps` and `outputTokens` hold for one call with its tools, `totalTokens` and `timeMs` for the whole verification. */
const defaultLimits: GenerateLimits = {
  steps: 10,
  outputTokens: 8_000,
  totalTokens: 1_000_000,
  timeMs: 300_000,
}

/** More share too little of their code, and one of them may not get its due. */
const maxClaimsPerCall = 5
/** More than people are shown; the least severe are left unchecked. */
const maxClaims = 60
/** Calls side by side. The budget holds over all of them. */
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
  /** Why claims could not be checked, in words. */
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
        const half = Math.ceil(batch.length / 2)
        if (error.code === 'model_context_overflow' && batch.length > 1) {
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

/** Those of a file together, in the order of their first claims: the worst first, for the budget may not last. */
function groupClaims(claims: readonly ProposedFinding[]): ProposedFinding[][] {
  const sorted = [...Map.groupBy(claims, (claim) => claim.path).values()].flat()
  const batches: ProposedFinding[][] = []
  for (let at = 0; at < sorted.length; at += maxClaimsPerCall)
    batches.push(sorted.slice(at, at + maxClaimsPerCall))
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
  const answer = await run.model.generate(
    {
      system: verifyInstructions(run.language ?? 'English'),
      prompt: verifyMessage(
        claims,
        await renderClaimCode(run.change, run.files, batch, fence),
        fence,
      ),
      tools: fenceTools(run.tools(run.change), fence),
      output: checksSchema,
      limits: remainingLimits(run),
      budget: run.budget,
    },
    signal,
  )
  for (const name of answer.answeredBy) run.answeredBy.add(name)
  const checks = await readWithRepair(run, answer, claims, signal)
  return claims.flatMap(({ id, claim }) => {
    const check = checks.get(id)
    return check ? [[claim, check]] : []
  })
}

/** Reads the checks; what doesn't fit is sent back once. What is still missing then stays unchecked. */
async function readWithRepair(
  run: VerificationRun,
  answer: ModelAnswer,
  claims: readonly NamedClaim[],
  signal: AbortSignal,
): Promise<ParsedChecks['checks']> {
  const read = parseChecks(answer.json, claims)
  if (
    answer.text.trim() === '' ||
    (read !== undefined && (read.invalid.length === 0 || answer.truncated))
  )
    return read?.checks ?? new Map()
  const wrong =
    read === undefined
      ? { text: answer.text, problems: [notJsonObject] }
      : { text: JSON.stringify({ checks: read.invalid }), problems: read.problems }
  const repaired = await repair(run, wrong, claims, signal)
  // Out of mere words, which may be the data's, no refutation may come: it would silence a finding.
  const usable = [...(repaired?.checks ?? [])].filter(
    ([, { outcome }]) => read !== undefined || outcome !== 'refuted',
  )
  return new Map([...usable, ...(read?.checks ?? [])])
}

async function repair(
  run: VerificationRun,
  wrong: { text: string; problems: readonly string[] },
  claims: readonly NamedClaim[],
  signal: AbortSignal,
): Promise<ParsedChecks | undefined> {
  try {
    const asked = { limits: remainingLimits(run), budget: run.budget }
    const answer = await requestRepair(run.model, { ...wrong, output: checksSchema }, asked, signal)
    return parseChecks(answer.json, claims)
  } catch (error) {
    // The checks that did fit are not to be lost with it.
    if (!(error instanceof ModelError)) throw error
    run.failures.add(error.publicMessage)
    return undefined
  }
}

function createReport(run: VerificationRun, claims: readonly ProposedFinding[]): VerifierReport {
  const checks = claims.map((claim) => run.checks.get(claim))
  const missing = checks.filter((check) => check === undefined).length
  const what = missing === 1 ? '1 claim' : `${missing} claims`
  if (claims.length > maxClaims) run.failures.add('They were too many.')
  const why =
    run.failures.size > 0 ? [...run.failures].join(' ') : 'The model gave no usable answer.'
  const { name } = run.model
  const others = [...run.answeredBy].filter((other) => other !== name)
  return {
    checks,
    usage: run.budget.usage,
    notes: [
      ...others.map((other) => `${other} stood in for ${name} in the verification.`),
      ...(missing === 0 ? [] : [`${what} could not be verified: ${why}`]),
    ],
  }
}
