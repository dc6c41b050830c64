// The severities of findings, as lists and filters order them.

export const severities = ['critical', 'moderate', 'minor'] as const

type Severity = (typeof severities)[number]

export interface SeverityCount {
  readonly severity: Severity
  readonly count: number
}

/** Counts findings, the most severe first. Severities that none has are left out. */
export function countBySeverity(
  findings: readonly { readonly severity: Severity }[],
): readonly SeverityCount[] {
  return severities
    .map((severity) => ({
      severity,
      count: findings.filter((finding) => finding.severity === severity).length,
    }))
    .filter(({ count }) => count > 0)
}
