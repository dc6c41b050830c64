// Reads a snapshot through the platform's API, for repositories that git can't fetch.
import { GitError } from '../../domain/errors.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import type { Access, Platform } from '../../platforms/platform.ts'

/** Creates a snapshot over the API. It can't search: `search` throws `git_failed`. */
export function createPlatformSnapshot(
  platform: Platform,
  access: Access,
  sha: string,
  signal: AbortSignal,
): Snapshot {
  return {
    sha,
    async readFile(path, options = {}) {
      const maxBytes = options.maxBytes ?? 1024 * 1024
      const bytes = await platform.getFile(access, path, sha, signal)
      if (bytes && bytes.length > maxBytes)
        throw new GitError(`The file has ${bytes.length} bytes, more than ${maxBytes}.`)
      return bytes
    },
    async listFiles({ prefix } = {}) {
      const { entries } = await platform.getTree(access, sha, signal)
      const folder = prefix?.replace(/\/+$/, '') ?? ''
      return entries.flatMap(({ kind, path, oid }) =>
        kind === 'directory' || (folder !== '' && !path.startsWith(`${folder}/`))
          ? []
          : [{ kind, path, oid }],
      )
    },
    async search() {
      throw new GitError('The repository could not be fetched, so it cannot be searched.')
    },
    async [Symbol.asyncDispose]() {},
  }
}
