// The control of the power test: the embedded engine with its defaults, which don't use fsync.
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'

const [directory] = process.argv.slice(2)
const database = await PGlite.create(join(directory!, 'data'))
await database.exec(
  'create table if not exists written (id bigint primary key, filler text not null)',
)
process.stdout.write('ready\n')
for (let id = 1; ; id++) {
  await database.query('insert into written values ($1, $2)', [id, String(id).repeat(500)])
  process.stdout.write(`${id}\n`)
  if (id % 60 === 0) await database.exec('checkpoint')
}
