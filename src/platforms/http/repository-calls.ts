// Builds addresses of a repository's resources and calls to them, as GitHub's API and those modeled
// on it have them.

import { splitRepositoryName } from '../../contract/repository-name.ts'
import { PlatformError } from '../../domain/errors.ts'
import { encodeSegment } from '../encode-path.ts'
import type { Access } from '../platform.ts'
import type { ApiCall } from './connection.ts'

/**
 * Builds a call to a path below a repository. `path` begins with a slash and is encoded.
 *
 * @throws PlatformError `platform_not_found` for an invalid repository name
 */
export function buildRepositoryCall(
  access: Access,
  path: string,
  signal: AbortSignal | undefined,
  rest?: Partial<ApiCall>,
): ApiCall {
  const { repo, token, appSlug } = access
  return {
    path: `/repos/${encodeRepository(repo)}${path}`,
    token,
    appSlug,
    repo,
    signal,
    ...rest,
  }
}

/** `owner/repo`, encoded for a path. */
export function encodeRepository(name: string): string {
  const parts = splitRepositoryName(name)
  if (parts === undefined)
    throw new PlatformError('platform_not_found', 'There is no repository of that name.')
  return `${encodeURIComponent(parts.owner)}/${encodeURIComponent(parts.repo)}`
}

/** A branch or commit, encoded as one segment of a path. */
export function encodeRef(ref: string): string {
  const segment = encodeSegment(ref)
  if (segment === undefined)
    throw new PlatformError('platform_not_found', 'There is no branch or commit of that name.')
  return segment
}

/**
 * The address of a file at a commit and line. Escapes the characters with a meaning in Markdown.
 */
export function encodeFileLocation({
  commit,
  path,
  line,
}: {
  commit: string
  path: string
  line: number | null
}): string {
  const encode = (segment: string) =>
    encodeURIComponent(segment.toWellFormed()).replace(
      /[!'()*_~]/g,
      (character) => `%${character.charCodeAt(0).toString(16)}`,
    )
  const filePath = [commit, ...path.split('/')].map(encode).join('/')
  return line === null ? filePath : `${filePath}#L${line}`
}
