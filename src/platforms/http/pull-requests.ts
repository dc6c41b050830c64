// Reads pull requests, their diffs and changed files, where an API has GitHub's addresses.
import { z } from 'zod'
import type { PullRequest } from '../../domain/pull-request.ts'
import type { Access, ListedFile, ListedPullRequest } from '../platform.ts'
import type { ApiCall, Connection, HostCall } from './connection.ts'
import { readPages } from './read-pages.ts'
import { buildRepositoryCall } from './repository-calls.ts'
import { send } from './request.ts'

/** GitHub lists no more files of a pull request. Gitea lists all; more are read through git. */
export const maxListedFiles = 3000
export const maxDiffBytes = 64 * 2 ** 20
const maxListedPullRequests = 1000

export const pullRequest = z.object({
  number: z.int(),
  title: z.string(),
  body: z.string().nullish(),
  user: z.object({ login: z.string(), type: z.string().catch('') }).nullish(),
  labels: z.array(z.object({ name: z.string() })).catch([]),
  state: z.string(),
  merged_at: z.string().nullish(),
  draft: z.boolean().nullish(),
  html_url: z.string(),
  head: z.object({
    ref: z.string(),
    sha: z.string(),
    repo: z.object({ full_name: z.string() }).nullish(),
  }),
  base: z.object({ ref: z.string(), sha: z.string() }),
  /** GitHub doesn't have it. */
  merge_base: z.string().catch(''),
  additions: z.int().catch(0),
  deletions: z.int().catch(0),
  changed_files: z.int().catch(0),
  created_at: z.string(),
  updated_at: z.string(),
})
export type PullRequestFields = z.output<typeof pullRequest>

/** @param ghost the name of the account of deleted users */
export function toPullRequest(
  listed: ListedPullRequest,
  fields: PullRequestFields,
  ghost: string,
): PullRequest {
  return {
    ...listed,
    body: fields.body ?? '',
    author: fields.user?.login ?? ghost,
    isByBot: fields.user?.type === 'Bot',
    labels: fields.labels.map(({ name }) => name),
    url: fields.html_url,
    additions: fields.additions,
    deletions: fields.deletions,
    changedFiles: fields.changed_files,
  }
}

/** The state is `closed` for merged pull requests too. */
export function toListedPullRequest(
  { repo }: Access,
  fields: PullRequestFields,
): ListedPullRequest {
  const { head, base } = fields
  const unmergedState = fields.state === 'closed' ? 'closed' : 'open'
  return {
    repo,
    number: fields.number,
    title: fields.title,
    state: fields.merged_at ? 'merged' : unmergedState,
    draft: fields.draft ?? false,
    head: { branch: head.ref, sha: head.sha, repo: head.repo?.full_name ?? null },
    base: { branch: base.ref, sha: base.sha },
    createdAt: fields.created_at,
    updatedAt: fields.updated_at,
    mergedAt: fields.merged_at ?? null,
  }
}

/** Takes those that changed since then from a list in the order of changes. */
export async function takeChangedSince<Fields extends { readonly updated_at: string }>(
  pages: AsyncIterable<Fields>,
  since: Date,
  toListed: (fields: Fields) => ListedPullRequest,
): Promise<readonly ListedPullRequest[]> {
  const taken = new Map<number, ListedPullRequest>()
  for await (const fields of pages) {
    if (new Date(fields.updated_at) < since || taken.size === maxListedPullRequests) break
    const listed = toListed(fields)
    // A change moves others to the next page, where they are listed again.
    if (!taken.has(listed.number)) taken.set(listed.number, listed)
  }
  return [...taken.values()]
}

export async function readDiff(connection: Connection, call: ApiCall): Promise<string> {
  return (await send(connection, { ...call, maxBytes: maxDiffBytes })).body.toString('utf8')
}

const listedFile = z.object({
  filename: z.string(),
  previous_filename: z.string().nullish(),
  status: z.string(),
  additions: z.int(),
  deletions: z.int(),
})

/** GET /repos/{owner}/{repo}/pulls/{number}/files over all pages, up to `maxListedFiles`. */
export function createListFiles(pageSize: number): HostCall<'listFiles'> {
  return async (connection, access, number, signal) => {
    const files: ListedFile[] = []
    const call = buildRepositoryCall(access, `/pulls/${number}/files`, signal)
    for await (const file of readPages(connection, call, listedFile, pageSize)) {
      files.push({
        path: file.filename,
        oldPath: file.previous_filename || file.filename,
        status: statuses.get(file.status) ?? 'modified',
        additions: file.additions,
        deletions: file.deletions,
      })
      if (files.length === maxListedFiles) break
    }
    return files
  }
}

/** GitHub says `removed`, others `deleted`. All also have `changed` and `unchanged`. */
const statuses: ReadonlyMap<string, ListedFile['status']> = new Map([
  ['added', 'added'],
  ['removed', 'deleted'],
  ['deleted', 'deleted'],
  ['renamed', 'renamed'],
  ['copied', 'copied'],
])
