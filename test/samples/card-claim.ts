// A claim of a model, for tests of what becomes of claims.
import type { ProposedFinding } from '../../src/domain/finding.ts'

/** Where a claim is about, and the code that it quotes. */
type ClaimedPlace = Pick<ProposedFinding, 'path' | 'startLine' | 'endLine' | 'quote'>

/** What a model proposes about a place, unless said otherwise. */
export function cardClaim(
  place: ClaimedPlace,
  more: Partial<ProposedFinding> = {},
): ProposedFinding {
  return {
    reviewer: 'agentic',
    rule: null,
    ...place,
    side: 'RIGHT',
    severity: 'moderate',
    category: 'correctness',
    title: 'The card is charged twice',
    body: 'When it is called again, the card is charged again.',
    suggestion: null,
    evidence: [],
    confidence: 0.9,
    ...more,
  }
}
