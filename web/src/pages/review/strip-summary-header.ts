// Strips the header of a review summary.

/** Removes the verdict, confidence and counts from a summary in Markdown. */
export function stripSummaryHeader(summary: string): string {
  return summary.replace(/^[A-Z_]+\nConfidence: \d\/5\n*(Findings: [\da-z, ]+\n+)?/, '')
}
