// What insights are asked for, as the address has it.

/** In days. */
export const periodsInDays = [7, 30, 90] as const
export type Period = (typeof periodsInDays)[number]
export const defaultPeriodDays: Period = 30

export interface InsightsSearch {
  /** The usual one where there is none. */
  readonly days?: Period
  /** `owner/repo` */
  readonly repo?: string
}

/** Reads what an address says; what makes no sense is left out. */
export function parseInsightsSearch(asked: Record<string, unknown>): InsightsSearch {
  const days = periodsInDays.find(
    (period) => period === Number(asked.days) && period !== defaultPeriodDays,
  )
  const repo = typeof asked.repo === 'string' ? asked.repo : ''
  return { ...(days && { days }), ...(repo && { repo }) }
}
