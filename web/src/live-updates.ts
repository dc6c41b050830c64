// Refreshes queries when the service reports changes.
import type { QueryClient } from '@tanstack/react-query'
import { updateCachedStatus } from './api/reviews-query.ts'
import type { Review } from './api/shared-queries.ts'
import { reportUpdates } from './connection.ts'

const reconnectDelayMs = 5000
/** Shorter interruptions, such as those of a restart, are not shown. */
const maxSilentInterruptionMs = 3000
/** Statistics are expensive, so they are refreshed once for all changes in this time. */
const statisticsRefreshDelayMs = 2000

/**
 * Opens the event stream and returns a function that closes it. Refreshes queries with the keys
 * `reviews`, `review-counts`, `review`, `deliveries`, `insights`, `repositories` and
 * `['repository', name]`, and stores scan progress under `['scan-progress', name]`. Reports when
 * updates stop and resume.
 */
export function subscribeToLiveUpdates(client: QueryClient, streamPath: string): () => void {
  let source: EventSource
  let reconnectTimer: ReturnType<typeof setTimeout> | undefined
  let statisticsTimer: ReturnType<typeof setTimeout> | undefined
  const refresh = (...queryKey: string[]) => void refreshQueries(client, queryKey)
  const refreshStatistics = () => {
    statisticsTimer ??= setTimeout(() => {
      statisticsTimer = undefined
      refresh('insights')
      refresh('review-counts')
    }, statisticsRefreshDelayMs)
  }
  let interruptionTimer: ReturnType<typeof setTimeout> | undefined
  const resume = () => {
    clearTimeout(interruptionTimer)
    interruptionTimer = undefined
    reportUpdates(false)
  }
  const refreshAll = () => {
    for (const key of [
      'reviews',
      'review-counts',
      'review',
      'deliveries',
      'insights',
      'repositories',
      'repository',
      'scan',
    ])
      refresh(key)
  }
  const open = () => {
    source = new EventSource(streamPath)
    // Changes before the stream was ready may have been missed.
    source.addEventListener('ready', () => {
      resume()
      refreshAll()
    })
    source.addEventListener('resync', refreshAll)
    source.addEventListener('review', ({ data }) => {
      updateCachedStatus(client, JSON.parse(data) as Pick<Review, 'id' | 'status'>)
      refresh('reviews')
      refresh('deliveries')
      // Refreshes every review, because a review page links to newer reviews.
      refresh('review')
      refreshStatistics()
    })
    source.addEventListener('repository', ({ data }) => {
      const { repo_name: name } = JSON.parse(data) as { repo_name: string }
      refresh('repositories')
      refresh('repository', name)
      refresh('reviews')
      refreshStatistics()
    })
    source.addEventListener('scan', ({ data }) => {
      const scan = JSON.parse(data) as { repo_name: string; status: string }
      client.setQueryData(['scan-progress', scan.repo_name], scan)
      if (scan.status === 'completed' || scan.status === 'failed')
        refresh('repository', scan.repo_name)
    })
    // The browser reconnects after a lost connection, but not after an error response.
    source.addEventListener('error', () => {
      interruptionTimer ??= setTimeout(() => reportUpdates(true), maxSilentInterruptionMs)
      if (source.readyState !== EventSource.CLOSED) return
      // The session may have ended.
      refresh('me')
      reconnectTimer = setTimeout(open, reconnectDelayMs)
    })
  }
  open()
  return () => {
    clearTimeout(reconnectTimer)
    clearTimeout(statisticsTimer)
    resume()
    source.close()
  }
}

/**
 * Refetches the queries whose key starts with `queryKey`. A first load that is in progress may
 * return data from before the change, and invalidating doesn't repeat it. It is repeated here.
 */
async function refreshQueries(client: QueryClient, queryKey: string[]): Promise<void> {
  const firstLoads = client.getQueryCache().findAll({
    queryKey,
    fetchStatus: 'fetching',
    predicate: ({ state }) => state.data === undefined,
  })
  void client.invalidateQueries({ queryKey })
  await Promise.allSettled(firstLoads.map(({ promise }) => promise))
  for (const query of firstLoads) {
    void client.invalidateQueries({ queryKey: query.queryKey, exact: true })
  }
}
