// Remembers the accounts of tokens, because each publication asks whose comments are its own.
import { createHash } from 'node:crypto'
import type { Access, Viewer } from '../platform.ts'

export type ReadViewer = (access: Access, signal?: AbortSignal) => Promise<Viewer>

/**
 * Caches the accounts of at most `maxTokens` tokens, by digest so that no token stays in memory.
 * An App has one account, whose tokens are renewed often.
 */
export function createViewerCache(readViewer: ReadViewer, maxTokens = 500): ReadViewer {
  const viewers = new Map<string, Viewer>()
  return async function getCachedViewer(access, signal) {
    const { token, appSlug } = access
    const key =
      appSlug === undefined ? createHash('sha256').update(token).digest('base64') : `app ${appSlug}`
    const viewer = viewers.get(key) ?? (await readViewer(access, signal))
    viewers.delete(key)
    viewers.set(key, viewer)
    if (viewers.size > maxTokens) viewers.delete(viewers.keys().next().value!)
    return viewer
  }
}
