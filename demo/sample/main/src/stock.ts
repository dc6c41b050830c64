// How many of each article are left.
import type { Database } from './database.ts'

/** Takes articles out of the stock; false where there are not enough. */
export async function takeFromStock(db: Database, article: string, count: number): Promise<boolean> {
  const rows = await db.query(
    'update stock set left_over = left_over - $2 where article = $1 and left_over >= $2 returning article',
    [article, count],
  )
  return rows.length === 1
}
