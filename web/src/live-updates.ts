// Follows what changes, so that what is shown is asked for anew without a reload.
import type { QueryClient } from '@tanstack/react-query'
import { updateCachedStatus } from './api/reviews-query.ts'
import type { Review } from './api/shared-queries.ts'

/** After a stream that couldn't be opened. */
const reconnectDelayMs = 5000
/** Figures over many reviews are asked for anew once for all changes of so long. */
const insightsRefreshDelayMs = 3000

/**
 * Opens the live stream; returns what ends it. Queries are to be keyed `reviews`, `review`, `deliveries`, `insights`,
 * `repositories`, and `repository` with the name after it. A scan's progress is kept as it comes, under `['scan-progress', name]`.
 */
export function subscribeToLiveUpdates(client: QueryClient, basePath: string): () => void {
  let source: EventSource
  let again: ReturnType<typeof setTimeout> | undefined
  let figures: ReturnType<typeof setTimeout> | undefined
  const refresh = (...queryKey: string[]) => void client.invalidateQueries({ queryKey })
  const refreshFigures = () => {
    figures ??= setTimeout(() => {
      figures = undefined
      refresh('insights')
    }, insightsRefreshDelayMs)
  }
  const refreshAll = () => {
    for (const key of [
      'reviews',
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
    source = new EventSource(`${basePath}/api/v1/live`)
    // From here on nothing is missed; before, something may have been.
    source.addEventListener('ready', refreshAll)
    source.addEventListener('resync', refreshAll)
    source.addEventListener('review', ({ data }) => {
      updateCachedStatus(client, JSON.parse(data) as Pick<Review, 'id' | 'status'>)
      refresh('reviews')
      refresh('deliveries')
      // Whichever is shown: a newer one of its pull request concerns it too.
      refresh('review')
      refreshFigures()
    })
    source.addEventListener('repository', ({ data }) => {
      const { repo_name: name } = JSON.parse(data) as { repo_name: string }
      refresh('repositories')
      refresh('repository', name)
      refresh('reviews')
      refreshFigures()
    })
    source.addEventListener('scan', ({ data }) => {
      const scan = JSON.parse(data) as { repo_name: string; status: string }
      client.setQueryData(['scan-progress', scan.repo_name], scan)
      if (scan.status === 'completed' || scan.status === 'failed')
        refresh('repository', scan.repo_name)
    })
    // The browser comes again by itself after a cut, but not after a refusal.
    source.addEventListener('error', () => {
      if (source.readyState !== EventSource.CLOSED) return
      // It may be that nobody is signed in any more.
      refresh('me')
      again = setTimeout(open, reconnectDelayMs)
    })
  }
  open()
  return () => {
    clearTimeout(again)
    clearTimeout(figures)
    source.close()
  }
}
