// REST routes of pull requests and issues, with their files and commits.
import { permits } from './access.ts'
import { mergeProblem } from './checks/required-checks.ts'
import { compareCommits, mergeBaseOf } from './comparison.ts'
import type { Issue, PullRequest, Repository } from './entities.ts'
import {
  accepts,
  type ForgeResponse,
  invalid,
  json,
  jsonBody,
  notFound,
  paginate,
  refuse,
} from './http.ts'
import { commitsBetween, resolveCommit, shapeCommit } from './objects.ts'
import { closePull, editPull, openPull, PullRequestProblem, reopenPull } from './pull-requests.ts'
import { mergePull } from './pushes.ts'
import { type RepositoryCall, type Route, requirePermission, requireUser } from './routes.ts'
import { repositoryApiUrl } from './shape-accounts.ts'
import { shapeFiles, shapeIssue, shapePull } from './shapes.ts'
import { fullName } from './state.ts'

export const pullRoutes: readonly Route[] = [
  ['GET', '/pulls', listPulls],
  ['POST', '/pulls', createPull],
  ['GET', '/pulls/:number', showPull],
  ['PATCH', '/pulls/:number', updatePull],
  ['PUT', '/pulls/:number/merge', merge],
  ['GET', '/pulls/:number/files', listFiles],
  ['GET', '/pulls/:number/commits', listPullCommits],
  ['GET', '/issues', listIssues],
  ['GET', '/issues/:number', (call) => json(200, shapeIssue(call.state, findIssue(call)))],
  ['GET', '/compare/*range', compare],
]

/** Returns the pull request in the path. */
export function findPull(call: RepositoryCall): PullRequest {
  const pull = call.repository.pulls.get(Number(call.parameters.number))
  if (pull === undefined) throw notFound()
  return pull
}

/** Returns the issue or pull request in the path. */
export function findIssue(call: RepositoryCall): Issue {
  const issue = call.repository.issues.get(Number(call.parameters.number))
  if (issue === undefined) throw notFound()
  return issue
}

function listPulls(call: RepositoryCall): ForgeResponse {
  const { query } = call.request
  const state = query.get('state') ?? 'open'
  const [head, base] = [query.get('head'), query.get('base')]
  const found = [...call.repository.pulls.values()].filter(
    (pull) =>
      (state === 'all' || pull.state === state) &&
      (head === null || head === `${pull.headOwner.login}:${pull.headRef}`) &&
      (base === null || base === pull.baseRef),
  )
  const byUpdate = query.get('sort') === 'updated'
  found.sort(
    (one, other) =>
      (byUpdate ? order(one.updatedAt, other.updatedAt) : 0) || one.number - other.number,
  )
  if (query.get('direction') !== 'asc') found.reverse()
  const [page, headers] = paginate(call.request, call.address, found)
  const shapes = page.map((pull) => shapePull(call.state, pull, false))
  return json(200, shapes, headers)
}

const order = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0)

function listIssues(call: RepositoryCall): ForgeResponse {
  const state = call.request.query.get('state') ?? 'open'
  const all = [...call.repository.issues.values()].filter(
    (issue) => state === 'all' || issue.state === state,
  )
  const [page, headers] = paginate(call.request, call.address, all.reverse())
  const shapes = page.map((issue) => shapeIssue(call.state, issue))
  return json(200, shapes, headers)
}

async function createPull(call: RepositoryCall): Promise<ForgeResponse> {
  const author = requireUser(call.request)
  const { title, body, head, base, draft } = jsonBody(call.request)
  if (typeof title !== 'string' || title === '')
    throw invalid('PullRequest', 'title', 'missing_field')
  if (typeof head !== 'string') throw invalid('PullRequest', 'head', 'missing_field')
  if (typeof base !== 'string') throw invalid('PullRequest', 'base', 'missing_field')
  const [owner, branch] = head.includes(':')
    ? head.split(':', 2)
    : [call.repository.owner.login, head]
  const pull = await translating(() =>
    openPull(call.state, call.repository, {
      title,
      body: typeof body === 'string' ? body : null,
      author,
      draft: draft === true,
      base,
      head: branch!,
      headRepository: networkRepository(call, owner!),
    }),
  )
  return json(201, shapePull(call.state, pull, true), {
    location: `${call.address}/${pull.number}`,
  })
}

/** Returns the repository itself or its fork under an owner. */
function networkRepository(call: RepositoryCall, owner: string): Repository {
  if (owner.toLowerCase() === call.repository.owner.login.toLowerCase()) return call.repository
  const fork = [...call.state.repositories.values()].find(
    (candidate) =>
      candidate.parent === call.repository &&
      candidate.owner.login.toLowerCase() === owner.toLowerCase(),
  )
  if (fork === undefined) throw invalid('PullRequest', 'head', 'invalid')
  return fork
}

async function translating<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action()
  } catch (error) {
    if (!(error instanceof PullRequestProblem)) throw error
    if (error.field !== null) throw invalid('PullRequest', error.field, 'invalid')
    const { message } = error
    throw refuse(422, 'Validation Failed', [{ resource: 'PullRequest', code: 'custom', message }])
  }
}

async function showPull(call: RepositoryCall): Promise<ForgeResponse> {
  const pull = findPull(call)
  if (!accepts(call.request, 'diff')) return json(200, shapePull(call.state, pull, true))
  const { diff, files } = await compareCommits(call.repository, pull.baseSha, pull.headSha)
  const { diffFiles, diffLines } = call.state.limits
  if (files.length > diffFiles) throw tooLarge(`files (${diffFiles})`)
  if (countLines(diff) > diffLines) throw tooLarge(`lines (${diffLines})`)
  return {
    status: 200,
    headers: { 'content-type': 'application/vnd.github.v3.diff; charset=utf-8' },
    body: diff,
  }
}

