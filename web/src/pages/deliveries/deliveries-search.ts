// URL parameters of the deliveries page.

export const deliveryStates = ['pending', 'processing', 'completed', 'failed', 'unused'] as const

export interface DeliveriesSearch {
  readonly status?: (typeof deliveryStates)[number]
  /** `owner/repo` */
  readonly repo?: string
}

/** Parses URL parameters and ignores invalid values. */
export function parseDeliveriesSearch(params: Record<string, unknown>): DeliveriesSearch {
  const status = deliveryStates.find((state) => state === params.status)
  const repo = typeof params.repo === 'string' ? params.repo : ''
  return { ...(status && { status }), ...(repo && { repo }) }
}
