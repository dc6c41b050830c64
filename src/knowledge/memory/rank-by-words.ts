// Ranks memories by words, with BM25 that is computed in SQL, and by paths.
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import { limitRows } from '../../db/limit-rows.ts'
import { readTermCounts } from './count-terms.ts'
import type { MemoryQuery, RankedMemory } from './memory-query.ts'
import { matchesFilter } from './read-memories.ts'
import { splitWords } from './split-words.ts'
import { inverseFrequency, repositoryTerm, termOfPath, termOfWord } from './terms.ts'

/** Only the first terms of a query are used. */
const maxTerms = 32
const maxQueryLength = 4000
const maxPaths = 200

/** Scores are computed for at most this many memories. */
const maxCandidates = 3000

interface QueryTerm {
  readonly term: number
  /** This many current memories contain the term. */
  readonly count: number
  readonly inverseFrequency: number
}

/**
 * Ranks the current memories by BM25 over the words of their text and path, best first. Nearness to
 * `paths` at most doubles a score. In a repository with many memories only those with the query's
 * rarer words are considered, so a memory with only common words may be missing.
 */
export async function rankByWords(
  db: Db,
  repo: string,
  query: MemoryQuery,
): Promise<RankedMemory[]> {
  const nearness = computeNearness(query.paths ?? [])
  const paths = [...nearness.keys()]
  const pathTerms = paths.map((path) => termOfPath(repo, path))
  const queryTerms = await readQueryTerms(db, repo, query.text)
  if (queryTerms.length === 0 && pathTerms.length === 0) return []
  const condition = candidateCondition(queryTerms, pathTerms)
  const { rows } = await sql<RankedMemory>`
    with candidate as materialized (
      select m.id, m.path, m.terms, m.weights from memories m
      where m.repo = ${repo} and m.ended_at is null and (${condition}) ${matchesFilter(query)}
      ${limitRows(maxCandidates)}
    ), near as (
      select * from unnest(${paths}::text[], ${[...nearness.values()]}::float8[])
        as near (path, nearness)
    )
    select candidate.id,
      ${scoreExpression(queryTerms)} * (1 + coalesce(nearness, 0)) + coalesce(nearness, 0) as score
    from candidate left join near using (path)
    order by score desc, id limit ${query.limit}`.execute(db)
  return rows
}

/** The terms of a text that occur in the repository's memories, rarest first. */
async function readQueryTerms(db: Db, repo: string, text: string): Promise<QueryTerm[]> {
  const words = new Set(splitWords(text.slice(0, maxQueryLength), maxTerms))
  const terms = [...words].map((word) => termOfWord(repo, word))
  const counts = await readTermCounts(db, [...terms, repositoryTerm(repo)])
  const total = counts.get(repositoryTerm(repo)) ?? 0
  const queryTerms: QueryTerm[] = []
  for (const term of terms) {
    const count = counts.get(term)
    if (count === undefined) continue
    queryTerms.push({ term, count, inverseFrequency: inverseFrequency(count, total) })
  }
  return queryTerms.sort((one, other) => one.count - other.count)
}

/**
 * Selects memories with one of the rarest terms, as many terms as stay within `maxCandidates`. If
 * all terms are frequent, memories must have the two rarest together.
 */
function candidateCondition(
  queryTerms: readonly QueryTerm[],
  pathTerms: readonly number[],
): RawBuilder<unknown> {
  const rareTerms: number[] = []
  let memories = 0
  for (const { term, count } of queryTerms) {
    memories += count
    if (memories <= maxCandidates) rareTerms.push(term)
  }
  if (rareTerms.length > 0 || queryTerms.length === 0)
    return sql`m.terms && ${[...rareTerms, ...pathTerms]}::bigint[]`
  const rarestTwo = queryTerms.slice(0, 2).map(({ term }) => term)
  const hasBoth = sql`m.terms @> ${rarestTwo}::bigint[]`
  return pathTerms.length === 0 ? hasBoth : sql`${hasBoth} or m.terms && ${pathTerms}::bigint[]`
}

/** The BM25 score of a `candidate` is the sum over the query's terms. */
function scoreExpression(queryTerms: readonly QueryTerm[]): RawBuilder<unknown> {
  if (queryTerms.length === 0) return sql`0`
  const summands = queryTerms.map(({ term, inverseFrequency: factor }) => {
    const weight = sql`weights[array_position(terms, ${term}::bigint)]`
    return sql`coalesce(${weight} * ${factor}::float8, 0)`
  })
  return sql`(${sql.join(summands, sql` + `)})`
}

/** The nearness of the files (1) and all directories that contain them (1/2, 1/3, …). */
function computeNearness(paths: readonly string[]): Map<string, number> {
  const nearnessOf = new Map<string, number>()
  for (const path of paths.slice(0, maxPaths)) {
    const segments = path.split('/')
    for (let count = segments.length; count >= 0; count--) {
      const ancestor = count === 0 ? '.' : segments.slice(0, count).join('/')
      const nearness = 1 / (1 + segments.length - count)
      nearnessOf.set(ancestor, Math.max(nearness, nearnessOf.get(ancestor) ?? 0))
    }
  }
  return nearnessOf
}
