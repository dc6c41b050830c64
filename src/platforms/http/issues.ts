// Reads issues, which include pull requests, where an API has GitHub's addresses.
import { z } from 'zod'
import type { HostCall } from './connection.ts'
import { buildRepositoryCall } from './repository-calls.ts'
import { sendForJson } from './request.ts'

const maxBodyLength = 20_000

const issue = z.object({
  number: z.int(),
  title: z.string(),
  body: z.string().nullish(),
  state: z.string(),
  html_url: z.string(),
})

/** GET /repos/{owner}/{repo}/issues/{number}, which redirects if GitHub transferred the issue. */
export const getIssue: HostCall<'getIssue'> = async (connection, access, number, signal) => {
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
