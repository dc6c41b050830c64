// REST routes of check runs and suites, which only Apps write.
import type { App } from '../apps/app-state.ts'
import { type ForgeResponse, invalid, json, jsonBody, notFound, paginate, refuse } from '../http.ts'
import { resolveCommit } from '../objects.ts'
import { type RepositoryCall, type Route, requirePermission } from '../routes.ts'
import { announceChange, nextId, now } from '../state.ts'
import {
  type CheckRun,
  type CheckSuite,
  deliverRun,
  refreshSuite,
  rerequestRun,
  rerequestSuite,
  suiteFor,
} from './check-state.ts'
import { readCheck } from './read-check.ts'
import { shapeAnnotation, shapeCheckRun, shapeCheckSuite } from './shape-checks.ts'

export const checkRoutes: readonly Route[] = [
  ['POST', '/check-runs', createRun],
  ['GET', '/check-runs/:id', (call) => answerRun(call, 200, findRun(call))],
  ['PATCH', '/check-runs/:id', updateRun],
  ['GET', '/check-runs/:id/annotations', listAnnotations],
  ['POST', '/check-runs/:id/rerequest', askForRun],
  ['GET', '/check-suites/:id', showSuite],
  ['POST', '/check-suites/:id/rerequest', askForSuite],
]

/** Returns the App that calls. People's tokens can't write checks. */
function requireCaller(call: RepositoryCall): App {
  const app = call.request.token?.grant?.installation.app
  if (app === undefined) throw refuse(403, 'You must authenticate via a GitHub App.')
  return app
}

function answerRun(call: RepositoryCall, status: number, run: CheckRun): ForgeResponse {
  return json(status, shapeCheckRun(call.state, call.repository, run))
}

async function createRun(call: RepositoryCall): Promise<ForgeResponse> {
  const app = requireCaller(call)
  const { repository, state } = call
  const body = jsonBody(call.request)
  const { head_sha: headSha, name } = body
  if (typeof name !== 'string' || name === '') throw invalid('CheckRun', 'name', 'missing_field')
  if (typeof headSha !== 'string') throw invalid('CheckRun', 'head_sha', 'missing_field')
  if ((await resolveCommit(repository, headSha)) !== headSha)
    throw refuse(422, `No commit found for SHA: ${headSha}`)
  const { annotations, fields } = readCheck(state, body)
  const run: CheckRun = {
    id: nextId(state),
    app,
    suite: await suiteFor(state, repository, app, headSha),
    headSha,
    name,
    externalId: '',
    detailsUrl: null,
    status: 'queued',
    conclusion: null,
    startedAt: now(state),
    completedAt: null,
    title: null,
    summary: null,
    text: null,
    annotations: [...annotations],
    actions: [],
    edits: 0,
    ...fields,
  }
  repository.checkRuns.push(run)
  refreshSuite(state, repository, run.suite)
  deliverRun(state, repository, run, 'created', app.bot)
  if (run.status === 'completed') deliverRun(state, repository, run, 'completed', app.bot)
  return answerRun(call, 201, run)
}

function findRun(call: RepositoryCall): CheckRun {
  const run = call.repository.checkRuns.find((one) => String(one.id) === call.parameters.id)
  if (run === undefined) throw notFound()
  return run
}

/** Changes what is given; annotations are added to those that exist. */
function updateRun(call: RepositoryCall): ForgeResponse {
  const app = requireCaller(call)
  const run = findRun(call)
  if (run.app !== app) {
    const rule = 'check run can only be modified by the GitHub App that created it.'
    throw refuse(403, `Invalid app_id \`${run.app.id}\` - ${rule}`)
  }
  const { annotations, fields } = readCheck(call.state, jsonBody(call.request))
  const completes = fields.status === 'completed' && run.status !== 'completed'
  Object.assign(run, fields)
  run.annotations.push(...annotations)
  run.edits += 1
  refreshSuite(call.state, call.repository, run.suite)
  if (completes) deliverRun(call.state, call.repository, run, 'completed', app.bot)
  announceChange(call.state)
  return answerRun(call, 200, run)
}

function listAnnotations(call: RepositoryCall): ForgeResponse {
  const run = findRun(call)
  const [page, headers] = paginate(call.request, call.address, run.annotations)
  const shapes = page.map((one) => shapeAnnotation(call.state, call.repository, run, one))
  return json(200, shapes, headers)
}

/** Lists the runs of a commit, newest first; only the latest of each name unless all are asked. */
export async function listCommitRuns(call: RepositoryCall, ref: string): Promise<ForgeResponse> {
  const sha = await resolveCommit(call.repository, ref)
  if (sha === null) throw refuse(422, `No commit found for SHA: ${ref}`)
  const { query } = call.request
  const [name, app, status] = ['check_name', 'app_id', 'status'].map((key) => query.get(key))
  const runs = call.repository.checkRuns.filter(
    (run) =>
      run.headSha === sha &&
      (name === null || run.name === name) &&
      (app === null || String(run.app.id) === app) &&
      (status === null || run.status === status),
  )
  const newest = runs.filter(
    (run) => !runs.some((one) => one.id > run.id && one.name === run.name && one.app === run.app),
  )
  const listed = (query.get('filter') === 'all' ? runs : newest).reverse()
  const [page, headers] = paginate(call.request, call.address, listed)
  const shapes = page.map((run) => shapeCheckRun(call.state, call.repository, run))
  return json(200, { total_count: listed.length, check_runs: shapes }, headers)
}

function askForRun(call: RepositoryCall): ForgeResponse {
  rerequestRun(call.state, call.repository, findRun(call), requirePermission(call, 'write'))
  return json(201, {})
}

function findSuite(call: RepositoryCall): CheckSuite {
  const suite = call.repository.checkSuites.find((one) => String(one.id) === call.parameters.id)
  if (suite === undefined) throw notFound()
  return suite
}

async function showSuite(call: RepositoryCall): Promise<ForgeResponse> {
  return json(200, await shapeCheckSuite(call.state, call.repository, findSuite(call)))
}

async function askForSuite(call: RepositoryCall): Promise<ForgeResponse> {
  const by = requirePermission(call, 'write')
  await rerequestSuite(call.state, call.repository, findSuite(call), by)
  return json(201, {})
}
