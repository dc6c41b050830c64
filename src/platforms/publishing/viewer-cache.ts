// Remembers the accounts of tokens, because each publication asks whose comments are its own.
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Access, Viewer } from '../platform.ts'

export type ReadViewer = (access: Access, signal?: AbortSignal) => Promise<Viewer>

/** Limits what one process keeps. */
const maxTokens = 500

/**
 * Caches accounts by the digest of a token, so that no token stays in memory. An App has one
 * account, whose tokens are renewed often.
 */
export function createViewerCache(readViewer: ReadViewer): ReadViewer {
  const viewers = new LRUCache<string, Viewer>({ max: maxTokens })
  return async function getCachedViewer(access, signal) {
    const { token, appSlug } = access
    const key =
      appSlug === undefined ? createHash('sha256').update(token).digest('base64') : `app ${appSlug}`
    const viewer = viewers.get(key) ?? (await readViewer(access, signal))
    viewers.set(key, viewer)
    return viewer
  }
}
