// Connects a repository by inserting its row, without a platform, a webhook or a scan.
import type { Db } from '../src/db/database.ts'

/** @param login the login of a user who signed in before */
export async function insertConnection(
  db: Db,
  login: string,
  repo: string,
  isActive = true,
): Promise<void> {
  const user = await db
    .selectFrom('users')
    .select('id')
    .where('login', '=', login)
    .executeTakeFirstOrThrow()
  await db
    .insertInto('installations')
    .values({
      userId: user.id,
      repoFullName: repo,
      webhookSecret: 'a'.repeat(64),
      isActive,
    })
    .execute()
}
