// Gives a model its tools so that what they return is fenced as data, and bounded.
import { UmpireError } from '../domain/errors.ts'
import type { Tool } from '../tools/tool.ts'
import type { PromptFence } from './prompts/prompt-fence.ts'

/** Longest result that goes to a model, in characters. */
const maxResultChars = 60_000

/** The tools with their results fenced: what a tool found is as untrusted as the change itself. */
export function fenceTools(tools: readonly Tool[], fence: PromptFence): Tool[] {
  return tools.map((tool) => {
    const wrap = (text: string) =>
      fence.wrap({ origin: tool.name, trust: 'untrusted', path: null }, text, maxResultChars)
    return {
      ...tool,
      run: async (input, signal) => {
        try {
          return wrap(await tool.run(input, signal))
        } catch (error) {
          if (signal.aborted || !(error instanceof UmpireError)) throw error
          // The reason why it failed names what was asked, which may be copied from the change.
          return wrap(`Error: ${error.message}`)
        }
      },
    }
  })
}
