// The filters of the deliveries, as the address has them.

export const deliveryStates = ['pending', 'processing', 'completed', 'failed'] as const

export interface DeliveriesSearch {
  readonly status?: (typeof deliveryStates)[number]
  /** `owner/repo` */
  readonly repo?: string
}

/** Reads what an address says; what makes no sense is left out. */
export function parseDeliveriesSearch(asked: Record<string, unknown>): DeliveriesSearch {
  const status = deliveryStates.find((one) => one === asked.status)
  const repo = typeof asked.repo === 'string' ? asked.repo : ''
  return { ...(status && { status }), ...(repo && { repo }) }
}
