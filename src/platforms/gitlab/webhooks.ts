// Creates, checks, changes and deletes webhooks of a project.
// https://docs.gitlab.com/api/project_webhooks/
import { z } from 'zod'
import type { Connection, HostCall } from '../http/connection.ts'
import { readPages } from '../http/read-pages.ts'
import { findOr, sendForJson } from '../http/request.ts'
import type { Access } from '../platform.ts'
import { buildProjectCall, sendWrite, sendWriteForJson } from './project-calls.ts'
import { toSigningToken } from './verify-delivery.ts'

const webhook = z.object({
  id: z.int(),
  url: z.string().catch(''),
  merge_requests_events: z.boolean().catch(true),
  /** GitLab switches off webhooks that fail. It tries those again that are so for a time. */
  alert_status: z.string().catch('executable'),
})

/** Servers that don't know signing tokens ignore them, and send the secret alone. */
const secretFields = (secret: string) => ({
  token: secret,
  signing_token: toSigningToken(secret),
})

/**
 * POST /projects/{id}/hooks. Pushes to a merge request are events of the merge request. GitLab
 * accepts a second webhook with the same address, so an existing one is deleted.
 */
export const createWebhook: HostCall<'createWebhook'> = async (
  connection,
  access,
  { url, secret },
  signal,
) => {
  const existing: number[] = []
  const list = buildProjectCall(access, '/hooks', signal)
  for await (const hook of readPages(connection, list, webhook)) {
    if (hook.url === url) existing.push(hook.id)
  }
  const body = {
    url,
    ...secretFields(secret),
    merge_requests_events: true,
    issues_events: true,
    // GitLab sends these by default.
    push_events: false,
    enable_ssl_verification: true,
  }
  const schema = z.object({ id: z.int() })
  const write = { method: 'POST', body, signal, schema } as const
  const { id } = await sendWriteForJson(connection, access, '/hooks', write)
  for (const former of existing) await deleteWebhook(connection, access, former, signal)
  return id
}

/** GET /projects/{id}/hooks/{hook}. False for a webhook that is switched off. */
export const hasWebhook: HostCall<'hasWebhook'> = async (
  connection,
  access,
  { id, url },
  signal,
) => {
  const hook = await findOr(null, () => readWebhook(connection, access, id, signal))
  if (hook === null) return false
  const isActive = hook.alert_status !== 'disabled' && hook.merge_requests_events
  return isActive && hook.url === url
}

/** PUT /projects/{id}/hooks/{hook}, which requires the address and keeps what it isn't given. */
export const setWebhookSecret: HostCall<'setWebhookSecret'> = async (
  connection,
  access,
  { id, secret },
  signal,
) => {
  const { url } = await readWebhook(connection, access, id, signal)
  const body = { url, ...secretFields(secret) }
  await sendWrite(connection, access, `/hooks/${id}`, { method: 'PUT', body, signal })
  return id
}

/** DELETE /projects/{id}/hooks/{hook}. */
export const deleteWebhook: HostCall<'deleteWebhook'> = async (connection, access, id, signal) => {
  const write = { method: 'DELETE', signal } as const
  await findOr(undefined, () => sendWrite(connection, access, `/hooks/${id}`, write))
}

function readWebhook(
  connection: Connection,
  access: Access,
  id: number,
  signal: AbortSignal | undefined,
): Promise<z.output<typeof webhook>> {
  return sendForJson(connection, buildProjectCall(access, `/hooks/${id}`, signal), webhook)
}
