// Parses verification requests for a scripted model, and confirms their claims.
import { verifyInstructions } from '../../../src/reviewers/prompts/verify-prompt.ts'
import type { ModelRequest, Reply } from './reply.ts'

/** A claim to verify. */
export interface RequestedClaim {
  readonly id: string
  /** The description in the message. */
  readonly text: string
}

const instructionsPrefix = verifyInstructions('').slice(0, 100)

export function isVerificationRequest(request: ModelRequest): boolean {
  return request.system.includes(instructionsPrefix)
}

/** Returns the claims of a verification in the order of the message. */
export function claimsOf({ text }: ModelRequest): RequestedClaim[] {
  const found = text.matchAll(
    /^Claim ([0-9a-f]{8}-\d+):\n\n<data-([0-9a-f]+)[^\n]*\n([\s\S]*?)\n<\/data-\2>/gm,
  )
  return [...found].map((match) => ({ id: match[1]!, text: match[3]! }))
}

/** Returns one check in the requested shape. */
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

/** Confirms every claim. */
export function confirmAll(request: ModelRequest): Reply {
  return { json: { checks: claimsOf(request).map((claim) => makeCheck(claim)) } }
}
