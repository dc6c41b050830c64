// A process that opens an embedded database, writes rows, and prints each committed one.
import { sql } from 'kysely'
import { openDatabase } from '../../src/db/database.ts'
import { silentLog } from './test-database.ts'

const [directory] = process.argv.slice(2)
await using open = await openDatabase({ engine: 'embedded', directory: directory! }, silentLog)
await sql`create table if not exists written (id bigint primary key, filler text not null)`.execute(
  open.db,
)
process.stdout.write('ready\n')

/** Four writers in parallel, as in the service: their commits are synced to disk together. */
let next = 1
await Promise.all(
  Array.from({ length: 4 }, async () => {
    for (;;) {
      const id = next++
      await open.db.transaction().execute(async (tx) => {
        await sql`insert into written values (${id}, ${String(id).repeat(500)})`.execute(tx)
      })
      process.stdout.write(`${id}\n`)
      if (id % 60 === 0) await sql`checkpoint`.execute(open.db)
    }
  }),
)
