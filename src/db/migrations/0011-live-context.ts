// Adds the trusted tools of trackers and chats, and what they returned for a review.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table context_tools (
      source text not null,
      tool text not null,
      fingerprint text not null,
      first_seen timestamptz not null default now(),
      primary key (source, tool)
    )`.execute(db)
  await sql`alter table workflow_runs add column sources jsonb`.execute(db)
}
