// Reads issues, and finds those that texts mention.
import { z } from 'zod'
import { toRepositoryName } from '../../contract/repository-name.ts'
import { isNotFound, PlatformError } from '../../domain/errors.ts'
import type { Connection, HostCall } from '../http/connection.ts'
import { sendForJson } from '../http/request.ts'
import type { IssueSyntax } from '../issue-references.ts'
import { buildProjectCall } from './project-calls.ts'

const maxBodyLength = 20_000

const issue = z.object({
  iid: z.int(),
  title: z.string(),
  description: z.string().nullish(),
  state: z.string(),
  web_url: z.string(),
  confidential: z.boolean().catch(false),
})

/**
 * GET /projects/{id}/issues/{iid}. Merge requests have numbers of their own: one is read where
 * there is no issue of that number. A confidential issue counts as missing, because what a review
 * says of it can be read by everyone who can read the merge request.
 */
export const getIssue: HostCall<'getIssue'> = async (connection, access, number, signal) => {
  const read = (kind: string) =>
    sendForJson(connection, buildProjectCall(access, `/${kind}/${number}`, signal), issue)
  const fields = await read('issues').catch((error) => {
    if (!isNotFound(error)) throw error
    return read('merge_requests')
  })
  if (fields.confidential)
    throw new PlatformError('platform_not_found', 'The issue is confidential.')
  return {
    repo: findProject(connection, fields.web_url) ?? access.repo,
    number: fields.iid,
    title: fields.title,
    body: (fields.description ?? '').slice(0, maxBodyLength),
    state: fields.state === 'opened' ? 'open' : 'closed',
    url: fields.web_url,
  }
}

function findProject({ webUrl }: Connection, url: string): string | undefined {
  const path = /^\/(.+?)\/-\//.exec(url.startsWith(webUrl) ? url.slice(webUrl.length) : '')?.[1]
  return path === undefined ? undefined : toRepositoryName(path)
}

/** A name of a group or project, and as many groups as GitLab allows below each other. */
const path = String.raw`[\w.-]{1,100}(?:\/[\w.-]{1,100}){1,20}`

/**
 * `group/subgroup/project#1`, and addresses with and without `/-/`. Merge requests (`!1`) aren't
 * found, because a reference has a number alone, and issues have numbers of their own.
 */
export const issueSyntax: IssueSyntax = {
  repositoryPattern: path,
  addressPattern: new RegExp(
    String.raw`^(?<path>${path}?)(?:\/-)?\/(?:issues|work_items)\/(?<number>\d{1,9})(?!\w)`,
  ),
  toName: toRepositoryName,
}
