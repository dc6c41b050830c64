// The filters of the reviews list, as the address has them.

/** Of the review itself, and of its pull request. */
export const reviewStates = ['pending', 'processing', 'completed', 'failed'] as const
export const pullRequestStates = ['open', 'merged', 'closed'] as const

export interface ReviewsSearch {
  readonly status?: (typeof reviewStates)[number] | (typeof pullRequestStates)[number]
  readonly search?: string
  /** `owner/repo` */
  readonly repo?: string
}

/** Reads what an address says; what makes no sense is left out. */
export function parseReviewsSearch(asked: Record<string, unknown>): ReviewsSearch {
  const status = [...reviewStates, ...pullRequestStates].find((one) => one === asked.status)
  const search = parseText(asked.search)
  const repo = parseText(asked.repo)
  return { ...(status && { status }), ...(search && { search }), ...(repo && { repo }) }
}

/** The router reads numbers as numbers: `search=12`. */
function parseText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}
