// URL parameters of the list of findings.
import { parseText } from '../../components/parse-text.ts'
import { severities } from '../../components/severities.ts'

export const outcomeOptions = [
  ['open,suppressed', 'Open'],
  ['suppressed', 'Open, in the summary'],
  ['fixed', 'Fixed'],
  ['dismissed', 'Dismissed'],
  ['replaced', 'Replaced'],
  ['withdrawn', 'Withdrawn'],
] as const

/** `d`: first reported in the last days; `m`: their pull requests were merged in them. */
export const periodOptions = [
  ['d7', 'Reported in the last 7 days'],
  ['d30', 'Reported in the last 30 days'],
  ['d90', 'Reported in the last 90 days'],
  ['m7', 'Merged in the last 7 days'],
  ['m30', 'Merged in the last 30 days'],
  ['m90', 'Merged in the last 90 days'],
] as const

export const sortOptions = [
  ['newest', 'Newest first'],
  ['oldest', 'Oldest first'],
  ['severity', 'Most severe first'],
] as const

type Value<Options extends readonly (readonly [string, string])[]> = Options[number][0]

export interface FindingsSearch {
  readonly search?: string
  readonly outcome?: Value<typeof outcomeOptions>
  readonly severity?: (typeof severities)[number]
  /** `rule:<id>`, `model:<category>`, or `model` for all findings of models. */
  readonly kind?: string
  /** `owner/repo` */
  readonly repo?: string
  readonly author?: string
  readonly period?: Value<typeof periodOptions>
  /** Absent for the newest first. */
  readonly sort?: Value<typeof sortOptions>
}

/** Parses URL parameters and ignores invalid values. */
export function parseFindingsSearch(params: Record<string, unknown>): FindingsSearch {
  const outcome = choose(outcomeOptions, params.outcome)
  const severity = severities.find((value) => value === params.severity)
  const period = choose(periodOptions, params.period)
  const sort = choose(sortOptions, params.sort)
  const [search, kind, repo, author] = [params.search, params.kind, params.repo, params.author].map(
    parseText,
  )
  return {
    ...(search && { search }),
    ...(outcome && { outcome }),
    ...(severity && { severity }),
    ...(kind && { kind }),
    ...(repo && { repo }),
    ...(author && { author }),
    ...(period && { period }),
    ...(sort && sort !== 'newest' && { sort }),
  }
}

function choose<Options extends readonly (readonly [string, string])[]>(
  options: Options,
  value: unknown,
): Value<Options> | undefined {
  return options.find(([name]) => name === value)?.[0]
}
