// Reads files and trees at a commit or branch.
import { z } from 'zod'
import { PlatformError } from '../../domain/errors.ts'
import { encodeFilePath } from '../encode-path.ts'
import type { HostCall } from '../http/connection.ts'
import { buildRepositoryCall, encodeRef } from '../http/repository-calls.ts'
import { findOr, send, sendForJson } from '../http/request.ts'
import type { ListedTreeEntry } from '../platform.ts'
import { toEntryKind } from '../tree-entry-kind.ts'
import { findCommit } from './commits.ts'

const maxTreeBytes = 64 * 2 ** 20
const maxTreeEntries = 100_000

const tree = z.object({
  truncated: z.boolean(),
  tree: z
    .array(
      z.object({
        path: z.string(),
        mode: z.string(),
        type: z.string(),
        size: z.int().nullish(),
        sha: z.string(),
      }),
    )
    .nullish(),
})

/**
 * GET /repos/{owner}/{repo}/raw/{path}, which isn't found for directories and submodules. For a
 * branch that doesn't exist, Gitea answers with the file of the default branch.
 */
export const getFile: HostCall<'getFile'> = async (connection, access, path, ref, signal) => {
  const encoded = encodeFilePath(path)
  if (encoded === undefined) return undefined
  return findOr(undefined, async () => {
    const isCommit = /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(ref)
    const sha = isCommit ? ref : await findCommit(connection, access, ref, signal)
    const address = `/raw/${encoded}?ref=${sha}`
    const call = buildRepositoryCall(access, address, signal, { accept: '*/*' })
    return (await send(connection, call)).body
  })
}

/** GET /repos/{owner}/{repo}/git/trees/{ref} over all pages. */
export const getTree: HostCall<'getTree'> = async (connection, access, ref, signal) => {
  const entries: ListedTreeEntry[] = []
  for (let page = 1; ; page++) {
    const path = `/git/trees/${encodeRef(ref)}?recursive=true&per_page=1000&page=${page}`
    const call = buildRepositoryCall(access, path, signal, { maxBytes: maxTreeBytes })
    const answer = await sendForJson(connection, call, tree).catch(rethrowUnknownRef)
    const listed = answer.tree ?? []
    entries.push(...listed.map(toEntry))
    if (!answer.truncated || listed.length === 0) return { entries, truncated: false }
    if (entries.length >= maxTreeEntries) return { entries, truncated: true }
  }
}

function toEntry(fields: {
  path: string
  mode: string
  type: string
  size?: number | null | undefined
  sha: string
}): ListedTreeEntry {
  const { path, mode, type, size, sha } = fields
  return { path, kind: toEntryKind(type, mode), size: size ?? 0, oid: sha }
}

/** The server answers 400 for a branch or commit that it doesn't have. */
function rethrowUnknownRef(error: unknown): never {
  if (error instanceof PlatformError && error.status === 400) {
    const { message, status } = error
    throw new PlatformError('platform_not_found', message, { status, cause: error })
  }
  throw error
}
