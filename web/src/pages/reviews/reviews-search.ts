// The filters of the reviews list, as the address has them.

const statuses = ['pending', 'processing', 'completed', 'failed', 'open', 'merged', 'closed'] as const

export interface ReviewsSearch {
  readonly status?: (typeof statuses)[number]
  readonly search?: string
  /** `owner/repo` */
  readonly repo?: string
}

/** Reads what an address says; what makes no sense is left out. */
export function readReviewsSearch(search: Record<string, unknown>): ReviewsSearch {
  const status = statuses.find((one) => one === search.status)
  return {
    ...(status && { status }),
    ...readText('search', search.search),
    ...readText('repo', search.repo),
  }
}

/** The router reads numbers as numbers: `search=12`. */
function readText(name: 'search' | 'repo', value: unknown) {
  return (typeof value === 'string' || typeof value === 'number') && value !== '' ? { [name]: String(value) } : {}
}
