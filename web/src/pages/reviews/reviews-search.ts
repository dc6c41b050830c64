// URL parameters of the reviews list.

export const reviewStates = ['pending', 'processing', 'completed', 'failed'] as const
export const pullRequestStates = ['open', 'merged', 'closed'] as const

export interface ReviewsSearch {
  readonly status?: (typeof reviewStates)[number] | (typeof pullRequestStates)[number]
  readonly search?: string
  /** `owner/repo` */
  readonly repo?: string
}

/** Parses URL parameters and ignores invalid values. */
export function parseReviewsSearch(params: Record<string, unknown>): ReviewsSearch {
  const status = [...reviewStates, ...pullRequestStates].find((state) => state === params.status)
  const search = parseText(params.search)
  const repo = parseText(params.repo)
  return { ...(status && { status }), ...(search && { search }), ...(repo && { repo }) }
}

/** Accepts numbers too: the router parses `search=12` as a number. */
function parseText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}
