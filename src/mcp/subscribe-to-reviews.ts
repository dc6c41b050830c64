// Which repositories' reviews changed, as the database announces it to all processes.
import { z } from 'zod'
import type { Caller } from '../accounts/tokens.ts'
import type { OpenDatabase } from '../db/database.ts'
import { changesChannel } from '../events/listing.ts'
import type { McpBackend } from './mcp-backend.ts'
import { parseReviewsUri, reviewsUri } from './mcp-server.ts'

const change = z.object({ repo: z.string(), number: z.int(), status: z.string() })

/**
 * Calls back with the address of each repository's reviews when they changed. Close it at the end.
 *
 * @param onGap called when changes may have been missed; those who read the resource next see them
 */
export async function subscribeToReviews(
  database: Pick<OpenDatabase, 'listen'>,
  onChange: (uri: string) => void,
  onGap: () => void,
): Promise<{ close(): Promise<void> }> {
  return database.listen(
    changesChannel,
    (payload) => {
      const told = change.safeParse(parseJson(payload))
      if (told.success) onChange(reviewsUri(told.data.repo))
    },
    onGap,
  )
}

/**
 * Under which address changes of a repository's reviews are told: the spelling of its name is the platform's.
 *
 * @returns undefined for what is no address of reviews, or nothing that the caller may see
 */
export async function resolveReviewsUri(
  backend: Pick<McpBackend, 'findRepository'>,
  uri: string,
  caller: Caller | null,
): Promise<string | undefined> {
  const asked = parseReviewsUri(uri)
  const repo = asked === undefined ? undefined : await backend.findRepository(asked, caller)
  return repo === undefined ? undefined : reviewsUri(repo)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
