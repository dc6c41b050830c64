// Creates, checks, replaces and deletes webhooks of a repository.
import { z } from 'zod'
import type { HostCall } from '../http/connection.ts'
import { buildRepositoryCall } from '../http/repository-calls.ts'
import { sendForJson } from '../http/request.ts'
import { deleteWebhook, listWebhooks, readWebhook } from '../http/webhooks.ts'

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
  const all = await listWebhooks(connection, access, url, signal)
  const others = all.filter((one) => one !== id)
  for (const other of others) await deleteWebhook(connection, access, other, signal)
  return id
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
