// Answers of the last moment, for those who ask the same again before anything changed.
import type { McpBackend, ToolAnswer } from './mcp-backend.ts'

/** However quiet it is: changes that nobody announces, such as why a review waits, show after so long. */
const maxAgeMs = 1000
/** Of what is asked, and of all that is kept, in characters of JSON. */
const maxKeyLength = 1000
const maxCacheLength = 8 * 2 ** 20

interface CachedAnswer {
  readonly answer: ToolAnswer
  readonly at: number
}

/**
 * A backend that gives an answer again to clients without a token; those with one may see less from one moment to the next.
 * Faults and empty lists are never kept: what was missing may be there now.
 *
 * @returns with `forget`, to be called whenever a review changed
 */
export function cacheAnswers(backend: McpBackend): McpBackend & { forget(): void } {
  const answers = new Map<string, CachedAnswer>()
  let size = 0
  /** An answer that was asked for before a change isn't kept after it. */
  let changes = 0
  const forget = () => {
    changes += 1
    size = 0
    answers.clear()
  }
  const keep = (question: string, answer: ToolAnswer) => {
    size += question.length + JSON.stringify(answer.records).length
    if (size > maxCacheLength) forget()
    else answers.set(question, { answer, at: performance.now() })
  }
  return {
    ...backend,
    forget,
    async callTool(name, given, asker) {
      const question = asker.caller === null ? JSON.stringify([name, given]) : ''
      const kept = answers.get(question)
      if (kept !== undefined && performance.now() - kept.at < maxAgeMs) return kept.answer
      const before = changes
      const answer = await backend.callTool(name, given, asker)
      if (answer === undefined || answer.fault !== null || answer.records.length === 0)
        return answer
      if (question !== '' && question.length <= maxKeyLength && before === changes)
        keep(question, answer)
      return answer
    },
  }
}
