// Computes search terms of memories (words, path, repository) as numbers for one index.
import { createHash } from 'node:crypto'
import type { NewMemory } from '../../domain/memory.ts'
import { splitWords } from './split-words.ts'

/** These are BM25's usual constants (Robertson and Zaragoza, 2009). */
const saturation = 1.2
const lengthPenalty = 0.75

/** BM25 uses the mean length, but stored weights would have to change with it. */
const typicalLength = 30

/** A word in the path counts as much as this many in the text (BM25F's field weight). */
const pathWeight = 3

/** Even a person's text of maximum length has fewer words. */
const maxWords = 1000

/** Values of the columns `terms` and `weights`; a weight is BM25's factor without the rarity. */
export interface MemoryTerms {
  readonly terms: readonly number[]
  readonly weights: readonly number[]
}

/** Returns the term of a word. With 48 bits, words of one repository don't collide in practice. */
export function termOfWord(repo: string, word: string): number {
  return createHash('sha256').update(`${repo}\0${word}`).digest().readUIntBE(0, 6)
}

/** Returns the term of a path. It differs from all words, because no word contains a slash. */
export function termOfPath(repo: string, path: string): number {
  return termOfWord(repo, `/${path}`)
}

/** All memories of a repository have this term. */
export function repositoryTerm(repo: string): number {
  return termOfWord(repo, '')
}

export function computeTerms(
  repo: string,
  { text, path }: Pick<NewMemory, 'text' | 'path'>,
): MemoryTerms {
  const counts = new Map<string, number>()
  const textWords = splitWords(text, maxWords)
  const pathWords = splitWords(path ?? '', maxWords)
  for (const word of textWords) counts.set(word, (counts.get(word) ?? 0) + 1)
  for (const word of pathWords) counts.set(word, (counts.get(word) ?? 0) + pathWeight)
  const length = textWords.length + pathWords.length
  const norm = saturation * (1 - lengthPenalty + (lengthPenalty * length) / typicalLength)
  const weights = new Map([[repositoryTerm(repo), 0]])
  if (path !== null) weights.set(termOfPath(repo, path), 0)
  for (const [word, count] of counts) {
    const weight = (count * (saturation + 1)) / (count + norm)
    weights.set(termOfWord(repo, word), Math.fround(weight))
  }
  return { terms: [...weights.keys()], weights: [...weights.values()] }
}

/** BM25's inverse document frequency of a term that is in `count` of `total` memories. */
export function inverseFrequency(count: number, total: number): number {
  return Math.log(1 + (Math.max(total, count) - count + 0.5) / (count + 0.5))
}
