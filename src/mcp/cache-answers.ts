// Caches the answers of MCP tools for a short time, until something changes.
import type { McpBackend, ToolAnswer } from './mcp-backend.ts'

/** Answers expire because some changes are not announced, such as why a review waits. */
const maxAgeMs = 1000
/** These lengths are measured in characters of JSON. */
const maxKeyLength = 1000
const maxCacheLength = 8 * 2 ** 20

interface CachedAnswer {
  readonly answer: ToolAnswer
  readonly storedAt: number
}

/**
 * Wraps a backend so that it caches answers for clients without a token. Answers for callers with a
 * token are not cached, because their permissions can change at any time. Failures and empty lists
 * are not cached, because the data may exist a moment later.
 *
 * @returns the backend with `clearCache`, which must be called when a review changed
 */
export function cacheAnswers(backend: McpBackend): McpBackend & { clearCache(): void } {
  const answers = new Map<string, CachedAnswer>()
  let cacheLength = 0
  /** An answer is not stored if the cache was cleared while it was computed. */
  let generation = 0
  const clearCache = () => {
    generation += 1
    cacheLength = 0
    answers.clear()
  }
  const store = (key: string, answer: ToolAnswer) => {
    cacheLength += key.length + JSON.stringify(answer.records).length
    if (cacheLength > maxCacheLength) clearCache()
    else answers.set(key, { answer, storedAt: performance.now() })
  }
  return {
    ...backend,
    clearCache,
    async callTool(name, given, context) {
      if (context.caller !== null) return backend.callTool(name, given, context)
      const key = JSON.stringify([name, given])
      const cached = answers.get(key)
      if (cached !== undefined && performance.now() - cached.storedAt < maxAgeMs) {
        return cached.answer
      }
      const generationBefore = generation
      const answer = await backend.callTool(name, given, context)
      const isCacheable = answer?.fault === null && answer.records.length > 0
      if (isCacheable && key.length <= maxKeyLength && generationBefore === generation) {
        store(key, answer)
      }
      return answer
    },
  }
}
