// Webhooks of a repository.
import { z } from 'zod'
import { PlatformError } from '../../domain/errors.ts'
import type { Access } from '../platform.ts'
import { makeCall } from './repository.ts'
import { type Connection, send, sendForJson } from './request.ts'

/** POST /repos/{owner}/{repo}/hooks. Asks for the events that the service reads, with certificates checked. */
export async function createWebhook(
  connection: Connection,
  access: Access,
  input: { url: string; secret: string },
  signal?: AbortSignal,
): Promise<number> {
  const body = {
    name: 'web',
    active: true,
    events: ['pull_request', 'issues'],
    config: { url: input.url, content_type: 'json', insecure_ssl: '0', secret: input.secret },
  }
  const call = makeCall(access, '/hooks', signal, { method: 'POST', body })
  return (await sendForJson(connection, call, z.object({ id: z.int() }))).id
}

/** DELETE /repos/{owner}/{repo}/hooks/{id}. */
export async function deleteWebhook(
  connection: Connection,
  access: Access,
  id: number,
  signal?: AbortSignal,
): Promise<void> {
  try {
    await send(connection, makeCall(access, `/hooks/${id}`, signal, { method: 'DELETE' }))
  } catch (error) {
    if (!(error instanceof PlatformError && error.code === 'platform_not_found')) throw error
  }
}
