// Routes of pull requests and issues, with their files and commits, and comparisons.
import { permits } from '../access.ts'
import { mergeProblem } from '../checks/required-checks.ts'
import { type ChangedFile, compareCommits } from '../comparison.ts'
import type { Issue, PullRequest, Repository } from '../entities.ts'
import type { ForgeResponse } from '../http.ts'
import { commitsBetween, resolveCommit } from '../objects.ts'
import { closePull, editPull, openPull, PullRequestProblem, reopenPull } from '../pull-requests.ts'
import { mergePull } from '../pushes.ts'
import { encodePath } from '../shape-accounts.ts'
import {
  answer,
  answerPage,
  empty,
  failed,
  notFound,
  paginate,
  type RepositoryCall,
  type Route,
  readBody,
  readRequired,
  refuse,
  requirePermission,
  requireUser,
} from './host.ts'
import { repositoryApiUrl, repositoryWebUrl, type Shape } from './shape-accounts.ts'
import { shapeCommit } from './shape-commits.ts'
import { shapeIssue, shapePull } from './shape-pulls.ts'

export const pullRoutes: readonly Route<RepositoryCall>[] = [
  ['GET', '/pulls', listPulls],
  ['POST', '/pulls', createPull],
  ['GET', '/pulls/:number', showPull],
  ['PATCH', '/pulls/:number', updatePull],
  ['GET', '/pulls/:number/files', listFiles],
  ['GET', '/pulls/:number/commits', listPullCommits],
  ['GET', '/pulls/:number/merge', showMerged],
  ['POST', '/pulls/:number/merge', merge],
  ['GET', '/issues/:number', showIssue],
  ['GET', '/compare/*range', compare],
]

export function findPull(call: RepositoryCall): PullRequest {
  const pull = call.repository.pulls.get(Number(call.parameters.number))
  if (pull === undefined) throw notFound(call)
  return pull
}

const viewerOf = (call: RepositoryCall) => call.request.token?.user ?? null

type Order = (one: PullRequest, other: PullRequest) => number

const byText = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0)
const orders: Readonly<Record<string, Order>> = {
  oldest: (one, other) => one.number - other.number,
  recentupdate: (one, other) => byText(other.updatedAt, one.updatedAt) || other.number - one.number,
  leastupdate: (one, other) => byText(one.updatedAt, other.updatedAt) || one.number - other.number,
  mostcomment: (one, other) => other.comments.length - one.comments.length,
  leastcomment: (one, other) => one.comments.length - other.comments.length,
}
const newestFirst: Order = (one, other) => other.number - one.number

/** Lists those of a state, which is `open` unless given; an unknown one means all. */
function listPulls(call: RepositoryCall): Promise<ForgeResponse> {
  const { query } = call.request
  const state = query.get('state') ?? 'open'
  const found = [...call.repository.pulls.values()].filter(
    (pull) => (state !== 'open' && state !== 'closed') || pull.state === state,
  )
  found.sort(orders[query.get('sort') ?? ''] ?? newestFirst)
  const { listedPull, unlistedPullFields } = call.profile
  return answerPage(call, found, (pull) => {
    const whole = { ...shapePull(call, pull, viewerOf(call)), ...listedPull }
    const fields = Object.entries(whole).filter(([name]) => !unlistedPullFields.includes(name))
    return Object.fromEntries(fields)
  })
}

/** Answers a pull request, or its diff for a number with `.diff`. */
async function showPull(call: RepositoryCall): Promise<ForgeResponse> {
  const { number } = call.parameters
  const isDiff = number!.endsWith('.diff')
  const parameters = { ...call.parameters, number: number!.replace(/\.diff$/, '') }
  const pull = findPull({ ...call, parameters })
  if (!isDiff) return answer(200, shapePull(call, pull, viewerOf(call)))
  const { diff } = await compareCommits(call.repository, pull.baseSha, pull.headSha)
  return { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: diff }
}

