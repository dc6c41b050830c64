// REST routes of merge requests: lists, diffs, versions, and their life.
import { compareCommits } from '../comparison.ts'
import type { PullRequest, User } from '../entities.ts'
import { type ForgeResponse, json } from '../http.ts'
import { commitsBetween } from '../objects.ts'
import {
  closePull,
  deliverPull,
  editPull,
  openPull,
  PullRequestProblem,
  reopenPull,
} from '../pull-requests.ts'
import { mergePull } from '../pushes.ts'
import { addLabel, removeLabel } from '../rest-labels.ts'
import { announceChange } from '../state.ts'
import { checkSha } from './approvals.ts'
import {
  findMergeRequest,
  flag,
  forbidden,
  list,
  notFound,
  oneOf,
  type ProjectCall,
  type Route,
  refuse,
  refuseInput,
  requireLevel,
  requireText,
  requireUser,
  unauthorized,
} from './calls.ts'
import { shapeCommit } from './commits.ts'
import { memoryOf, type Version } from './memory.ts'
import { answerPage } from './pages.ts'
import { developer } from './roles.ts'
import {
  hasConflicts,
  readDiffs,
  readModes,
  shapeDiff,
  shapeMergeRequest,
  shapeMergeRequestFully,
  shapePipeline,
  stateOf,
} from './shape-merge-requests.ts'
import { apiTime, shapeUser } from './shape-projects.ts'

const at = '/merge_requests/:iid'

export const mergeRequestRoutes: readonly Route[] = [
  ['GET', '/merge_requests', listMergeRequests],
  ['POST', '/merge_requests', createMergeRequest],
  ['GET', at, async (call) => await answer(call, findMergeRequest(call))],
  ['PUT', at, updateMergeRequest],
  ['PUT', `${at}/merge`, mergeMergeRequest],
  ['GET', `${at}/diffs`, listDiffs],
  ['GET', `${at}/raw_diffs`, showRawDiffs],
  ['GET', `${at}/changes`, showChanges],
  ['GET', `${at}/commits`, listCommits],
  ['GET', `${at}/versions`, listVersions],
  ['GET', `${at}/versions/:version`, showVersion],
  ['GET', `${at}/pipelines`, listPipelines],
  ['GET', `${at}/reviewers`, listReviewers],
]

async function answer(call: ProjectCall, pull: PullRequest, status = 200): Promise<ForgeResponse> {
  const caller = call.token?.user ?? null
  return json(status, await shapeMergeRequestFully(call.state, pull, caller))
}

const stateNames = ['opened', 'closed', 'locked', 'merged', 'all'] as const

async function listMergeRequests(call: ProjectCall): Promise<ForgeResponse> {
  const order = oneOf(call, 'order_by', ['created_at', 'updated_at', 'title'], 'created_at')
  const direction = oneOf(call, 'sort', ['asc', 'desc'], 'desc')
  const key = (pull: PullRequest) =>
    order === 'title' ? pull.title : order === 'updated_at' ? pull.updatedAt : pull.createdAt
  const pulls = [...call.repository.pulls.values()]
    .filter((pull) => isWanted(call, pull))
    .sort((one, other) => {
      const [first, second] = [key(one), key(other)]
      return first < second ? -1 : first > second ? 1 : one.id - other.id
    })
  if (direction === 'desc') pulls.reverse()
  const detailed = flag(call, 'with_labels_details') === true
  return await answerPage(call, pulls, (pull) => shapeMergeRequest(call.state, pull, detailed))
}

function isWanted(call: ProjectCall, pull: PullRequest): boolean {
  const wanted = oneOf(call, 'state', stateNames, 'all')
  if (wanted !== 'all' && stateOf(pull) !== wanted) return false
  return isInRange(call, pull) && isByWhom(call, pull) && isNamed(call, pull)
}

function isInRange(call: ProjectCall, pull: PullRequest): boolean {
  const time = (name: string) => {
    const text = call.input[name]
    if (text === undefined) return null
    const value = Date.parse(String(text))
    if (Number.isNaN(value)) throw refuseInput(`${name} is invalid`)
    return value
  }
  const [created, updated] = [Date.parse(pull.createdAt), Date.parse(pull.updatedAt)]
  const within = (value: number, after: number | null, before: number | null) =>
    value >= (after ?? value) && value <= (before ?? value)
  return (
    within(updated, time('updated_after'), time('updated_before')) &&
    within(created, time('created_after'), time('created_before'))
  )
}

function isByWhom(call: ProjectCall, pull: PullRequest): boolean {
  const { author_id: id, author_username: name, reviewer_username: reviewer, scope } = call.input
  if (scope === 'created_by_me' && pull.author !== call.token?.user) return false
  if (scope === 'assigned_to_me') return false
  if (id !== undefined && String(pull.author.id) !== String(id)) return false
  if (name !== undefined && pull.author.login !== name) return false
  return reviewer === undefined || pull.requestedReviewers.some(({ login }) => login === reviewer)
}

