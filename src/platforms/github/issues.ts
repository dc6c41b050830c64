// Reads issues, which include pull requests, and the visibility of repositories.
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

/** GET /repos/{owner}/{repo}/issues/{number}, which redirects when the issue was transferred. */
export async function getIssue(
  connection: Connection,
  access: Access,
  number: number,
  signal?: AbortSignal,
): Promise<LinkedIssue> {
  const fields = await sendForJson(
    connection,
    buildRepositoryCall(access, `/issues/${number}`, signal),
    issue,
  )
  return {
    repo: fields.html_url.split('/').slice(-4, -2).join('/'),
    number: fields.number,
    title: fields.title,
    body: (fields.body ?? '').slice(0, maxBodyLength),
    state: fields.state === 'closed' ? 'closed' : 'open',
    url: fields.html_url,
  }
}

/** GET /repos/{owner}/{repo}. A repository with `internal` visibility has `private: true`. */
export async function isPublic(
  connection: Connection,
  access: Access,
  signal?: AbortSignal,
): Promise<boolean> {
  const fields = await sendForJson(
    connection,
    buildRepositoryCall(access, '', signal),
    z.object({ private: z.boolean() }),
  )
  return !fields.private
}