async function createPull(call: RepositoryCall): Promise<ForgeResponse> {
  const author = requireUser(call)
  const title = readRequired(call, 'title')
  const { base, body, head } = readBody(call)
  const [owner, branch] = String(head).includes(':')
    ? String(head).split(':', 2)
    : [call.repository.owner.login, String(head)]
  try {
    const pull = await openPull(call.state, call.repository, {
      ...{ title, author, draft: call.state.dialect.draftTitles!.isDraft(title) },
      body: typeof body === 'string' ? body : null,
      ...{ base: String(base), head: branch!, headRepository: networkRepository(call, owner!) },
    })
    return answer(201, shapePull(call, pull, author))
  } catch (error) {
    if (!(error instanceof PullRequestProblem)) throw error
    if (error.field !== null)
      throw call.profile.unknownBranchStatus === 404 ? notFound(call) : failed(call)
    if (error.message.includes('already exists'))
      throw refuse(call, 409, 'pull request already exists for these targets')
    throw refuse(
      call,
      422,
      'Invalid PullRequest: There are no changes between the head and the base',
    )
  }
}

/** Returns the repository itself or its fork under an owner. */
function networkRepository(call: RepositoryCall, owner: string): Repository {
  const wanted = owner.toLowerCase()
  if (wanted === call.repository.owner.login.toLowerCase()) return call.repository
  const fork = [...call.state.repositories.values()].find(
    (one) => one.parent === call.repository && one.owner.login.toLowerCase() === wanted,
  )
  if (fork === undefined) throw notFound(call)
  return fork
}

/** Reads the changes that a request wants. Throws for a state or branch that there isn't. */
function readChange(call: RepositoryCall, pull: PullRequest) {
  const { base, body, state, title } = readBody(call)
  const isKnown = state === undefined || state === 'open' || state === 'closed'
  if (!isKnown && call.profile.refusesUnknownState)
    throw refuse(call, 412, `unknown state: ${state}`)
  if (state !== undefined && pull.mergedAt !== null)
    throw refuse(call, 412, 'cannot change state of this pull request, it was already merged')
  if (typeof base === 'string' && !call.repository.heads.has(base))
    throw refuse(call, 404, `new base '${base}' not exist`)
  // An empty title changes nothing.
  const fields = Object.entries({ title: title || undefined, body, base })
  const change = Object.fromEntries(fields.filter(([, value]) => typeof value === 'string'))
  return { change: change as { title?: string; body?: string; base?: string }, state }
}

/** Answers 201, although nothing is created. */
async function updatePull(call: RepositoryCall): Promise<ForgeResponse> {
  const pull = findPull(call)
  const user = requireUser(call)
  if (user !== pull.author) requirePermission(call, 'write')
  const { change, state } = readChange(call, pull)
  await editPull(call.state, pull, change, user)
  if (state === 'closed') closePull(call.state, pull, user)
  if (state === 'open' && pull.state === 'closed') await reopenPull(call.state, pull, user)
  return answer(201, shapePull(call, pull, user))
}

function showMerged(call: RepositoryCall): ForgeResponse {
  if (findPull(call).mergedAt === null) throw notFound(call)
  return empty(204)
}

async function merge(call: RepositoryCall): Promise<ForgeResponse> {
  const user = requirePermission(call, 'write')
  const pull = findPull(call)
  const { head_commit_id: head } = readBody(call)
  if (pull.mergedAt !== null) throw refuse(call, 405, 'The PR is already merged')
  if (pull.draft) throw refuse(call, 405, 'Work in progress PRs cannot be merged')
  if (mergeProblem(call.repository, pull.baseRef, pull.headSha) !== null)
    throw refuse(call, 405, call.profile.describeBlock('Not all required status checks successful'))
  if (typeof head === 'string' && head !== pull.headSha) throw refuse(call, 409, 'head out of date')
  await mergePull(call.state, pull, user)
  return empty(200)
}

function showIssue(call: RepositoryCall): ForgeResponse {
  const issue: Issue | undefined = call.repository.issues.get(Number(call.parameters.number))
  if (issue === undefined) throw notFound(call)
  return answer(200, shapeIssue(call, issue, viewerOf(call)))
}

