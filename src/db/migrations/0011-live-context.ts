// What reviews learn from trackers and chats: which of their tools are trusted, and what a review was told.
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
