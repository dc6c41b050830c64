// Detects mentions of a canary in a text, and removes or masks them.
import type { Canary } from './canary.ts'

/** Whether a text contains a word that only the canary has. */
export function mentionsCanary(
  text: string,
  { uniqueWords }: Pick<Canary, 'uniqueWords'>,
): boolean {
  const lower = text.toLowerCase()
  return uniqueWords.some((word) => lower.includes(word))
}

/** Matches a block of code, or a sentence with the white space after it. */
const sentence = /```[\s\S]*?(?:```|$)\n?|[^\n]*?(?:[.!?。！？]+(?=\s)[ \t]*|\n+|$)/g

/** Splits a Markdown text into sentences. Joined, they are the text again. */
export function splitSentences(text: string): string[] {
  return (text.match(sentence) ?? []).filter((each) => each !== '')
}

/** Keeps the sentences that don't mention the canary. */
export function removeMentions(text: string, canary: Pick<Canary, 'uniqueWords'>): string {
  if (!mentionsCanary(text, canary)) return text
  return splitSentences(text)
    .filter((each) => !mentionsCanary(each, canary))
    .join('')
    .trim()
}

/** Replaces each name that mentions the canary, for texts of one sentence that can't be dropped. */
export function maskMentions(text: string, canary: Pick<Canary, 'uniqueWords'>): string {
  return text.replace(/[^\s`'"()[\]{},;]+/g, (name) =>
    mentionsCanary(name, canary) ? 'other code' : name,
  )
}
