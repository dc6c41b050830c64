// Has a model answer what people ask about a finding or a change, with read-only tools.
import { z } from 'zod'
import { answerPositions } from '../domain/answer.ts'
import type { Change } from '../domain/change.ts'
import { createLineReader } from '../git/line-reader.ts'
import { renderNumberedLines } from '../git/render-diff.ts'
import { type GenerateLimits, generateObject } from '../models/index.ts'
import { fenceTools } from './fence-tools.ts'
import type { ModelOptions } from './model-options.ts'
import { answerInstructions, answerMessage } from './prompts/answer-prompt.ts'
import { createPromptFence, type PromptFence } from './prompts/prompt-fence.ts'
import { renderClaimCode } from './render-claim-code.ts'
import type { Answerer, Question } from './reviewer.ts'

/** Apply to one answer. */
const defaultLimits: GenerateLimits = {
  steps: 10,
  outputTokens: 4_000,
  totalTokens: 200_000,
  timeMs: 120_000,
}

/** The model reads the rest with its tools. */
const maxDiffChars = { file: 12_000, all: 48_000 } as const

const answerSchema = z.object({ answer: z.string(), position: z.enum(answerPositions) })

/** Makes the answerer of one question. */
export function createAnswerer(options: ModelOptions): Answerer {
  return {
    async answer(change, question, signal) {
      const fence = createPromptFence()
      const code = await renderCode(change, question, fence)
      const { value, answer } = await generateObject(
        options.model,
        {
          system: answerInstructions(options.language ?? 'English'),
          prompt: answerMessage(change.pullRequest, question, code, fence),
          tools: fenceTools(options.tools(change), fence),
          output: answerSchema,
          limits: { ...defaultLimits, ...options.limits },
          budget: options.budget,
        },
        signal,
      )
      // JSON within a text may be quoted from the data, and nothing is conceded about no finding.
      const isOwn = answer.isWholeText && question.finding !== null
      return { text: value.answer.trim(), position: isOwn ? value.position : 'explains' }
    },
  }
}

function renderCode(
  change: Change,
  { finding }: Question,
  fence: PromptFence,
): Promise<string[]> | string[] {
  if (finding === null) return renderDiff(change, fence)
  const files = { head: createLineReader(change.head), base: createLineReader(change.base) }
  return renderClaimCode(change, files, [finding], fence)
}

/** Renders the reviewed files of the diff, each cut to its limit, until all have reached theirs. */
function renderDiff({ files }: Change, fence: PromptFence): string[] {
  let remainingChars: number = maxDiffChars.all
  return files.flatMap(({ path, hunks }) => {
    const text = hunks.map(({ lines }) => renderNumberedLines(lines, 'some')).join('\n\n')
    const block = fence.wrap({ origin: 'diff', trust: 'untrusted', path }, text, maxDiffChars.file)
    if (text === '' || block.length > remainingChars) return []
    remainingChars -= block.length
    return [block]
  })
}
