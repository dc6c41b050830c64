// Takes a review's summary apart: the verdict's word, the confidence, and what comes after them.

export interface ReadSummary {
  readonly verdict: string
  /** 1 to 5; null where the summary doesn't say. */
  readonly confidence: number | null
  /** The first sentences, as plain text. */
  readonly opening: string
}

/** Null where there is no review, or one that says nothing of the kind. */
export function readSummary(summary: string | null): ReadSummary | null {
  const [, verdict, confidence, text = ''] =
    /^([A-Z_]+)\nConfidence: (\d)\/5[^\n]*\s*([\s\S]*)$/.exec(summary ?? '') ?? []
  if (verdict === undefined) return null
  return { verdict, confidence: confidence === undefined ? null : Number(confidence), opening: toPlainText(text) }
}

/** The first paragraph of Markdown without its marks: a line of a list is too short for them. */
function toPlainText(markdown: string): string {
  const [paragraph = ''] = markdown.trim().split(/\n\s*\n/)
  return paragraph
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .replace(/`+/g, '')
    .slice(0, 400)
}
