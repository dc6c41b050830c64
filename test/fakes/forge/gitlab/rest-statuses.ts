// REST routes of commit statuses: each is a job of a pipeline that its first one makes.
import { accountPermission, permits } from '../access.ts'
import type { CommitStatus, Repository, User } from '../entities.ts'
import { git } from '../git.ts'
import { type ForgeResponse, json } from '../http.ts'
import { resolveCommit } from '../objects.ts'
import { announceChange, type ForgeState, nextId, now } from '../state.ts'
import {
  flag,
  forbidden,
  oneOf,
  type ProjectCall,
  type Route,
  refuse,
  refuseInput,
  requireLevel,
  requireUser,
} from './calls.ts'
import { type Job, memoryOf, type Pipeline, type StatusState } from './memory.ts'
import { answerPage } from './pages.ts'
import { developer } from './roles.ts'
import { apiTime, type Shape, shapeUser } from './shape-projects.ts'

export const statusRoutes: readonly Route[] = [
  ['POST', '/statuses/:sha', createStatus],
  ['GET', '/repository/commits/:sha/statuses', listStatuses],
]

const states = ['pending', 'running', 'success', 'failed', 'canceled', 'skipped'] as const

/** GitLab's states in those of the shared state. */
const sharedStates: Readonly<Record<StatusState, CommitStatus['state']>> = {
  pending: 'pending',
  running: 'pending',
  success: 'success',
  failed: 'failure',
  canceled: 'error',
  skipped: 'success',
}

/**
 * The events of a job by the state that is asked for, and the states that each starts from
 * (app/models/commit_status.rb).
 */
const transitions: Readonly<
  Record<StatusState, readonly [event: string, from: readonly string[]]>
> = {
  pending: ['enqueue', ['created']],
  running: ['run', ['pending']],
  success: ['success', ['created', 'pending', 'running']],
  failed: ['drop', ['created', 'pending', 'running']],
  canceled: ['cancel', ['created', 'pending', 'running']],
  skipped: ['skip', ['created', 'pending']],
}

const messageOf = (event: string, state: string) =>
  `Cannot transition status via :${event} from :${state} (Reason(s): Status cannot transition via "${event}")`

/** Makes a status, or changes the one of that name, branch and account that isn't finished. */
async function createStatus(call: ProjectCall): Promise<ForgeResponse> {
  const author = requireLevel(call, developer)
  if (call.input.state === undefined)
    throw refuseInput('state is missing, state does not have a valid value')
  const wanted = oneOf(call, 'state', states, 'pending')
  const sha = await requireCommit(call)
  const ref = await findRef(call, sha)
  if (ref === call.repository.defaultBranch && !mayPush(author, call.repository)) throw forbidden()
  const name = String(call.input.name ?? call.input.context ?? 'default')
  const { state } = call
  checkFields(call, name)
  const pipeline = ensurePipeline(state, sha, ref)
  const running = findUnfinished(call, pipeline, name, author)
  const from = running === undefined ? 'created' : jobOf(state, running).state
  const [event, allowed] = transitions[wanted]
  // A new job that shall run is enqueued before; one that waits is not enqueued a second time.
  const reached = wanted === 'running' && from === 'created' ? 'pending' : from
  if (!allowed.includes(reached)) throw refuse(400, messageOf(event, reached))
  const status = writeStatus(call, running, { name, pipeline, wanted, author })
  announceChange(state)
  return json(201, shapeStatus(state, call.repository, status))
}

async function requireCommit(call: ProjectCall): Promise<string> {
  const sha = await resolveCommit(call.repository, call.parameters.sha!)
  if (sha === null) throw refuse(404, '404 Commit Not Found')
  return sha
}

/**
 * The branch of a status: the one asked for, else the newest pipeline's, else the first one that
 * has the commit. The head of a fork is in none, and is refused without `ref`.
 */
async function findRef(call: ProjectCall, sha: string): Promise<string> {
  const { ref } = call.input
  if (typeof ref === 'string' && ref !== '') return ref
  const known = memoryOf(call.state).pipelines.findLast((pipeline) => pipeline.sha === sha)
  if (known !== undefined) return known.ref
  const found = await git(call.repository.directory, [
    ...['for-each-ref', '--contains', sha, '--format=%(refname:short)', 'refs/heads'],
  ])
  const [first] = found.toString('utf8').split('\n').filter(Boolean)
  if (first === undefined) throw refuse(404, '404 References for commit Not Found')
  return first
}

/** The default branch is protected: only who may push to it changes its pipelines. */
const mayPush = (user: User, repository: Repository) =>
  permits(accountPermission(user, repository), 'maintain')

