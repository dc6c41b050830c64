// Verification, as a scripted model sees it: which claims it is asked about, and answers that agree.
import { verifyInstructions } from '../../../src/reviewers/prompts/verify-prompt.ts'
import type { ModelRequest, Reply } from './reply.ts'

/** A claim that is to be verified. */
export interface RequestedClaim {
  readonly id: string
  /** What the message says of it. */
  readonly text: string
}

const instructionsPrefix = verifyInstructions('').slice(0, 100)

export function isVerificationRequest(request: ModelRequest): boolean {
  return request.system.includes(instructionsPrefix)
}

/** The claims of a verification, as the message lists them. */
export function claimsOf({ text }: ModelRequest): RequestedClaim[] {
  const found = text.matchAll(
    /^Claim ([0-9a-f]{8}-\d+):\n\n<data-([0-9a-f]+)[^\n]*\n([\s\S]*?)\n<\/data-\2>/gm,
  )
  return [...found].map((match) => ({ id: match[1]!, text: match[3]! }))
}

/** One check of the shape that is asked for. */
export function makeCheck(claim: RequestedClaim, more: object = {}): object {
  const severity = /^(critical|moderate|minor), /.exec(claim.text)?.[1]
  return {
    id: claim.id,
    outcome: 'confirmed',
    reason: 'The code shows it.',
    severity,
    evidence: [],
    ...more,
  }
}

/** Agrees with every claim. */
export function confirmAll(request: ModelRequest): Reply {
  return { json: { checks: claimsOf(request).map((claim) => makeCheck(claim)) } }
}
