// What memories are found by: their words, their path and their repository, as numbers that one index can hold.
import { createHash } from 'node:crypto'
import type { NewMemory } from '../../domain/memory.ts'
import { splitWords } from './split-words.ts'

/** Of BM25, the usual ones (Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009). */
const saturation = 1.2
const lengthPenalty = 0.75

/** What stands for the mean length: that of a usual description, so that what is stored needn't follow the mean. */
const typicalLength = 30

/** A word of the path counts as much as so many of the text (BM25F's weight of a field). */
const pathWeight = 3

/** A person's text of full length has fewer. */
const maxWords = 1000

/** What stands in the columns `terms` and `weights`: the second says how much the first counts, once its rarity is known. */
export interface MemoryTerms {
  readonly terms: readonly number[]
  readonly weights: readonly number[]
}

/** The term of a word in a repository. 48 bits of a digest: two of the same repository don't meet by accident. */
export function termOfWord(repo: string, word: string): number {
  return createHash('sha256').update(`${repo}\0${word}`).digest().readUIntBE(0, 6)
}

/** The term of what is about a path. No word has a slash in it. */
export function termOfPath(repo: string, path: string): number {
  return termOfWord(repo, `/${path}`)
}

/** The term that all memories of a repository have. */
export function repositoryTerm(repo: string): number {
  return termOfWord(repo, '')
}

/** The terms of a memory. */
export function computeTerms(
  repo: string,
  { text, path }: Pick<NewMemory, 'text' | 'path'>,
): MemoryTerms {
  const counts = new Map<string, number>()
  const count = (words: readonly string[], weight: number) => {
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + weight)
    return words.length
  }
  const length =
    count(splitWords(text, maxWords), 1) + count(splitWords(path ?? '', maxWords), pathWeight)
  const norm = saturation * (1 - lengthPenalty + (lengthPenalty * length) / typicalLength)
  const weights = new Map([[repositoryTerm(repo), 0]])
  if (path !== null) weights.set(termOfPath(repo, path), 0)
  for (const [word, times] of counts) {
    weights.set(termOfWord(repo, word), Math.fround((times * (saturation + 1)) / (times + norm)))
  }
  return { terms: [...weights.keys()], weights: [...weights.values()] }
}

/** How much a term says that is in `count` of `total` memories. */
export function inverseFrequency(count: number, total: number): number {
  return Math.log(1 + (Math.max(total, count) - count + 0.5) / (count + 0.5))
}
