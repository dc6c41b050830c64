// Records metrics in a registry of its own, and renders them for Prometheus.
import * as prometheus from 'prom-client'
import { type Labels, type MetricDefinition, metricDefinitions } from './metric-definitions.ts'
import type { Metrics } from './metrics.ts'
import { recordProcessMetrics } from './process-metrics.ts'

export interface Prometheus extends Disposable {
  readonly metrics: Metrics
  readonly contentType: string
  /** Renders all metrics in the text format of Prometheus. */
  render(): Promise<string>
}

type LabelValues = Readonly<Record<string, string>>

/** Counters are 0 from the start, so that their first increment is visible as an increase. */
export function createPrometheus(): Prometheus {
  const registry = new prometheus.Registry()
  const fills: (() => void | Promise<void>)[] = []
  const recorders = Object.entries(metricDefinitions).map(([key, definition]) => [
    key,
    createRecorder(registry, definition),
  ])
  const metrics = {
    ...Object.fromEntries(recorders),
    onScrape: (fill: () => void | Promise<void>) => void fills.push(fill),
  } as Metrics
  const watch = recordProcessMetrics(metrics)
  return {
    metrics,
    contentType: registry.contentType,
    async render() {
      await Promise.all(fills.map((fill) => fill()))
      return registry.metrics()
    },
    [Symbol.dispose]: () => watch[Symbol.dispose](),
  }
}

function createRecorder(
  registry: prometheus.Registry,
  {
    kind,
    name,
    help,
    labels,
    buckets,
  }: MetricDefinition<'counter' | 'gauge' | 'histogram', Labels>,
) {
  const common = { name, help, labelNames: Object.keys(labels), registers: [registry] }
  if (kind === 'counter') {
    const counter = new prometheus.Counter(common)
    for (const values of combineLabelValues(labels)) counter.inc(values, 0)
    // Some numbers come from other servers, and the library throws for invalid ones.
    return {
      inc: (values: LabelValues, by = 1) =>
        void (by > 0 && by < Infinity && counter.inc(values, by)),
    }
  }
  if (kind === 'histogram') {
    const histogram = new prometheus.Histogram({ ...common, buckets: [...buckets] })
    for (const values of combineLabelValues(labels)) histogram.zero(values)
    return {
      observe: (values: LabelValues, seconds: number) =>
        histogram.observe(values, Math.max(0, seconds)),
    }
  }
  const gauge = new prometheus.Gauge(common)
  gauge.remove({})
  return {
    set: (values: LabelValues, value: number | null) =>
      value === null ? gauge.remove(values) : gauge.set(values, value),
  }
}

/** Combines each value of a label with those of the others. */
function combineLabelValues(labels: Labels): LabelValues[] {
  return Object.entries(labels).reduce<LabelValues[]>(
    (combinations, [name, values]) =>
      combinations.flatMap((combination) =>
        values.map((value) => ({ ...combination, [name]: value })),
      ),
    [{}],
  )
}
