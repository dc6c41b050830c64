// Small sets of names that may say yes too often, never no (Bloom's): which files could mean a name, asked of all at once.
import { type RawBuilder, sql } from 'kysely'

const bitsPerName = 16

/** The set, for `mayUseAnyOf`. */
export function createNameFilter(names: ReadonlySet<string>): Buffer {
  const filter = Buffer.alloc(Math.max(8, Math.ceil((names.size * bitsPerName) / 8)))
  const bits = filter.length * 8
  for (const name of names) {
    for (const hash of hashName(name)) {
      const bit = hash % bits
      // As PostgreSQL's get_bit counts them.
      filter[bit >> 3]! |= 1 << (bit & 7)
    }
  }
  return filter
}

/** An expression: the filter in this column may hold one of the names. */
export function mayUseAnyOf(column: string, names: readonly string[]): RawBuilder<boolean> {
  const hashes = names.map(hashName)
  const filter = sql.ref(column)
  const bit = (hash: string) =>
    sql`get_bit(${filter}, ${sql.ref(hash)} % (length(${filter}) * 8)) = 1`
  return sql`exists (
    select from unnest(${hashes.map(([one]) => one)}::bigint[], ${hashes.map(([, other]) => other)}::bigint[])
      as asked (one, other)
    where ${bit('asked.one')} and ${bit('asked.other')})`
}

/** Two numbers from 0 to 2^32 - 1 (FNV-1a, from two beginnings). */
function hashName(name: string): readonly [number, number] {
  let one = 0x811c9dc5
  let other = 0x9e3779b9
  for (let at = 0; at < name.length; at++) {
    const code = name.charCodeAt(at)
    one = Math.imul(one ^ code, 0x01000193)
    other = Math.imul(other ^ code, 0x01000193)
  }
  return [one >>> 0, (other ^ (other >>> 15)) >>> 0]
}
