// A process of its own that opens an embedded database and writes rows, saying each one when it is committed.
import { sql } from 'kysely'
import { openDatabase } from '../../src/db/database.ts'
import { silentLog } from './test-database.ts'

const [directory] = process.argv.slice(2)
await using open = await openDatabase({ engine: 'embedded', directory: directory! }, silentLog)
await sql`create table if not exists written (id bigint primary key, filler text not null)`.execute(
  open.db,
)
process.stdout.write('ready\n')

/** Four at once, as the service has it: commits are brought to the disk together. */
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
