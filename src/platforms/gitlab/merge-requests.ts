// Reads merge requests and merge bases.
// https://docs.gitlab.com/api/merge_requests/
import { z } from 'zod'
import { toRepositoryName } from '../../contract/repository-name.ts'
import { PlatformError } from '../../domain/errors.ts'
import type { RepositoryName } from '../../domain/pull-request.ts'
import type { Connection, HostCall } from '../http/connection.ts'
import { takeChangedSince } from '../http/pull-requests.ts'
import { readPages } from '../http/read-pages.ts'
import { findOr, sendForJson } from '../http/request.ts'
import type { Access, ListedPullRequest } from '../platform.ts'
import { listFiles } from './diffs.ts'
import { buildProjectCall } from './project-calls.ts'
import { isBotLogin } from './sign-in.ts'

/** An unchanged page costs little if it fits in the cache, and GitLab writes 5 KB about each. */
const changesPageSize = 20

const mergeRequest = z.object({
  iid: z.int(),
  title: z.string(),
  description: z.string().nullish(),
  author: z.object({ id: z.int(), username: z.string() }).nullish(),
  labels: z.array(z.string()).catch([]),
  state: z.string(),
  merged_at: z.string().nullish(),
  draft: z.boolean().nullish(),
  web_url: z.string(),
  source_branch: z.string(),
  target_branch: z.string(),
  source_project_id: z.int().nullish(),
  target_project_id: z.int(),
  /** The head. Null while GitLab prepares a merge request, and without commits. */
  sha: z.string().nullish(),
  diff_refs: z.object({ start_sha: z.string().nullish() }).nullish(),
  created_at: z.string(),
  updated_at: z.string(),
})
type MergeRequest = z.output<typeof mergeRequest>

/** GET /projects/{id}/merge_requests/{iid}. */
export function readMergeRequest(
  connection: Connection,
  access: Access,
  number: number,
  signal: AbortSignal | undefined,
): Promise<MergeRequest> {
  const call = buildProjectCall(access, `/merge_requests/${number}`, signal)
  return sendForJson(connection, call, mergeRequest)
}

/** The numbers of lines and files come from the diff, because nothing else has them. */
export const getPullRequest: HostCall<'getPullRequest'> = async (
  connection,
  access,
  number,
  signal,
) => {
  const fields = await readMergeRequest(connection, access, number, signal)
  if (fields.state === 'opened' && !fields.diff_refs)
    throw new PlatformError('platform_unavailable', 'GitLab is preparing the merge request.')
  const listed = toListedPullRequest(access, fields)
  const [repo, files] = await Promise.all([
    findSource(connection, access, fields, signal),
    listFiles(connection, access, number, signal),
  ])
  return {
    ...listed,
    head: { ...listed.head, repo },
    body: fields.description ?? '',
    author: fields.author?.username ?? 'ghost',
    isByBot: isBotLogin(fields.author?.username ?? ''),
    labels: fields.labels,
    url: fields.web_url,
    additions: files.reduce((sum, file) => sum + file.additions, 0),
    deletions: files.reduce((sum, file) => sum + file.deletions, 0),
    changedFiles: files.length,
  }
}

/** The project that the branch is in. Null for a fork that is gone or that the token can't see. */
async function findSource(
  connection: Connection,
  access: Access,
  { source_project_id: source, target_project_id: target }: MergeRequest,
  signal: AbortSignal | undefined,
): Promise<RepositoryName | null> {
  if (source === target) return access.repo
  if (source == null) return null
  const call = { path: `/projects/${source}`, token: access.token, repo: access.repo, signal }
  const schema = z.object({ path_with_namespace: z.string() })
  const project = await findOr(null, () => sendForJson(connection, call, schema))
  return toRepositoryName(project?.path_with_namespace ?? '') ?? null
}

/** GET /projects/{id}/merge_requests in the order of changes. */
export const listPullRequests: HostCall<'listPullRequests'> = async (
  connection,
  access,
  updatedSince,
  signal,
) => {
  const query = new URLSearchParams({
    ...{ scope: 'all', state: 'all', order_by: 'updated_at', sort: 'desc' },
    updated_after: updatedSince.toISOString(),
  })
  const call = buildProjectCall(access, `/merge_requests?${query}`, signal)
  const pages = readPages(connection, call, mergeRequest, changesPageSize)
  return takeChangedSince(pages, updatedSince, (fields) => toListedPullRequest(access, fields))
}

/** A list doesn't name forks. `locked` is a merge that takes place. */
function toListedPullRequest({ repo }: Access, fields: MergeRequest): ListedPullRequest {
  const { state, source_project_id: source, target_project_id: target } = fields
  const sha = fields.sha ?? ''
  return {
    repo,
    number: fields.iid,
    title: fields.title,
    state: state === 'merged' || state === 'closed' ? state : 'open',
    draft: fields.draft ?? false,
    head: { branch: fields.source_branch, sha, repo: source === target ? repo : null },
    base: { branch: fields.target_branch, sha: fields.diff_refs?.start_sha ?? '' },
    createdAt: fields.created_at,
    updatedAt: fields.updated_at,
    mergedAt: fields.merged_at ?? null,
  }
}

/** GET /projects/{id}/repository/merge_base. */
export const getMergeBase: HostCall<'getMergeBase'> = async (
  connection,
  access,
  base,
  head,
  signal,
) => {
  const query = new URLSearchParams([base, head].map((ref): [string, string] => ['refs[]', ref]))
  const call = buildProjectCall(access, `/repository/merge_base?${query}`, signal)
  return (await sendForJson(connection, call, z.object({ id: z.string() }))).id
}
