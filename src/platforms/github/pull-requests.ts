// Reads pull requests, their diffs, changed files and merge bases.
import { z } from 'zod'
import { PlatformError } from '../../domain/errors.ts'
import type { HostCall } from '../http/connection.ts'
import {
  createListFiles,
  maxDiffBytes,
  pullRequest,
  readDiff,
  takeChangedSince,
  toListedPullRequest,
  toPullRequest,
} from '../http/pull-requests.ts'
import { longItemPageSize, readPages } from '../http/read-pages.ts'
import { buildRepositoryCall, encodeRef } from '../http/repository-calls.ts'
import { sendForJson } from '../http/request.ts'

/** An unchanged page costs nothing if it fits in the cache, and GitHub writes 20 KB about each. */
const changesPageSize = 10

/** GET /repos/{owner}/{repo}/pulls/{number}. */
export const getPullRequest: HostCall<'getPullRequest'> = async (
  connection,
  access,
  number,
  signal,
) => {
  const call = buildRepositoryCall(access, `/pulls/${number}`, signal)
  const fields = await sendForJson(connection, call, pullRequest)
  return toPullRequest(toListedPullRequest(access, fields), fields, 'ghost')
}

/** GET /repos/{owner}/{repo}/pulls in the order of changes. */
export const listPullRequests: HostCall<'listPullRequests'> = async (
  connection,
  access,
  updatedSince,
  signal,
) => {
  const path = '/pulls?state=all&sort=updated&direction=desc'
  const call = buildRepositoryCall(access, path, signal)
  const pages = readPages(connection, call, pullRequest, changesPageSize)
  return takeChangedSince(pages, updatedSince, (fields) => toListedPullRequest(access, fields))
}

/**
 * GET /repos/{owner}/{repo}/pulls/{number} as a diff: 300 files and 20,000 lines at most, else 406.
 */
export const getDiff: HostCall<'getDiff'> = async (connection, access, number, signal) => {
  const rest = { accept: 'application/vnd.github.diff' }
  return readDiff(connection, buildRepositoryCall(access, `/pulls/${number}`, signal, rest))
}

/**
 * GET /repos/{owner}/{repo}/compare/{base}...{head}. Requests the second page, because only the
 * first one contains the diff. When GitHub fails to build a diff nevertheless, the call may be
 * repeated.
 */
export const getMergeBase: HostCall<'getMergeBase'> = async (
  connection,
  access,
  base,
  head,
  signal,
) => {
  const path = `/compare/${encodeRef(base)}...${encodeRef(head)}?per_page=1&page=2`
  const comparison = z.object({ merge_base_commit: z.object({ sha: z.string() }) })
  const call = buildRepositoryCall(access, path, signal, { maxBytes: maxDiffBytes })
  try {
    return (await sendForJson(connection, call, comparison)).merge_base_commit.sha
  } catch (error) {
    if (!isDiffFailure(error)) throw error
    const { message, status } = error
    throw new PlatformError('platform_unavailable', message, { status, cause: error })
  }
}

/** An answer that is too long for us has status 0. */
function isDiffFailure(error: unknown): error is PlatformError {
  return error instanceof PlatformError && error.code === 'platform_too_large' && error.status > 0
}

export const listFiles = createListFiles(longItemPageSize)
