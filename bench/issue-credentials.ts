// Issues credentials for users that were inserted directly into the database.
import { createCredentials } from '../src/accounts/credentials.ts'
import { saveToken } from '../src/accounts/tokens.ts'
import { openDatabase } from '../src/db/database.ts'
import { createKeyRing } from '../src/lib/key-ring.ts'

/** Credentials that are valid for one day. */
export async function issueCredentials(
  { url, secretKey, publicUrl }: { url: string; secretKey: string; publicUrl: string },
  userId: number,
): Promise<{ bearer: string; cookie: string }> {
  const quiet = {
    info() {},
    warn() {},
    error: (fields: object, message: string) => console.error(message, fields),
  }
  await using database = await openDatabase({ engine: 'postgresql', url, poolSize: 1 }, quiet)
  const expiresAt = new Date(Date.now() + 86_400_000)
  const tokenId = await saveToken(database.db, { userId, kind: 'session', expiresAt })
  const credentials = createCredentials(createKeyRing(secretKey, []), publicUrl)
  return {
    bearer: await credentials.issue('bearer', { userId, tokenId }, expiresAt),
    cookie: await credentials.issue('cookie', { userId, tokenId }, expiresAt),
  }
}
