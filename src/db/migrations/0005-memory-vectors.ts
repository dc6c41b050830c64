// Adds vectors of memories for the search with an embedder.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  // Each current memory has one vector, which that of a newer embedder replaces.
  await sql`
    create table memory_vectors (
      memory_id uuid primary key references memories (id) on delete cascade,
      repo text not null,
      embedder text not null,
      signs bit varying not null,
      vector bytea not null,
      norm real not null
    )`.execute(db)
  // Compression is disabled, because it would be tried without saving space.
  await sql`alter table memory_vectors alter column vector set storage external`.execute(db)
  await sql`create index memory_vectors_repo on memory_vectors (repo, embedder)`.execute(db)
  await dropWithMemories(db)
  // Whether the repository permits models; null where no scan has read its settings yet.
  await sql`alter table scans add column asks_models boolean`.execute(db)
}

/** Deletes the vector when a memory ends or moves, whatever statement does it. */
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