/** The headers of lists that are read from git. */
export function gitHeaders(call: RepositoryCall, total: number): Record<string, string> {
  const wanted = Number.parseInt(call.request.query.get('limit') ?? '', 10)
  const size = wanted > 0 ? Math.min(wanted, 50) : 30
  const page = Math.max(1, Number.parseInt(call.request.query.get('page') ?? '1', 10) || 1)
  const pages = Math.ceil(total / size)
  return {
    'x-page': String(page),
    'x-perpage': String(size),
    'x-pagecount': String(pages),
    'x-hasmore': String(page < pages),
  }
}

/** A modified file is `changed`, and a binary one `unchanged`, whatever the documentation says. */
function fileStatus({ additions, deletions, patch, status }: ChangedFile): string {
  if (status === 'removed') return 'deleted'
  if (status !== 'modified' && status !== 'changed') return status
  return patch === undefined && additions + deletions === 0 ? 'unchanged' : 'changed'
}

function shapeFile(
  call: RepositoryCall,
  { headSha }: Pick<PullRequest, 'headSha'>,
  file: ChangedFile,
): Shape {
  const web = repositoryWebUrl(call, call.repository)
  const path = encodePath(file.path)
  return {
    filename: file.path,
    ...(file.path === file.oldPath ? {} : { previous_filename: file.oldPath }),
    status: fileStatus(file),
    additions: file.additions,
    deletions: file.deletions,
    changes: file.additions + file.deletions,
    html_url: `${web}/src/commit/${headSha}/${path}`,
    contents_url: `${repositoryApiUrl(call, call.repository)}/contents/${path}?ref=${headSha}`,
    raw_url: `${web}/raw/commit/${headSha}/${path}`,
  }
}

async function listFiles(call: RepositoryCall): Promise<ForgeResponse> {
  const pull = findPull(call)
  const { files } = await compareCommits(call.repository, pull.baseSha, pull.headSha)
  const { headers, items } = paginate(call, files)
  const shapes = items.map((file) => shapeFile(call, pull, file))
  return answer(200, shapes, { ...headers, ...gitHeaders(call, files.length) })
}

/** Lists the newest commit first. */
async function listPullCommits(call: RepositoryCall): Promise<ForgeResponse> {
  const pull = findPull(call)
  const commits = await commitsBetween(call.repository, pull.mergeBase, pull.headSha)
  const { headers, items } = paginate(call, commits.reverse())
  const shapes = await Promise.all(items.map((sha) => shapeCommit(call, call.repository, sha)))
  return answer(200, shapes, { ...headers, ...gitHeaders(call, commits.length) })
}

/** Answers the commits of the head that the base doesn't have, newest first, all of them. */
async function compare(call: RepositoryCall): Promise<ForgeResponse> {
  const { profile, repository } = call
  const [base, head] = await Promise.all(
    call.parameters.range!.split(/\.{2,3}/, 2).map((side) => resolveSide(call, side)),
  )
  if (base === undefined || base === null) throw notFound(call)
  if (head === undefined || head === null)
    throw profile.unknownBranchStatus === 404 ? notFound(call) : failed(call)
  const commits = (await commitsBetween(repository, base, head)).reverse()
  const files =
    profile.name === 'forgejo' ? (await compareCommits(repository, base, head)).files : null
  return answer(200, {
    total_commits: commits.length,
    commits: await Promise.all(commits.map((sha) => shapeCommit(call, repository, sha))),
    ...(files === null
      ? {}
      : { files: files.map(({ path, status }) => ({ filename: path, status })) }),
  })
}

/** Resolves a commit or branch, with `owner:` before branches of forks. */
async function resolveSide(call: RepositoryCall, side: string): Promise<string | null> {
  const colon = side.indexOf(':')
  if (colon < 0) return await resolveCommit(call.repository, side)
  const source = networkRepository(call, side.slice(0, colon))
  if (!permits(call.permission, 'read')) return null
  const sha = await resolveCommit(source, side.slice(colon + 1))
  return sha === null ? null : await resolveCommit(call.repository, sha)
}
