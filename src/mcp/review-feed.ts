// Which repositories' reviews changed, as the database announces it to all processes.
import { z } from 'zod'
import type { OpenDatabase } from '../db/database.ts'
import { changesChannel } from '../events/listing.ts'
import { reviewsAddress } from './mcp-server.ts'

const change = z.object({ repo: z.string(), number: z.int(), status: z.string() })

/** Calls back with the address of each repository's reviews when they changed. Close it at the end. */
export async function followReviews(
  database: Pick<OpenDatabase, 'listen'>,
  onChange: (uri: string) => void,
): Promise<{ close(): Promise<void> }> {
  return database.listen(
    changesChannel,
    (payload) => {
      const told = change.safeParse(parseJson(payload))
      if (told.success) onChange(reviewsAddress(told.data.repo))
    },
    // What was missed shows when the resource is read next.
    () => undefined,
  )
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
