// Parses a review summary into its verdict, confidence, finding counts and excerpt.

export interface ParsedSummary {
  readonly verdict: string
  /** 1 to 5; null if the summary has no confidence. */
  readonly confidence: number | null
  /** Such as `1 critical`. Empty if there are no findings, and in older summaries. */
  readonly counts: readonly { readonly severity: string; readonly label: string }[]
  /** The first sentences, as plain text. */
  readonly excerpt: string
}

/** Null if there is no summary or it has another format. */
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

/** Removes the verdict, confidence and counts from a summary in Markdown. */
export function stripSummaryHeader(summary: string): string {
  return summary.replace(/^[A-Z_]+\nConfidence: \d\/5\n*(Findings: [\da-z, ]+\n+)?/, '')
}

function parseCounts(counts: string): ParsedSummary['counts'] {
  const parts = counts === '' ? [] : counts.split(', ')
  return parts.map((label) => ({ label, severity: label.replace(/^\d+ /, '') }))
}

/** The first paragraph of Markdown as plain text. */
function toPlainText(markdown: string): string {
  const [paragraph = ''] = markdown.trim().split(/\n\s*\n/)
  return paragraph
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .replace(/`+/g, '')
    .slice(0, 400)
}
