// Takes a review's summary apart: the verdict's word, the confidence, how much was found, and what comes after them.

export interface ParsedSummary {
  readonly verdict: string
  /** 1 to 5; null where the summary doesn't say. */
  readonly confidence: number | null
  /** Such as `1 critical`; none where nothing was found, and in older summaries. */
  readonly counts: readonly { readonly severity: string; readonly words: string }[]
  /** The first sentences, as plain text. */
  readonly excerpt: string
}

/** Null where there is no review, or one that says nothing of the kind. */
export function parseSummary(summary: string | null): ParsedSummary | null {
  const [, verdict, confidence, counts = '', text = ''] =
    /^([A-Z_]+)\nConfidence: (\d)\/5[^\n]*\s*(?:Findings: ([\da-z, ]+)\n+)?([\s\S]*)$/.exec(
      summary ?? '',
    ) ?? []
  if (verdict === undefined) return null
  return {
    verdict,
    confidence: confidence === undefined ? null : Number(confidence),
    counts: parseCounts(counts),
    excerpt: toPlainText(text),
  }
}

/** The words alone, as Markdown. */
export function stripSummaryHeader(summary: string): string {
  return summary.replace(/^[A-Z_]+\nConfidence: \d\/5\n*(Findings: [\da-z, ]+\n+)?/, '')
}

function parseCounts(counts: string): ParsedSummary['counts'] {
  const parts = counts === '' ? [] : counts.split(', ')
  return parts.map((words) => ({ words, severity: words.replace(/^\d+ /, '') }))
}

/** The first paragraph of Markdown without its marks: a line of a list is too short for them. */
function toPlainText(markdown: string): string {
  const [paragraph = ''] = markdown.trim().split(/\n\s*\n/)
  return paragraph
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .replace(/`+/g, '')
    .slice(0, 400)
}