function isNamed(call: ProjectCall, pull: PullRequest): boolean {
  const { search, source_branch: source, target_branch: target } = call.input
  const isAt =
    (source ?? pull.headRef) === pull.headRef && (target ?? pull.baseRef) === pull.baseRef
  const iids = list(call, 'iids') ?? [String(pull.number)]
  const labels = list(call, 'labels') ?? []
  const hasLabels = labels.every((name) => pull.labels.some((one) => one.name === name))
  if (!isAt || !hasLabels || !iids.includes(String(pull.number))) return false
  return search === undefined || `${pull.title} ${pull.body ?? ''}`.includes(String(search))
}

async function createMergeRequest(call: ProjectCall): Promise<ForgeResponse> {
  const author = requireLevel(call, developer)
  const missing = ['title', 'source_branch', 'target_branch'].filter(
    (name) => call.input[name] === undefined,
  )
  if (missing.length > 0) throw refuseInput(missing.map((name) => `${name} is missing`).join(', '))
  const { description, target_project_id: target } = call.input
  const repository =
    target === undefined
      ? call.repository
      : [...call.state.repositories.values()].find(({ id }) => String(id) === String(target))
  if (repository === undefined) throw notFound('Project')
  const input = {
    title: requireText(call, 'title'),
    body: typeof description === 'string' ? description : null,
    author,
    draft: false,
    base: requireText(call, 'target_branch'),
    head: requireText(call, 'source_branch'),
    headRepository: call.repository,
  }
  try {
    return await answer(call, await openPull(call.state, repository, input), 201)
  } catch (error) {
    throw problemOf(error, input.head)
  }
}

/** A merge request of the same branches is 409 with a list, and other problems are 422 or 400. */
function problemOf(error: unknown, head: string): unknown {
  if (!(error instanceof PullRequestProblem)) return error
  if (error.message.startsWith('A pull request already exists')) {
    const text = `Another open merge request already exists for this source branch: ${head}`
    return refuse(409, [text])
  }
  const side = error.field === 'base' ? 'Target' : 'Source'
  const name = error.field === 'base' ? 'target_branch' : 'source_branch'
  if (error.field !== null) return refuse(400, { [name]: [`${side} branch does not exist`] })
  return refuse(422, ['Source branch has no changes'])
}

const updateFields = [
  ...['title', 'description', 'target_branch', 'state_event', 'labels', 'add_labels'],
  ...['remove_labels', 'reviewer_ids', 'assignee_ids', 'assignee_id', 'milestone_id', 'squash'],
  ...['discussion_locked', 'remove_source_branch', 'allow_collaboration', 'merge_after'],
]

async function updateMergeRequest(call: ProjectCall): Promise<ForgeResponse> {
  const user = requireUser(call)
  const pull = findMergeRequest(call)
  if (call.level < developer && pull.author !== user) throw forbidden()
  if (!updateFields.some((name) => call.input[name] !== undefined))
    throw refuseInput(
      `${updateFields.join(', ')} are missing, at least one parameter must be provided`,
    )
  const event = oneOf(call, 'state_event', ['close', 'reopen', ''], '')
  await changeTexts(call, pull, user)
  changeLabels(call, pull, user)
  changeReviewers(call, pull, user)
  // A state that is there already, and a merged one, stay without an error.
  if (event === 'close' && pull.mergedAt === null) closePull(call.state, pull, user)
  if (event === 'reopen' && stateOf(pull) === 'closed') await reopenPull(call.state, pull, user)
  return await answer(call, pull)
}

async function changeTexts(call: ProjectCall, pull: PullRequest, by: User): Promise<void> {
  const { description, target_branch: base, title } = call.input
  if (title === '') throw refuseInput('title is empty')
  const change = {
    ...(typeof title === 'string' ? { title } : {}),
    ...(description === undefined ? {} : { body: description as string | null }),
    ...(typeof base === 'string' ? { base } : {}),
  }
  try {
    await editPull(call.state, pull, change, by)
  } catch (error) {
    throw problemOf(error, pull.headRef)
  }
}

function changeLabels(call: ProjectCall, pull: PullRequest, by: User): void {
  const whole = list(call, 'labels')
  const names = new Set(whole ?? pull.labels.map(({ name }) => name))
  for (const name of list(call, 'add_labels') ?? []) names.add(name)
  for (const name of list(call, 'remove_labels') ?? []) names.delete(name)
  for (const { name } of [...pull.labels])
    if (!names.has(name)) removeLabel(call.state, pull, name, by)
  for (const name of names) addLabel(call.state, pull, name, by)
}

function changeReviewers(call: ProjectCall, pull: PullRequest, by: User): void {
  const ids = list(call, 'reviewer_ids')
  if (ids === null) return
  const wanted = [...call.state.users.values()].filter(({ id }) => ids.includes(String(id)))
  const former = pull.requestedReviewers
  pull.requestedReviewers = wanted
  for (const reviewer of wanted.filter((user) => !former.includes(user)))
    deliverPull(call.state, pull, 'review_requested', by, { reviewer })
  for (const reviewer of former.filter((user) => !wanted.includes(user)))
    deliverPull(call.state, pull, 'review_request_removed', by, { reviewer })
  announceChange(call.state)
}

