// Reads files and trees at a commit or branch.
import { z } from 'zod'
import { PlatformError } from '../../domain/errors.ts'
import { encodeFilePath } from '../encode-path.ts'
import type { HostCall } from '../http/connection.ts'
import { buildRepositoryCall, encodeRef } from '../http/repository-calls.ts'
import { findOr, send, sendForJson } from '../http/request.ts'
import { toEntryKind } from '../tree-entry-kind.ts'

/** GitHub truncates a tree at 100,000 entries or 7 MB, and the JSON may be larger than that. */
const maxTreeBytes = 64 * 2 ** 20

const tree = z.object({
  truncated: z.boolean(),
  tree: z.array(
    z.object({
      path: z.string(),
      mode: z.string(),
      type: z.string(),
      size: z.int().optional(),
      sha: z.string(),
    }),
  ),
})

/**
 * GET /repos/{owner}/{repo}/contents/{path} as raw bytes, which has no limit of 1 MB as JSON has.
 */
export const getFile: HostCall<'getFile'> = async (connection, access, path, ref, signal) => {
  const encoded = encodeFilePath(path)
  if (encoded === undefined) return undefined
  const address = `/contents/${encoded}?ref=${encodeRef(ref)}`
  const rest = { accept: 'application/vnd.github.raw' }
  const answer = await findOr(undefined, () =>
    send(connection, buildRepositoryCall(access, address, signal, rest)),
  )
  // GitHub describes a directory or submodule in JSON, because it has no raw form.
  const isRaw = !answer?.headers.get('content-type')?.startsWith('application/json')
  return isRaw ? answer?.body : undefined
}

/**
 * GET /repos/{owner}/{repo}/git/trees/{ref}. A repository without commits (409) has an empty tree.
 */
export const getTree: HostCall<'getTree'> = async (connection, access, ref, signal) => {
  const call = buildRepositoryCall(access, `/git/trees/${encodeRef(ref)}?recursive=1`, signal, {
    maxBytes: maxTreeBytes,
  })
  try {
    const answer = await sendForJson(connection, call, tree)
    const entries = answer.tree.map((entry) => ({
      path: entry.path,
      kind: toEntryKind(entry.type, entry.mode),
      size: entry.size ?? 0,
      oid: entry.sha,
    }))
    return { entries, truncated: answer.truncated }
  } catch (error) {
    if (error instanceof PlatformError && error.status === 409)
      return { entries: [], truncated: false }
    throw error
  }
}
