// Rounds with planted defects, as messages show them: for tests that look at what stands in them.
import { type Canary, createCanary } from '../../src/reviewers/attention/canary.ts'
import { addCanaryToRound } from '../../src/reviewers/attention/canary-round.ts'
import type { ContextRound, ContextSpan } from '../../src/reviewers/packed-context.ts'
import { createPromptFence } from '../../src/reviewers/prompts/prompt-fence.ts'
import { renderSpans } from '../../src/reviewers/prompts/review-prompt.ts'
import type { ReviewField } from '../../src/reviewers/prompts/specialist-prompts.ts'

/** A round that shows files of these paths. */
export function roundOf(...paths: readonly string[]): ContextRound {
  const spans = paths.map(
    (path): ContextSpan => ({ origin: 'diff', trust: 'untrusted', path, text: '@@', tokens: 1 }),
  )
  return { spans, tokens: spans.length }
}

/** What a message shows of a round with a planted defect of these fields. */
export async function plantIn(
  round: ContextRound,
  fields: readonly ReviewField[],
): Promise<{ plant: Canary; text: string; own: string }> {
  const plant = await createCanary(round, fields)
  const { shared } = addCanaryToRound(round, plant, null)
  const show = (spans: readonly ContextSpan[]) =>
    renderSpans(spans, createPromptFence()).join('\n\n')
  return {
    plant,
    text: show(shared),
    own: show(shared.filter(({ path }) => path === plant.file.path)),
  }
}
