// The verdict as a monotonic function: worse findings or coverage never improve it.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { reviewEnds, type Verdict } from '../src/domain/review.ts'
import { decideVerdict, type VerdictInput } from '../src/workflows/decide-verdict.ts'

const verdicts: readonly Verdict[] = ['APPROVE', 'NEEDS_DISCUSSION', 'REQUEST_CHANGES']
const count = fc.integer({ min: 0, max: 3 })

const anyInput: fc.Arbitrary<VerdictInput> = fc.record({
  critical: count,
  moderate: count,
  minor: count,
  unverified: count,
  complete: fc.boolean(),
  filesTotal: count,
  filesReviewed: count,
  linesUnread: count,
  modelTookPart: fc.boolean(),
  attentionChecked: fc.boolean(),
  moderateMeans: fc.constantFrom('NEEDS_DISCUSSION', 'REQUEST_CHANGES'),
  gate: fc.subarray(reviewEnds.filter((end) => end !== 'passed')),
  meanConfidence: fc.constantFrom(0.2, 0.8, 1),
})

/** Lists all inputs that are worse by one step. */
const worsen: Record<string, (input: VerdictInput) => VerdictInput> = {
  'one critical finding more': (input) => ({ ...input, critical: input.critical + 1 }),
  'one moderate finding more': (input) => ({ ...input, moderate: input.moderate + 1 }),
  'one minor finding more': (input) => ({ ...input, minor: input.minor + 1 }),
  'one unverified finding more': (input) => ({ ...input, unverified: input.unverified + 1 }),
  'lost coverage': (input) => ({ ...input, complete: false, linesUnread: input.linesUnread + 1 }),
  'no file reviewed': (input) => ({ ...input, filesReviewed: 0 }),
}

for (const [what, change] of Object.entries(worsen)) {
  it(`${what} never improves the verdict and never unblocks`, () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        const [before, after] = [decideVerdict(input), decideVerdict(change(input))]
        expect(verdicts.indexOf(after.verdict)).toBeGreaterThanOrEqual(
          verdicts.indexOf(before.verdict),
        )
        expect(before.blocks && !after.blocks).toBe(false)
      }),
      { numRuns: 2_000 },
    )
  })
}

it('case 75: is never certain about code without an attention check', () => {
  fc.assert(
    fc.property(anyInput, (input) => {
      expect(decideVerdict({ ...input, attentionChecked: false }).confidence).toBeLessThanOrEqual(4)
    }),
  )
})

it('approves exactly what passed', () => {
  fc.assert(
    fc.property(anyInput, (input) => {
      const { verdict, ends } = decideVerdict(input)
      expect(verdict === 'APPROVE').toBe(ends.length === 1 && ends[0] === 'passed')
      expect(ends).toEqual(reviewEnds.filter((end) => ends.includes(end)))
    }),
  )
})
