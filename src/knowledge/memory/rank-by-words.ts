// Ranks memories by words and by the places that they are about: BM25, reckoned in SQL.
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import { limitRows } from '../../db/limit-rows.ts'
import { readTermCounts } from './count-terms.ts'
import type { MemoryQuery, RankedMemory } from './memory-query.ts'
import { matchesFilter } from './read-memories.ts'
import { splitWords } from './split-words.ts'
import { inverseFrequency, repositoryTerm, termOfPath, termOfWord } from './terms.ts'

/** Of a query; the first ones count. */
const maxTerms = 32
const maxQueryLength = 4000
const maxPaths = 200

/** So many memories are looked at more closely. */
const maxCandidates = 3000

/** A term of the query and how much it says. */
interface QueryTerm {
  readonly term: number
  readonly count: number
  readonly worth: number
}

/**
 * The current memories whose words fit best, best first. Scores are by BM25 over the words of text and path, raised by up to
 * twice for what lies near `paths`. In a repository with many memories those with the query's rarer words are looked at:
 * what has nothing but words that are everywhere may be left out.
 */
export async function rankByWords(
  db: Db,
  repo: string,
  query: MemoryQuery,
): Promise<RankedMemory[]> {
  const words = new Set(splitWords(query.text.slice(0, maxQueryLength), maxTerms))
  const near = listNearbyPaths(query.paths ?? [])
  const terms = [...words].map((word) => termOfWord(repo, word))
  const places = [...near.keys()].map((path) => termOfPath(repo, path))
  const counts = await readTermCounts(db, [...terms, repositoryTerm(repo)])
  const total = counts.get(repositoryTerm(repo)) ?? 0
  const asked = terms
    .flatMap((term) => {
      const count = counts.get(term)
      return count === undefined ? [] : [{ term, count, worth: inverseFrequency(count, total) }]
    })
    .sort((one, other) => one.count - other.count)
  if (asked.length === 0 && places.length === 0) return []
  const { rows } = await sql<RankedMemory>`
    with candidate as materialized (
      select m.id, m.path, m.terms, m.weights from memories m
      where m.repo = ${repo} and m.ended_at is null and (${candidateCondition(asked, places)}) ${matchesFilter(query)}
      ${limitRows(maxCandidates)}
    ), near as (
      select * from unnest(${[...near.keys()]}::text[], ${[...near.values()]}::float8[]) as near (path, nearness)
    )
    select candidate.id, ${scoreExpression(asked)} * (1 + coalesce(nearness, 0)) + coalesce(nearness, 0) as score
    from candidate left join near using (path)
    order by score desc, id limit ${query.limit}`.execute(db)
  return rows
}

/** By the rarest words, as many as stay within what can be looked at; where all are frequent, by the two rarest together. */
function candidateCondition(
  asked: readonly QueryTerm[],
  places: readonly number[],
): RawBuilder<unknown> {
  const rare: number[] = []
  let looked = 0
  for (const { term, count } of asked) {
    looked += count
    if (looked <= maxCandidates) rare.push(term)
  }
  if (rare.length > 0 || asked.length === 0)
    return sql`m.terms && ${[...rare, ...places]}::bigint[]`
  const both = sql`m.terms @> ${asked.slice(0, 2).map(({ term }) => term)}::bigint[]`
  return places.length === 0 ? both : sql`${both} or m.terms && ${places}::bigint[]`
}

/** The sum over the terms, of a `candidate`. */
function scoreExpression(asked: readonly QueryTerm[]): RawBuilder<unknown> {
  if (asked.length === 0) return sql`0`
  const summands = asked.map(
    ({ term, worth }) =>
      sql`coalesce(weights[array_position(terms, ${term}::bigint)] * ${worth}::float8, 0)`,
  )
  return sql`(${sql.join(summands, sql` + `)})`
}

/** The files themselves and all directories that they are in, each with how near it is: 1 for a file, 1/2 for its directory. */
function listNearbyPaths(paths: readonly string[]): Map<string, number> {
  const places = new Map<string, number>()
  for (const path of paths.slice(0, maxPaths)) {
    const parts = path.split('/')
    for (let kept = parts.length; kept >= 0; kept--) {
      const place = kept === 0 ? '.' : parts.slice(0, kept).join('/')
      const nearness = 1 / (1 + parts.length - kept)
      places.set(place, Math.max(nearness, places.get(place) ?? 0))
    }
  }
  return places
}
