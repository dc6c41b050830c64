// Reads GitHub's statistics of the contributors to a repository.
import { z } from 'zod'
import { delay } from '../../lib/abortable.ts'
import type { HostCall } from '../http/connection.ts'
import { buildRepositoryCall } from '../http/repository-calls.ts'
import { parseResponse, send } from '../http/request.ts'

const contributor = z.object({
  author: z.object({ login: z.string() }).nullish(),
  total: z.int(),
  weeks: z.array(z.object({ a: z.int(), d: z.int() })),
})

/** Pauses between requests while the statistics are being computed, less than 2 s in total. */
const retryDelaysMs = [250, 500, 1000]

/**
 * GET /repos/{owner}/{repo}/stats/contributors: 202 while computing, 204 for an empty repository.
 */
export const listContributors: HostCall<'listContributors'> = async (
  connection,
  access,
  signal,
) => {
  const call = buildRepositoryCall(access, '/stats/contributors', signal)
  let answer = await send(connection, call)
  for (const pauseMs of retryDelaysMs) {
    if (answer.status !== 202) break
    await delay(pauseMs, signal)
    answer = await send(connection, call)
  }
  if (answer.status !== 200) return []
  return parseResponse(answer, z.array(contributor)).flatMap((entry) => {
    // The email address of the commits belongs to no account.
    if (!entry.author) return []
    const additions = entry.weeks.reduce((sum, week) => sum + week.a, 0)
    const deletions = entry.weeks.reduce((sum, week) => sum + week.d, 0)
    return [{ login: entry.author.login, commits: entry.total, additions, deletions }]
  })
}
