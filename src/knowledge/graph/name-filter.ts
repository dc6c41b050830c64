// Bloom filters over names, stored per file, to query which files may use a name.
import { type RawBuilder, sql } from 'kysely'

const bitsPerName = 16
const fnvPrime = 0x01000193

/** Builds the filter that `mayUseAnyOf` tests: it can give false positives, no false negatives. */
export function createNameFilter(names: ReadonlySet<string>): Buffer {
  const filter = Buffer.alloc(Math.max(8, Math.ceil((names.size * bitsPerName) / 8)))
  const bits = filter.length * 8
  for (const name of names) {
    for (const hash of hashName(name)) {
      const bit = hash % bits
      // PostgreSQL's get_bit counts bits from the least significant one of each byte.
      filter[bit >> 3]! |= 1 << (bit & 7)
    }
  }
  return filter
}

/** Makes an SQL condition: the filter in this column may contain one of the names. */
export function mayUseAnyOf(column: string, names: readonly string[]): RawBuilder<boolean> {
  const hashes = names.map(hashName)
  const filter = sql.ref(column)
  const hasBit = (hash: string) =>
    sql`get_bit(${filter}, ${sql.ref(hash)} % (length(${filter}) * 8)) = 1`
  return sql`exists (
    select from unnest(
      ${hashes.map(([first]) => first)}::bigint[],
      ${hashes.map(([, second]) => second)}::bigint[]) as hashes (first, second)
    where ${hasBit('hashes.first')} and ${hasBit('hashes.second')})`
}

/**
 * Two 32-bit FNV-1a hashes with different offset bases.
 * http://www.isthe.com/chongo/tech/comp/fnv/
 */
function hashName(name: string): readonly [number, number] {
  let first = 0x811c9dc5
  let second = 0x9e3779b9
  for (let index = 0; index < name.length; index++) {
    const code = name.charCodeAt(index)
    first = Math.imul(first ^ code, fnvPrime)
    second = Math.imul(second ^ code, fnvPrime)
  }
  return [first >>> 0, (second ^ (second >>> 15)) >>> 0]
}
