// Rounds with planted defects, as messages show them: for tests that look at what stands in them.
import { createPlant, type Plant } from '../../src/reviewers/attention/plant.ts'
import { addToRound } from '../../src/reviewers/attention/planted-round.ts'
import { showSpans } from '../../src/reviewers/prompts/review-prompt.ts'
import type { Field } from '../../src/reviewers/prompts/specialist-prompts.ts'
import { createFence } from '../../src/reviewers/prompts/untrusted-block.ts'
import type { ContextRound, ContextSpan } from '../../src/reviewers/reviewer.ts'

/** A round that shows files of these paths. */
export function roundOf(...paths: readonly string[]): ContextRound {
  const spans = paths.map(
    (path): ContextSpan => ({ origin: 'diff', trust: 'untrusted', path, text: '@@', tokens: 1 }),
  )
  return { spans, tokens: spans.length }
}

/** What a message shows of a round with a planted defect of these fields. */
export function plantIn(
  round: ContextRound,
  fields: readonly Field[],
): { plant: Plant; text: string; own: string } {
  const plant = createPlant(round, fields)
  const { shared } = addToRound(round, plant, null)
  const show = (spans: readonly ContextSpan[]) => showSpans(spans, createFence()).join('\n\n')
  return {
    plant,
    text: show(shared),
    own: show(shared.filter(({ path }) => path === plant.file.path)),
  }
}
