// Indexes where the words of a text are, when a rule first needs it.

export interface WordIndex {
  /** Counts a word between two indexes of the text, up to two. Comments and strings have words. */
  countBetween(word: string, from: number, to: number): number
}

const wordPattern = /[\p{L}\p{N}_$]+/gu

export function createWordIndex(text: string): WordIndex {
  let places: Map<string, number[]> | undefined
  return {
    countBetween(word, from, to) {
      places ??= indexWords(text)
      const starts = places.get(word) ?? []
      const first = findFirstFrom(starts, from)
      return starts.slice(first, first + 2).filter((start) => start < to).length
    },
  }
}

function indexWords(text: string): Map<string, number[]> {
  const places = new Map<string, number[]>()
  for (const { 0: word, index } of text.matchAll(wordPattern)) {
    const known = places.get(word)
    if (known) known.push(index)
    else places.set(word, [index])
  }
  return places
}

/** The position of the first number in an ascending list that isn't smaller. */
function findFirstFrom(numbers: readonly number[], smallest: number): number {
  let [low, high] = [0, numbers.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (numbers[middle]! < smallest) low = middle + 1
    else high = middle
  }
  return low
}

const answers = new WeakMap<object, Map<RegExp, boolean>>()

/** Whether a text of a file matches a pattern. It is searched once, although each node may ask. */
export function matchesFile(file: { readonly text: string }, pattern: RegExp): boolean {
  const known = answers.get(file) ?? new Map<RegExp, boolean>()
  answers.set(file, known)
  const answer = known.get(pattern) ?? pattern.test(file.text)
  known.set(pattern, answer)
  return answer
}
