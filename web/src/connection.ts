// Whether the page is online and gets live updates.
import { useSyncExternalStore } from 'react'

export type Connection = 'live' | 'stopped' | 'offline'

let areUpdatesStopped = false
const listeners = new Set<() => void>()

/** Records whether the stream of live updates is interrupted. */
export function reportUpdates(areStopped: boolean): void {
  areUpdatesStopped = areStopped
  for (const notify of listeners) notify()
}

export function useConnection(): Connection {
  return useSyncExternalStore(subscribe, readConnection)
}

function readConnection(): Connection {
  if (!navigator.onLine) return 'offline'
  return areUpdatesStopped ? 'stopped' : 'live'
}

function subscribe(notify: () => void): () => void {
  listeners.add(notify)
  for (const event of ['online', 'offline']) addEventListener(event, notify)
  return () => {
    listeners.delete(notify)
    for (const event of ['online', 'offline']) removeEventListener(event, notify)
  }
}
