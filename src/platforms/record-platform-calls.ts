// Records the calls of a platform: how they ended, how long they took, and how many more the rate limits allow.
import { PlatformError, type PlatformErrorCode } from '../domain/errors.ts'
import { type LabelValue, type Metrics, secondsSince } from '../metrics/metrics.ts'

export type PlatformMetrics = Pick<
  Metrics,
  'platformCalls' | 'platformCallDuration' | 'platformRateLimit' | 'onScrape'
>

/** What an answer said about a limit. */
export interface RateLimit {
  /** Which of the token's limits it is. */
  readonly resource: LabelValue<'platformRateLimit', 'resource'>
  readonly remaining: number
  /** Milliseconds until the count starts again. */
  readonly resetsInMs: number
}

export interface PlatformCallRecorder {
  record<T>(call: () => Promise<T>): Promise<T>
  /** @param party whose limit it is */
  recordRateLimit(party: string, limit: RateLimit | undefined): void
}

/** More tokens than this are not followed at a time. */
const maxTrackedLimits = 1000

/** Makes the recorder of one connection. Of the limits only the lowest is shown: a label would name a person. */
export function createPlatformCallRecorder(metrics: PlatformMetrics): PlatformCallRecorder {
  const limits = new Map<string, RateLimit & { readonly endsAt: number }>()
  metrics.onScrape(() => {
    for (const [key, { endsAt }] of limits) if (endsAt <= performance.now()) limits.delete(key)
    for (const resource of ['core', 'graphql', 'other'] as const) {
      const counts = [...limits.values()].filter((limit) => limit.resource === resource)
      const lowest =
        counts.length === 0 ? null : Math.min(...counts.map(({ remaining }) => remaining))
      metrics.platformRateLimit.set({ resource }, lowest)
    }
  })
  return {
    async record(call) {
      const startedAt = performance.now()
      let outcome: LabelValue<'platformCalls', 'outcome'> = 'ok'
      try {
        return await call()
      } catch (error) {
        outcome = classifyFailure(error)
        throw error
      } finally {
        metrics.platformCalls.inc({ outcome })
        metrics.platformCallDuration.observe({}, secondsSince(startedAt))
      }
    },
    recordRateLimit(party, limit) {
      if (limit === undefined) return
      const key = `${limit.resource} ${party}`
      if (!limits.has(key) && limits.size >= maxTrackedLimits) return
      limits.set(key, { ...limit, endsAt: performance.now() + limit.resetsInMs })
    },
  }
}

function classifyFailure(error: unknown) {
  type Name = PlatformErrorCode extends `platform_${infer Rest}` ? Rest : never
  return error instanceof PlatformError
    ? (error.code.slice('platform_'.length) as Name)
    : 'canceled'
}
