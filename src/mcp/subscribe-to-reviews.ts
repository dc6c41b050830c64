// Subscribes to the changes of reviews that the database announces to all processes.

import { z } from 'zod'
import type { Caller } from '../accounts/tokens.ts'
import type { OpenDatabase } from '../db/database.ts'
import { changesChannel } from '../events/listing.ts'
import { parseJson } from '../lib/parse-json.ts'
import type { McpBackend } from './mcp-backend.ts'
import { parseReviewsUri, reviewsUri } from './mcp-server.ts'

const changeSchema = z.object({ repo: z.string(), number: z.int(), status: z.string() })

/**
 * Calls back with the URI of a repository's reviews when they change. Close the subscription at the
 * end.
 *
 * @param onGap called when changes may have been missed, so that cached answers are outdated
 */
export async function subscribeToReviews(
  database: Pick<OpenDatabase, 'listen'>,
  onChange: (uri: string) => void,
  onGap: () => void,
): Promise<{ close(): Promise<void> }> {
  return database.listen(
    changesChannel,
    (payload) => {
      const change = changeSchema.safeParse(parseJson(payload))
      if (change.success) onChange(reviewsUri(change.data.repo))
    },
    onGap,
  )
}

/**
 * Resolves a URI of reviews to the URI with which changes are published. In that one, the name of
 * the repository has the spelling of the platform.
 *
 * @returns undefined for any other URI, and for a repository that the caller can't see
 */
export async function resolveReviewsUri(
  backend: Pick<McpBackend, 'findRepository'>,
  uri: string,
  caller: Caller | null,
): Promise<string | undefined> {
  const requestedName = parseReviewsUri(uri)
  if (requestedName === undefined) return undefined
  const repo = await backend.findRepository(requestedName, caller)
  return repo === undefined ? undefined : reviewsUri(repo)
}
