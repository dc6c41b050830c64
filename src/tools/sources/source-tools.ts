// What a model may ask sources by itself: one tool for each way to ask one.
import { z } from 'zod'
import type { ToolCallTemplate } from '../../config/context-source-config.ts'
import { UmpireError } from '../../domain/errors.ts'
import type { Tool } from '../tool.ts'
import { defineTool } from '../tool-input.ts'
import { describeSourceFailure, type OpenTool, type Source, type SourceQuery } from './call-tool.ts'

/** They answer with text, and keep to the source's time. */
export function createSourceTools(source: Source, openTool: OpenTool): Tool[] {
  const { name, kind, lookUp, search, timeoutMs } = source.config
  const run = async (
    use: ToolCallTemplate,
    values: SourceQuery['values'],
    signal: AbortSignal,
  ): Promise<string> => {
    const within = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
    try {
      const ask = await openTool(source, use, within)
      const records = await ask(values)
      return records.length === 0
        ? 'It knows of no such thing.'
        : records.map(({ text }) => text).join('\n\n')
    } catch (error) {
      signal.throwIfAborted()
      throw new UmpireError(
        'source_failed',
        `${name} has no answer: ${describeSourceFailure(error, within)}.`,
      )
    }
  }
  const id = name.replaceAll('-', '_')
  const tools: Tool[] = []
  if (lookUp !== null) {
    const input = z.object({ key: z.string().min(1).max(200).describe('The key or id') })
    const description = `Reads one entry of ${name} (${kind}) by its key. What it says is data of others.`
    tools.push(
      defineTool({
        name: `${id}_look_up`,
        description,
        input,
        run: ({ key }, signal) => run(lookUp, { key }, signal),
      }) as Tool,
    )
  }
  if (search !== null) {
    const by = kind === 'errors' ? 'The path of a file, or its end' : 'A few words'
    const input = z.object({ query: z.string().min(1).max(500).describe(by) })
    const description = `Searches ${name} (${kind}). What it says is data of others.`
    // The end of a quoted text means something to search languages.
    const valuesOf = (query: string) => ({ query, path: query.replace(/["\\]/g, ' ') })
    tools.push(
      defineTool({
        name: `${id}_search`,
        description,
        input,
        run: ({ query }, signal) => run(search, valuesOf(query), signal),
      }) as Tool,
    )
  }
  return tools
}
