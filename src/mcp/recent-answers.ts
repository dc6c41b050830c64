// Answers of the last moment, for those who ask the same again before anything changed.
import type { McpBackend, ToolAnswer } from './backend.ts'

/** However quiet it is: changes that nobody announces, such as why a review waits, show after so long. */
const longestMs = 1000
/** Of what is asked, and of all that is kept, in characters of JSON. */
const longestQuestion = 1000
const mostKept = 8 * 2 ** 20

interface Kept {
  readonly answer: ToolAnswer
  readonly at: number
}

/**
 * A backend that gives an answer again to clients without a token; those with one may see less from one moment to the next.
 * Faults and empty lists are never kept: what was missing may be there now.
 *
 * @returns with `forget`, to be called whenever a review changed
 */
export function keepRecentAnswers(backend: McpBackend): McpBackend & { forget(): void } {
  const answers = new Map<string, Kept>()
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
    if (size > mostKept) forget()
    else answers.set(question, { answer, at: performance.now() })
  }
  return {
    ...backend,
    forget,
    async callTool(name, given, asker) {
      const question = asker.caller === null ? JSON.stringify([name, given]) : ''
      const kept = answers.get(question)
      if (kept !== undefined && performance.now() - kept.at < longestMs) return kept.answer
      const before = changes
      const answer = await backend.callTool(name, given, asker)
      if (answer === undefined || answer.fault !== null || answer.records.length === 0)
        return answer
      if (question !== '' && question.length <= longestQuestion && before === changes)
        keep(question, answer)
      return answer
    },
  }
}
