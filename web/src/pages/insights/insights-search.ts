// URL parameters of the insights page.

export const periodsInDays = [7, 30, 90] as const
export type Period = (typeof periodsInDays)[number]
export const defaultPeriodDays: Period = 30

export interface InsightsSearch {
  /** Absent for the default period. */
  readonly days?: Period
  /** `owner/repo` */
  readonly repo?: string
}

/** Parses URL parameters and ignores invalid values. */
export function parseInsightsSearch(params: Record<string, unknown>): InsightsSearch {
  const days = periodsInDays.find(
    (period) => period === Number(params.days) && period !== defaultPeriodDays,
  )
  const repo = typeof params.repo === 'string' ? params.repo : ''
  return { ...(days && { days }), ...(repo && { repo }) }
}
