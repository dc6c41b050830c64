// What insights are asked for, as the address has it.

/** In days. */
export const periods = [7, 30, 90] as const
export type Period = (typeof periods)[number]
export const usualPeriod: Period = 30

export interface InsightsSearch {
  /** The usual one where there is none. */
  readonly days?: Period
  /** `owner/repo` */
  readonly repo?: string
}

/** Reads what an address says; what makes no sense is left out. */
export function readInsightsSearch(asked: Record<string, unknown>): InsightsSearch {
  const days = periods.find((period) => period === Number(asked.days) && period !== usualPeriod)
  const repo = typeof asked.repo === 'string' ? asked.repo : ''
  return { ...(days && { days }), ...(repo && { repo }) }
}
