// Whether the platform still lets people see what they connected.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table installations
      add column access_check_due timestamptz not null default now() + interval '15 minutes',
      add column access_confirmed_at timestamptz,
      add column access_lost_at timestamptz`.execute(db)
}
