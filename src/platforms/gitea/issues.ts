// Reads issues, which include pull requests.
import { z } from 'zod'
import type { LinkedIssue } from '../../domain/pull-request.ts'
import type { Connection } from '../http/connection.ts'
import { buildRepositoryCall } from '../http/repository-calls.ts'
import { sendForJson } from '../http/request.ts'
import type { Access } from '../platform.ts'

const maxBodyLength = 20_000

const issue = z.object({
  number: z.int(),
  title: z.string(),
  body: z.string().nullish(),
  state: z.string(),
  html_url: z.string(),
})

/** GET /repos/{owner}/{repo}/issues/{number}. */
export async function getIssue(
  connection: Connection,
  access: Access,
  number: number,
  signal?: AbortSignal,
): Promise<LinkedIssue> {
  const call = buildRepositoryCall(access, `/issues/${number}`, signal)
  const fields = await sendForJson(connection, call, issue)
  return {
    repo: fields.html_url.split('/').slice(-4, -2).join('/'),
    number: fields.number,
    title: fields.title,
    body: (fields.body ?? '').slice(0, maxBodyLength),
    state: fields.state === 'closed' ? 'closed' : 'open',
    url: fields.html_url,
  }
}
