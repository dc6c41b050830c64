// The severities of findings, as lists and filters order them.

export const severities = ['critical', 'moderate', 'minor'] as const