function tooLarge(what: string) {
  const advice =
    "Consider using 'List pull requests files' API or locally cloning the repository instead."
  const message = `Sorry, the diff exceeded the maximum number of ${what}. ${advice}`
  return refuse(406, message, [{ resource: 'PullRequest', field: 'diff', code: 'too_large' }])
}

function countLines(text: Buffer): number {
  let lines = 0
  for (let at = text.indexOf(10); at >= 0; at = text.indexOf(10, at + 1)) lines += 1
  return lines
}

async function updatePull(call: RepositoryCall): Promise<ForgeResponse> {
  const pull = findPull(call)
  const user = requireUser(call.request)
  if (user.id !== pull.author.id) requirePermission(call, 'write')
  const { title, body, base, state } = jsonBody(call.request)
  const change = {
    ...(typeof title === 'string' ? { title } : {}),
    ...(typeof body === 'string' ? { body } : {}),
    ...(typeof base === 'string' ? { base } : {}),
  }
  await translating(() => editPull(call.state, pull, change, user))
  if (state === 'closed') closePull(call.state, pull, user)
  if (state === 'open' && pull.state === 'closed') {
    if (pull.mergedAt !== null)
      throw invalid('PullRequest', 'state', 'invalid', 'state cannot be changed.')
    await reopenPull(call.state, pull, user)
  }
  return json(200, shapePull(call.state, pull, true))
}

async function merge(call: RepositoryCall): Promise<ForgeResponse> {
  const user = requirePermission(call, 'write')
  const pull = findPull(call)
  const { sha } = jsonBody(call.request)
  if (pull.state === 'closed') throw refuse(405, 'Pull Request is not mergeable')
  if (typeof sha === 'string' && sha !== pull.headSha) {
    throw refuse(409, 'Head branch was modified. Review and try the merge again.')
  }
  const problem = mergeProblem(call.repository, pull.baseRef, pull.headSha)
  if (problem !== null) throw refuse(405, problem)
  const commit = await mergePull(call.state, pull, user)
  return json(200, { sha: commit, merged: true, message: 'Pull Request successfully merged' })
}

async function listFiles(call: RepositoryCall): Promise<ForgeResponse> {
  const pull = findPull(call)
  const comparison = await compareCommits(call.repository, pull.baseSha, pull.headSha)
  const files = comparison.files.slice(0, call.state.limits.listedFiles)
  const [page, headers] = paginate(call.request, call.address, files)
  return json(200, shapeFiles(call.state, call.repository, { ...comparison, files: page }), headers)
}

async function listPullCommits(call: RepositoryCall): Promise<ForgeResponse> {
  const pull = findPull(call)
  const commits = (await commitsBetween(call.repository, pull.baseSha, pull.headSha)).slice(0, 250)
  const [page, headers] = paginate(call.request, call.address, commits)
  const shapes = page.map((sha) => shapeCommit(call.state, call.repository, sha))
  return json(200, await Promise.all(shapes), headers)
}

/**
 * Answers `GET compare/BASE...HEAD`, each a branch, tag or commit, with `owner:` before branches of
 * forks.
 */
async function compare(call: RepositoryCall): Promise<ForgeResponse> {
  const { repository, state } = call
  const [base, head] = await Promise.all(
    call.parameters.range!.split('...', 2).map((side) => resolveSide(call, side)),
  )
  if (base === undefined || head === undefined || base === null || head === null) throw notFound()
  const common = await mergeBaseOf(repository, base, head)
  if (common === null) throw refuse(404, `No common ancestor between ${base} and ${head}.`)
  const comparison = await compareCommits(repository, base, head)
  if (accepts(call.request, 'diff')) {
    const headers = { 'content-type': 'application/vnd.github.v3.diff; charset=utf-8' }
    return { status: 200, headers, body: comparison.diff }
  }
  const [ahead, behind] = await Promise.all([
    commitsBetween(repository, base, head),
    commitsBetween(repository, head, base),
  ])
  const [page, headers] = paginate(call.request, call.address, ahead)
  const shape = (sha: string) => shapeCommit(state, repository, sha)
  const address = `${state.url}/${fullName(repository)}/compare/${base}...${head}`
  const status =
    base === head
      ? 'identical'
      : behind.length === 0
        ? 'ahead'
        : ahead.length === 0
          ? 'behind'
          : 'diverged'
  return json(
    200,
    {
      url: `${repositoryApiUrl(state, repository)}/compare/${base}...${head}`,
      html_url: address,
      permalink_url: address,
      diff_url: `${address}.diff`,
      patch_url: `${address}.patch`,
      base_commit: await shape(base),
      merge_base_commit: await shape(common),
      status,
      ahead_by: ahead.length,
      behind_by: behind.length,
      total_commits: ahead.length,
      commits: await Promise.all(page.map(shape)),
      files: shapeFiles(state, repository, {
        ...comparison,
        files: comparison.files.slice(0, 300),
      }),
    },
    headers,
  )
}

/**
 * Resolves one side of a comparison: a commit of this repository, or a branch of a fork with a
 * known head.
 */
async function resolveSide(call: RepositoryCall, side: string): Promise<string | null> {
  const colon = side.indexOf(':')
  if (colon < 0) return await resolveCommit(call.repository, side)
  const source = networkRepository(call, side.slice(0, colon))
  if (!permits(call.permission, 'read')) return null
  const sha = await resolveCommit(source, side.slice(colon + 1))
  return sha === null ? null : await resolveCommit(call.repository, sha)
}
