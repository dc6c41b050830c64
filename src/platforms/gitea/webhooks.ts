// Creates, checks, replaces and deletes webhooks of a repository.
import { z } from 'zod'
import { isNotFound } from '../../domain/errors.ts'
import type { Connection, HostCall } from '../http/connection.ts'
import { readPages } from '../http/read-pages.ts'
import { buildRepositoryCall } from '../http/repository-calls.ts'
import { send, sendForJson } from '../http/request.ts'
import type { Access } from '../platform.ts'
import { maxPageSize } from './request-rules.ts'

const webhookSchema = z.object({
  id: z.int(),
  active: z.boolean(),
  config: z.object({ url: z.string().catch('') }),
})

/** `pull_request` and `issues` would include labels, reviews and comments. */
const events = ['pull_request_only', 'pull_request_sync', 'issues_only']

/** POST /repos/{owner}/{repo}/hooks. A repository may have several with the same address. */
export const createWebhook: HostCall<'createWebhook'> = async (
  connection,
  access,
  { url, secret },
  signal,
) => {
  const config = { url, content_type: 'json', secret }
  const body = { type: 'gitea', active: true, events, config }
  const call = buildRepositoryCall(access, '/hooks', signal, { method: 'POST', body })
  const { id } = await sendForJson(connection, call, z.object({ id: z.int() }))
  const listCall = buildRepositoryCall(access, '/hooks', signal)
  const others: number[] = []
  for await (const hook of readPages(connection, listCall, webhookSchema, maxPageSize)) {
    if (hook.config.url === url && hook.id !== id) others.push(hook.id)
  }
  for (const other of others) await deleteWebhook(connection, access, other, signal)
  return id
}

/** GET /repos/{owner}/{repo}/hooks/{id}. False for a webhook that is switched off. */
export const hasWebhook: HostCall<'hasWebhook'> = async (connection, access, input, signal) => {
  try {
    const { active, config } = await readWebhook(connection, access, input.id, signal)
    return active && config.url === input.url
  } catch (error) {
    if (isNotFound(error)) return false
    throw error
  }
}

function readWebhook(
  connection: Connection,
  access: Access,
  id: number,
  signal: AbortSignal | undefined,
) {
  const call = buildRepositoryCall(access, `/hooks/${id}`, signal)
  return sendForJson(connection, call, webhookSchema)
}

/** PATCH doesn't change the secret, and says nothing about it. So another webhook replaces it. */
export const setWebhookSecret: HostCall<'setWebhookSecret'> = async (
  connection,
  access,
  { id, secret },
  signal,
) => {
  const { config } = await readWebhook(connection, access, id, signal)
  return createWebhook(connection, access, { url: config.url, secret }, signal)
}

/** DELETE /repos/{owner}/{repo}/hooks/{id}. */
export const deleteWebhook: HostCall<'deleteWebhook'> = async (connection, access, id, signal) => {
  const call = buildRepositoryCall(access, `/hooks/${id}`, signal, { method: 'DELETE' })
  try {
    await send(connection, call)
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}
