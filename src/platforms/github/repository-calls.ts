// Addresses of a repository's resources, and the calls to them.

import { splitRepositoryName } from '../../contract/repository-name.ts'
import { PlatformError } from '../../domain/errors.ts'
import { ownerOf } from '../../domain/pull-request.ts'
import { encodeSegment } from '../encode-path.ts'
import type { Access } from '../platform.ts'
import type { ApiCall } from './request.ts'

/**
 * A call to what lies below a repository. `path` begins with a slash and is encoded.
 *
 * @throws PlatformError `platform_not_found` for a name that can't be a repository's
 */
export function buildRepositoryCall(
  access: Access,
  path: string,
  signal: AbortSignal | undefined,
  rest?: Partial<ApiCall>,
): ApiCall {
  const { repo, token } = access
  return {
    path: `/repos/${encodeRepository(repo)}${path}`,
    token,
    owner: ownerOf(repo),
    signal,
    ...rest,
  }
}

/** `owner/repo`, fit for an address. */
export function encodeRepository(name: string): string {
  const parts = splitRepositoryName(name)
  if (parts === undefined)
    throw new PlatformError('platform_not_found', 'There is no repository of that name.')
  return `${encodeURIComponent(parts.owner)}/${encodeURIComponent(parts.repo)}`
}

/** A branch or commit as one segment of a path. */
export function encodeRef(ref: string): string {
  const segment = encodeSegment(ref)
  if (segment === undefined)
    throw new PlatformError('platform_not_found', 'There is no branch or commit of that name.')
  return segment
}

/** A file at a commit, and a line of it. Nothing of it means anything in Markdown. */
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
      (sign) => `%${sign.charCodeAt(0).toString(16)}`,
    )
  return `${[commit, ...path.split('/')].map(encode).join('/')}${line === null ? '' : `#L${line}`}`
}