function checkFields(call: ProjectCall, name: string): void {
  const { description, target_url: url } = call.input
  const long = ['is too long (maximum is 255 characters)']
  const errors = {
    ...(typeof url === 'string' && url.length > 255 ? { target_url: long } : {}),
    ...(typeof url === 'string' && !/^https?:\/\//.test(url)
      ? { target_url: ['is blocked: Only allowed schemes are http, https'] }
      : {}),
    ...(typeof description === 'string' && description.length > 255 ? { description: long } : {}),
    ...(name.length > 255 ? { name: long } : {}),
  }
  if (Object.keys(errors).length > 0) throw refuse(400, errors)
}

function ensurePipeline(state: ForgeState, sha: string, ref: string): Pipeline {
  const { pipelines } = memoryOf(state)
  const known = pipelines.findLast((pipeline) => pipeline.sha === sha && pipeline.ref === ref)
  if (known !== undefined) return known
  const id = nextId(state)
  const pipeline = { id, iid: pipelines.length + 1, sha, ref, createdAt: now(state) }
  pipelines.push(pipeline)
  return pipeline
}

const jobOf = (state: ForgeState, status: CommitStatus) => memoryOf(state).jobs.get(status.id)!

function findUnfinished(
  call: ProjectCall,
  pipeline: Pipeline,
  name: string,
  author: User,
): CommitStatus | undefined {
  return call.repository.statuses.find((status) => {
    const job = jobOf(call.state, status)
    const isOpen = job.state === 'pending' || job.state === 'running'
    return (
      isOpen && job.pipeline === pipeline && status.context === name && status.author === author
    )
  })
}

interface NewStatus {
  readonly name: string
  readonly pipeline: Pipeline
  readonly wanted: StatusState
  readonly author: User
}

function writeStatus(
  call: ProjectCall,
  former: CommitStatus | undefined,
  { author, name, pipeline, wanted }: NewStatus,
): CommitStatus {
  const { repository, state } = call
  const { coverage, description, target_url: url } = call.input
  const text = (value: unknown, before: string | null | undefined) =>
    typeof value === 'string' ? value : (before ?? null)
  const status: CommitStatus = {
    id: former?.id ?? nextId(state),
    sha: pipeline.sha,
    context: name,
    state: sharedStates[wanted],
    description: text(description, former?.description),
    targetUrl: text(url, former?.targetUrl),
    author,
    createdAt: former?.createdAt ?? now(state),
  }
  const before = former === undefined ? null : jobOf(state, former)
  const measured = typeof coverage === 'number' ? coverage : (before?.coverage ?? null)
  const times = timesOf(state, before, wanted)
  memoryOf(state).jobs.set(status.id, { state: wanted, pipeline, coverage: measured, ...times })
  if (former === undefined) repository.statuses.push(status)
  else repository.statuses.splice(repository.statuses.indexOf(former), 1, status)
  return status
}

/** A job begins when it runs, and ends in every state but two. */
function timesOf(state: ForgeState, before: Job | null, wanted: StatusState) {
  const started = before?.startedAt ?? (wanted === 'running' ? now(state) : null)
  const isOpen = wanted === 'pending' || wanted === 'running'
  return { startedAt: started, finishedAt: isOpen ? null : now(state) }
}

function shapeStatus(state: ForgeState, _repository: Repository, status: CommitStatus): Shape {
  const job = jobOf(state, status)
  return {
    id: status.id,
    sha: status.sha,
    ref: job.pipeline.ref,
    status: job.state,
    name: status.context,
    target_url: status.targetUrl,
    description: status.description,
    created_at: apiTime(status.createdAt),
    started_at: apiTime(job.startedAt),
    finished_at: apiTime(job.finishedAt),
    allow_failure: false,
    coverage: job.coverage,
    pipeline_id: job.pipeline.id,
    author: shapeUser(state, status.author),
  }
}

/** The newest of each name, unless all are asked for. */
async function listStatuses(call: ProjectCall): Promise<ForgeResponse> {
  requireUser(call)
  const sha = await requireCommit(call)
  const { name, ref } = call.input
  const all = call.repository.statuses.filter((status) => status.sha === sha)
  const isRef = (status: CommitStatus) => jobOf(call.state, status).pipeline.ref === ref
  const wanted = all.filter(
    (status) =>
      (name === undefined || status.context === name) && (ref === undefined || isRef(status)),
  )
  const newest = new Map(
    wanted.map((status) => [`${jobOf(call.state, status).pipeline.id} ${status.context}`, status]),
  )
  const shown = flag(call, 'all') === true ? wanted : [...newest.values()]
  shown.sort((one, other) => one.id - other.id)
  return await answerPage(call, shown, (one) => shapeStatus(call.state, call.repository, one))
}