/** The order of the checks is that of lib/api/merge_requests.rb. */
async function mergeMergeRequest(call: ProjectCall): Promise<ForgeResponse> {
  const user = requireUser(call)
  const pull = findMergeRequest(call)
  if (call.level < developer) throw unauthorized()
  if (pull.state !== 'open' || pull.draft) throw refuse(405, '405 Method Not Allowed')
  if (await hasConflicts(call.state, pull)) throw refuse(422, 'Branch cannot be merged')
  checkSha(call, pull)
  await mergePull(call.state, pull, user)
  return await answer(call, pull)
}

async function listDiffs(call: ProjectCall): Promise<ForgeResponse> {
  const diffs = await readDiffs(findMergeRequest(call))
  const names = (one: Record<string, unknown>) =>
    flag(call, 'unidiff') === true ? addNames(one) : one
  return await answerPage(call, diffs, names)
}

/** Puts the two lines with the paths before the hunks. */
function addNames(diff: Record<string, unknown>): Record<string, unknown> {
  if (diff.diff === '') return diff
  const old = diff.new_file === true ? '/dev/null' : `a/${diff.old_path}`
  const current = diff.deleted_file === true ? '/dev/null' : `b/${diff.new_path}`
  return { ...diff, diff: `--- ${old}\n+++ ${current}\n${diff.diff}` }
}

async function showRawDiffs(call: ProjectCall): Promise<ForgeResponse> {
  const { baseSha, headSha, repository } = findMergeRequest(call)
  const comparison = await compareCommits(repository, baseSha, headSha)
  return { status: 200, headers: { 'content-type': 'text/plain' }, body: comparison.diff }
}

async function showChanges(call: ProjectCall): Promise<ForgeResponse> {
  const pull = findMergeRequest(call)
  const shape = await shapeMergeRequestFully(call.state, pull, call.token?.user ?? null)
  return json(200, { ...shape, changes: await readDiffs(pull), overflow: false })
}

/** Newest first. */
async function listCommits(call: ProjectCall): Promise<ForgeResponse> {
  const { baseSha, headSha, repository } = findMergeRequest(call)
  const commits = await commitsBetween(repository, baseSha, headSha)
  return await answerPage(call, commits.reverse(), (sha) =>
    shapeCommit(call.state, repository, sha),
  )
}

function shapeVersion(pull: PullRequest, version: Version) {
  return {
    id: version.id,
    head_commit_sha: version.headSha,
    base_commit_sha: version.baseSha,
    start_commit_sha: version.startSha,
    created_at: apiTime(version.createdAt),
    merge_request_id: pull.id,
    state: 'collected',
    real_size: String(pull.changedFiles),
    patch_id_sha: null,
  }
}

const versionsOf = (call: ProjectCall, pull: PullRequest) =>
  [...(memoryOf(call.state).versions.get(pull) ?? [])].reverse()

async function listVersions(call: ProjectCall): Promise<ForgeResponse> {
  const pull = findMergeRequest(call)
  return await answerPage(call, versionsOf(call, pull), (version) => shapeVersion(pull, version))
}

async function showVersion(call: ProjectCall): Promise<ForgeResponse> {
  const pull = findMergeRequest(call)
  const wanted = Number(call.parameters.version)
  const version = versionsOf(call, pull).find(({ id }) => id === wanted)
  if (version === undefined) throw notFound()
  const { repository } = pull
  const comparison = await compareCommits(repository, version.startSha, version.headSha)
  const modes = await readModes(repository, comparison)
  const commits = await commitsBetween(repository, version.startSha, version.headSha)
  return json(200, {
    ...shapeVersion(pull, version),
    commits: await Promise.all(
      commits.reverse().map((sha) => shapeCommit(call.state, repository, sha)),
    ),
    diffs: comparison.files.map((file) =>
      shapeDiff(file, modes.get(file.path) ?? ['100644', '100644']),
    ),
  })
}

/** Those of all commits of the merge request. */
async function listPipelines(call: ProjectCall): Promise<ForgeResponse> {
  const pull = findMergeRequest(call)
  const { baseSha, headSha, repository } = pull
  const shas = new Set(await commitsBetween(repository, baseSha, headSha))
  const pipelines = memoryOf(call.state).pipelines.filter(({ sha }) => shas.has(sha))
  return await answerPage(call, pipelines.reverse(), (one) =>
    shapePipeline(call.state, repository, one),
  )
}

function listReviewers(call: ProjectCall): ForgeResponse {
  const pull = findMergeRequest(call)
  const shapes = pull.requestedReviewers.map((user) => ({
    user: shapeUser(call.state, user),
    state: reviewState(pull, user),
    created_at: apiTime(pull.updatedAt),
  }))
  return json(200, shapes)
}

const reviewStates = { APPROVED: 'approved', CHANGES_REQUESTED: 'requested_changes' } as const

function reviewState(pull: PullRequest, user: User): string {
  const last = pull.reviews.findLast(({ author }) => author === user)
  if (last === undefined) return 'unreviewed'
  return reviewStates[last.state as keyof typeof reviewStates] ?? 'reviewed'
}
