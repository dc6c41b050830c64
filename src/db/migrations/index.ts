// Lists all migrations in the order in which they run. A migration that was committed never
// changes: its name contains the hash of its text.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** A name is that of the file in this folder, and the first 12 digits of its SHA-256. */
const names = [
  '0001-schema@121eacbf4a6c',
  '0002-work-items@ce0515b74cf8',
  '0003-apps@bfcb337cde24',
  '0004-check-requests@1351fb9b4d59',
  '0005-pauses@b2ed4e00124b',
  '0006-platform-requests@157bd4cb1ca4',
  '0007-decisions@bb42a27b330b',
  '0008-pacing-and-rotation@e92cb2b958c9',
  '0009-answers@c073c048fdc3',
  '0010-reconciliation@ae54322d02bb',
  '0011-base-branches@4c6a1c2fd507',
  '0012-shared-heads@c158abdb6783',
  '0013-answers-as-work@522ec6a958d5',
  '0014-request-order@f9582078e270',
  '0015-followed-comments@1e5dfb8932e3',
  '0016-several-hosts@f2b32fa74db3',
  '0017-code-hosts@72c7a19a81a9',
  '0018-model-answers@193a22ce5cdc',
  '0019-model-reservations@9c5650afcc74',
  '0020-finding-outcomes@a58bcd9c8e46',
  '0021-findings-list@80dff753858d',
  '0022-notifications@e5467c329da8',
  '0023-late-tool-logs@fdfd72ffab36',
  '0024-finding-counts@dcf0cc1c5a17',
  '0025-dismissal-kinds@c2e6bc295959',
  '0026-posting@252450e1a654',
]

export const migrations: Record<string, Migration> = Object.fromEntries(
  names.map((name) => [name, readMigration(name)]),
)

/** Throws if the text isn't the one that the name was given for. */
function readMigration(name: string): Migration {
  const [file, hash] = name.split('@')
  const text = readFileSync(new URL(`./${file}.sql`, import.meta.url), 'utf8')
  const actual = createHash('sha256').update(text).digest('hex').slice(0, 12)
  if (actual !== hash) {
    throw new Error(
      `The migration ${file}.sql was edited (its hash is ${actual}): ` +
        'restore it and add a migration instead.',
    )
  }
  return { up: async (db) => void (await sql.raw(text).execute(db)) }
}
