// Vectors of memories, by which they are found where an embedder is configured.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  // One for each memory that counts: a newer embedder's takes its place.
  await sql`
    create table memory_vectors (
      memory_id uuid primary key references memories (id) on delete cascade,
      repo text not null,
      embedder text not null,
      signs bit varying not null,
      vector bytea not null,
      norm real not null
    )`.execute(db)
  // It doesn't get smaller, and would be tried.
  await sql`alter table memory_vectors alter column vector set storage external`.execute(db)
  await sql`create index memory_vectors_repo on memory_vectors (repo, embedder)`.execute(db)
  await dropWithMemories(db)
  // Whether the repository lets models be asked about it; null where no scan has looked yet.
  await sql`alter table scans add column asks_models boolean`.execute(db)
}

/** Whoever ends a memory, or moves it, its vector goes with it. */
async function dropWithMemories(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function drop_memory_vector() returns trigger language plpgsql as $$
    begin
      delete from memory_vectors where memory_id = new.id;
      return null;
    end $$`.execute(db)
  await sql`
    create trigger memories_drop_vector after update of ended_at, path on memories for each row
    when (new.ended_at is not null or new.path is distinct from old.path)
    execute function drop_memory_vector()`.execute(db)
}
