// Checks, lists and deletes webhooks of a repository, where an API has GitHub's addresses.
import { z } from 'zod'
import type { Access } from '../platform.ts'
import type { Connection, HostCall } from './connection.ts'
import { readPages } from './read-pages.ts'
import { buildRepositoryCall } from './repository-calls.ts'
import { findOr, send, sendForJson } from './request.ts'

const webhook = z.object({
  id: z.int(),
  active: z.boolean(),
  config: z.object({ url: z.string().catch('') }),
})

/** Gitea returns no more at once. */
const pageSize = 50

/** GET /repos/{owner}/{repo}/hooks. Returns the ids of those with an address. */
export async function listWebhooks(
  connection: Connection,
  access: Access,
  url: string,
  signal: AbortSignal | undefined,
): Promise<number[]> {
  const ids: number[] = []
  const call = buildRepositoryCall(access, '/hooks', signal)
  for await (const { id, config } of readPages(connection, call, webhook, pageSize)) {
    if (config.url === url) ids.push(id)
  }
  return ids
}

/** GET /repos/{owner}/{repo}/hooks/{id}. */
export function readWebhook(
  connection: Connection,
  access: Access,
  id: number,
  signal: AbortSignal | undefined,
): Promise<z.output<typeof webhook>> {
  return sendForJson(connection, buildRepositoryCall(access, `/hooks/${id}`, signal), webhook)
}

/** False for a webhook that is switched off. */
export const hasWebhook: HostCall<'hasWebhook'> = async (
  connection,
  access,
  { id, url },
  signal,
) => {
  const found = await findOr(null, () => readWebhook(connection, access, id, signal))
  return found?.active === true && found.config.url === url
}

/** DELETE /repos/{owner}/{repo}/hooks/{id}. */
export const deleteWebhook: HostCall<'deleteWebhook'> = async (connection, access, id, signal) => {
  const rest = { method: 'DELETE' } as const
  await findOr(null, () =>
    send(connection, buildRepositoryCall(access, `/hooks/${id}`, signal, rest)),
  )
}
