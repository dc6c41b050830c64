// Fences and bounds the results of tools before a model sees them.
import { UmpireError } from '../domain/errors.ts'
import type { Tool } from '../domain/tool.ts'
import type { PromptFence } from './prompts/prompt-fence.ts'

const maxResultChars = 60_000

/** Wraps tools so that their results and errors are fenced, because both can contain the change. */
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
          // The message may quote the tool's input, which may be copied from the change.
          return wrap(`Error: ${error.message}`)
        }
      },
    }
  })
}
