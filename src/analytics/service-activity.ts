// Reads whether the service is in use: connected repositories and the newest delivery.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'

export interface ServiceActivity {
  readonly connectedRepositories: number
  /** Null when nothing was delivered yet. */
  readonly newestDeliveryAt: Date | null
}

export async function readServiceActivity(db: Db): Promise<ServiceActivity> {
  const { rows } = await sql<{ connected: number; newest: Date | null }>`
    select
      (select count(distinct lower(repo_full_name))
        from installations where is_active) as connected,
      (select created_at from events order by id desc limit 1) as newest`.execute(db)
  const [row] = rows
  return { connectedRepositories: row?.connected ?? 0, newestDeliveryAt: row?.newest ?? null }
}
