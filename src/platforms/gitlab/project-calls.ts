// Builds addresses of a project's resources and calls to them.

import { z } from 'zod'
import { splitRepositoryName, toHostPath } from '../../contract/repository-name.ts'
import { PlatformError } from '../../domain/errors.ts'
import type { RepositoryName } from '../../domain/pull-request.ts'
import type { ApiCall, Connection } from '../http/connection.ts'
import { type ApiResponse, parseResponse, send, sendForJson } from '../http/request.ts'
import type { Access } from '../platform.ts'

/**
 * Builds a call to a path below a project. `path` begins with a slash and is encoded.
 *
 * @throws PlatformError `platform_not_found` for an invalid repository name
 */
export function buildProjectCall(
  { repo, token }: Access,
  path: string,
  signal: AbortSignal | undefined,
  rest?: Partial<ApiCall>,
): ApiCall {
  const project = encodeURIComponent(readProjectPath(repo))
  return { path: `/projects/${project}${path}`, token, repo, signal, ...rest }
}

interface Write extends Pick<ApiCall, 'body' | 'beforeWrite' | 'signal'> {
  readonly method: 'POST' | 'PUT' | 'DELETE'
}

/**
 * Sends a write to a path below a project. GitLab redirects reads of a renamed project alone, so
 * that the write is then sent to the project's id.
 */
export async function sendWrite(
  connection: Connection,
  access: Access,
  path: string,
  { signal, ...rest }: Write,
): Promise<ApiResponse> {
  const call = buildProjectCall(access, path, signal, rest)
  try {
    return await send(connection, call)
  } catch (error) {
    if (!(error instanceof PlatformError && error.status === 405)) throw error
    const project = buildProjectCall(access, '', signal)
    const { id } = await sendForJson(connection, project, z.object({ id: z.int() }))
    return send(connection, { ...call, path: `/projects/${id}${path}` })
  }
}

export async function sendWriteForJson<T>(
  connection: Connection,
  access: Access,
  path: string,
  { schema, ...write }: Write & { readonly schema: z.ZodType<T> },
): Promise<T> {
  return parseResponse(await sendWrite(connection, access, path, write), schema)
}

/** Address of the project's page. */
export function buildProjectUrl({ webUrl }: Pick<Connection, 'webUrl'>, repo: RepositoryName) {
  return `${webUrl}/${readProjectPath(repo)}`
}

function readProjectPath(repo: RepositoryName): string {
  if (splitRepositoryName(repo) === undefined)
    throw new PlatformError('platform_not_found', 'There is no repository of that name.')
  return toHostPath(repo)
}
