// Creates, checks, changes and deletes webhooks of a repository.
import { z } from 'zod'
import { PlatformError } from '../../domain/errors.ts'
import type { ApiCall, Connection, HostCall } from '../http/connection.ts'
import { buildRepositoryCall } from '../http/repository-calls.ts'
import { send, sendForJson } from '../http/request.ts'
import { deleteWebhook, listWebhooks } from '../http/webhooks.ts'
import type { Access } from '../platform.ts'

/**
 * POST /repos/{owner}/{repo}/hooks. Subscribes to the events that the service reads. GitHub refuses
 * a second webhook with the same address, so an existing one is deleted first.
 */
export const createWebhook: HostCall<'createWebhook'> = async (
  connection,
  access,
  input,
  signal,
) => {
  try {
    return await postWebhook(connection, access, input, signal)
  } catch (error) {
    if (!isDuplicateWebhookError(error)) throw error
  }
  const existingIds = await listWebhooks(connection, access, input.url, signal)
  for (const id of existingIds) await deleteWebhook(connection, access, id, signal)
  return postWebhook(connection, access, input, signal)
}

async function postWebhook(
  connection: Connection,
  access: Access,
  input: { url: string; secret: string },
  signal: AbortSignal | undefined,
): Promise<number> {
  const body = {
    name: 'web',
    active: true,
    events: ['pull_request', 'issues'],
    config: { url: input.url, content_type: 'json', insecure_ssl: '0', secret: input.secret },
  }
  const call = buildRepositoryCall(access, '/hooks', signal, { method: 'POST', body })
  return (await sendForJson(connection, call, z.object({ id: z.int() }))).id
}

function isDuplicateWebhookError(error: unknown): boolean {
  return (
    error instanceof PlatformError &&
    error.code === 'platform_refused' &&
    /already exists/i.test(error.message)
  )
}

/** PATCH /repos/{owner}/{repo}/hooks/{id}/config, which keeps what it isn't given. */
export const setWebhookSecret: HostCall<'setWebhookSecret'> = async (
  connection,
  access,
  { id, secret },
  signal,
) => {
  const change = { method: 'PATCH', body: { secret } } as const
  await send(connection, buildRepositoryCall(access, `/hooks/${id}/config`, signal, change))
  return id
}

/** The call that lists the deliveries of a webhook. */
export function buildDeliveriesCall(
  access: Access,
  id: number,
  signal: AbortSignal | undefined,
): ApiCall {
  return buildRepositoryCall(access, `/hooks/${id}/deliveries`, signal)
}
