// URL parameters of the inbox: its tab and filters.
import { parseText } from '../../components/parse-text.ts'
import { severities } from '../../components/severities.ts'

export const reviewTabs = ['attention', 'in_progress', 'passed', 'merged', 'all'] as const
export type ReviewTab = (typeof reviewTabs)[number]

const verdicts = ['APPROVE', 'REQUEST_CHANGES', 'NEEDS_DISCUSSION', 'UNKNOWN'] as const

export interface ReviewsSearch {
  /** The first one is the default. */
  readonly tab?: ReviewTab
  readonly search?: string
  /** `owner/repo` */
  readonly repo?: string
  readonly author?: string
  readonly verdict?: (typeof verdicts)[number]
  readonly severity?: (typeof severities)[number]
}

/** Parses URL parameters and ignores invalid values. */
export function parseReviewsSearch(params: Record<string, unknown>): ReviewsSearch {
  const tab = reviewTabs.find((name) => name === params.tab)
  const verdict = verdicts.find((name) => name === params.verdict)
  const severity = severities.find((name) => name === params.severity)
  const search = parseText(params.search)
  const repo = parseText(params.repo)
  const author = parseText(params.author)
  return {
    ...(tab && tab !== reviewTabs[0] && { tab }),
    ...(search && { search }),
    ...(repo && { repo }),
    ...(author && { author }),
    ...(verdict && { verdict }),
    ...(severity && { severity }),
  }
}
