// Tells whether a text speaks of a made-up file, and takes out of it what does.
import type { Canary } from './canary.ts'

/** Whether a text holds a word that only the made-up file has. */
export function mentionsCanary(
  text: string,
  { uniqueWords: marks }: Pick<Canary, 'uniqueWords'>,
): boolean {
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
export function removeMentions(text: string, plant: Pick<Canary, 'uniqueWords'>): string {
  if (!mentionsCanary(text, plant)) return text
  return splitSentences(text)
    .filter((each) => !mentionsCanary(each, plant))
    .join('')
    .trim()
}

/** The text with other words for each name that speaks of it: for one sentence, which can't be dropped. */
export function maskMentions(text: string, plant: Pick<Canary, 'uniqueWords'>): string {
  return text.replace(/[^\s`'"()[\]{},;]+/g, (name) =>
    mentionsCanary(name, plant) ? 'other code' : name,
  )
}
