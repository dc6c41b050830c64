// Records metrics of platform calls: outcome, duration and remaining rate limit.
import { PlatformError, type PlatformErrorCode } from '../domain/errors.ts'
import { type LabelValue, type Metrics, secondsSince } from '../metrics/metrics.ts'

export type PlatformMetrics = Pick<
  Metrics,
  'platformCalls' | 'platformCallDuration' | 'platformRateLimit' | 'onScrape'
>

/** A rate limit as a response's headers report it. */
export interface RateLimit {
  /** The kind of call that the limit applies to. */
  readonly resource: LabelValue<'platformRateLimit', 'resource'>
  readonly remaining: number
  readonly resetsInMs: number
}

export interface PlatformCallRecorder {
  record<T>(call: () => Promise<T>): Promise<T>
  /** @param party identifies the account that the limit applies to */
  recordRateLimit(party: string, limit: RateLimit | undefined): void
}

/** Bounds memory: limits of further accounts are not tracked. */
const maxTrackedLimits = 1000

/** Only the lowest remaining limit becomes a metric, because a label would identify a person. */
export function createPlatformCallRecorder(metrics: PlatformMetrics): PlatformCallRecorder {
  const limits = new Map<string, RateLimit & { readonly endsAt: number }>()
  metrics.onScrape(() => {
    for (const [key, { endsAt }] of limits) {
      if (endsAt <= performance.now()) limits.delete(key)
    }
    for (const resource of ['core', 'graphql', 'other'] as const) {
      const remaining = [...limits.values()]
        .filter((limit) => limit.resource === resource)
        .map((limit) => limit.remaining)
      const lowest = remaining.length === 0 ? null : Math.min(...remaining)
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
