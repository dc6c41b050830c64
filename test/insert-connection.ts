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
      user_id: user.id,
      repo_full_name: repo,
      webhook_secret: 'a'.repeat(64),
      is_active: isActive,
    })
    .execute()
}
