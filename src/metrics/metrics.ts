// The interface that records metrics for the operator; it is passed as an argument.
import { type Labels, type MetricDefinition, metricDefinitions } from './metric-definitions.ts'

type Definitions = typeof metricDefinitions
type Values<L extends Labels> = { readonly [Name in keyof L]: L[Name][number] }

interface Counter<V> {
  /** Adds `by`, which is 1 by default. */
  inc(labels: V, by?: number): void
}

interface Gauge<V> {
  /** Removes the value when it is null, because it is unknown. */
  set(labels: V, value: number | null): void
}

interface Histogram<V> {
  observe(labels: V, seconds: number): void
}

type Recorder<D> =
  D extends MetricDefinition<'counter', infer L>
    ? Counter<Values<L>>
    : D extends MetricDefinition<'gauge', infer L>
      ? Gauge<Values<L>>
      : D extends MetricDefinition<'histogram', infer L>
        ? Histogram<Values<L>>
        : never

/** One recorder for each definition. Recording never throws and never waits. */
export type Metrics = { readonly [Key in keyof Definitions]: Recorder<Definitions[Key]> } & {
  /** Calls `fill` before each scrape, which waits for it. */
  onScrape(fill: () => void | Promise<void>): void
}

/** The values that a label of a metric can have. */
export type LabelValue<
  Key extends keyof Definitions,
  Name extends keyof Definitions[Key]['labels'],
> = Definitions[Key]['labels'][Name] extends readonly (infer Value)[] ? Value : never

const noopRecorder = { inc() {}, set() {}, observe() {} }

/** Ignores all records. */
export const noMetrics = {
  ...Object.fromEntries(Object.keys(metricDefinitions).map((key) => [key, noopRecorder])),
  onScrape() {},
} as unknown as Metrics

/** @param startedAt is a time of `performance.now()` */
export function secondsSince(startedAt: number): number {
  return (performance.now() - startedAt) / 1000
}

/** Runs a function, and records its duration and whether it failed. */
export async function timed<T>(
  record: (outcome: 'ok' | 'error', seconds: number) => void,
  run: () => Promise<T>,
): Promise<T> {
  const startedAt = performance.now()
  try {
    const result = await run()
    record('ok', secondsSince(startedAt))
    return result
  } catch (error) {
    record('error', secondsSince(startedAt))
    throw error
  }
}
