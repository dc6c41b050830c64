// Tells whether a text speaks of a made-up file, and takes out of it what does.
import type { Plant } from './plant.ts'

/** Whether a text holds a word that only the made-up file has. */
export function mentions(text: string, { marks }: Pick<Plant, 'marks'>): boolean {
  const lower = text.toLowerCase()
  return marks.some((mark) => lower.includes(mark))
}

/** A block of code, or a sentence with what separates it from the next. */
const sentence = /```[\s\S]*?(?:```|$)\n?|[^\n]*?(?:[.!?。！？]+(?=\s)[ \t]*|\n+|$)/g

/** The sentences of a Markdown text; joined they are the text. */
export function splitSentences(text: string): string[] {
  return (text.match(sentence) ?? []).filter((each) => each !== '')
}

/** The sentences that don't speak of it. */
export function dropMentions(text: string, plant: Pick<Plant, 'marks'>): string {
  if (!mentions(text, plant)) return text
  return splitSentences(text)
    .filter((each) => !mentions(each, plant))
    .join('')
    .trim()
}

/** The text with other words for each name that speaks of it: for one sentence, which can't be dropped. */
export function blurMentions(text: string, plant: Pick<Plant, 'marks'>): string {
  return text.replace(/[^\s`'"()[\]{},;]+/g, (name) =>
    mentions(name, plant) ? 'other code' : name,
  )
}
