// Records memory, processor time and event-loop lag of the process.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Metrics } from './metrics.ts'

const resolutionMs = 20

/** Sets the metrics at each scrape, until disposed of. */
export function recordProcessMetrics(metrics: Metrics): Disposable {
  const delays = monitorEventLoopDelay({ resolution: resolutionMs })
  delays.enable()
  let processorTime = { user: 0, system: 0 }
  metrics.startTime.set({}, performance.timeOrigin / 1000)
  metrics.onScrape(() => {
    metrics.eventLoopLagP99.set({}, toLag(delays.percentile(99)))
    metrics.eventLoopLagMax.set({}, toLag(delays.max))
    delays.reset()
    const { rss, heapUsed } = process.memoryUsage()
    metrics.residentMemory.set({}, rss)
    metrics.heapUsed.set({}, heapUsed)
    const total = process.cpuUsage()
    metrics.processorTime.inc(
      {},
      (total.user + total.system - processorTime.user - processorTime.system) / 1e6,
    )
    processorTime = total
  })
  return { [Symbol.dispose]: () => void delays.disable() }
}

/** Converts a delay to seconds of lag; a measured delay includes the interval of the timer. */
function toLag(delayNanoseconds: number): number {
  return Math.max(0, delayNanoseconds / 1e9 - resolutionMs / 1000)
}
