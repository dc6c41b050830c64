// REST routes of code scanning and GitHub Actions, as GitHub documents them.
import { type ForgeResponse, json, notFound, paginate, refuse } from '../http.ts'
import { readCommitIdentity } from '../objects.ts'
import { type RepositoryCall, type Route, requirePermission, requireUser } from '../routes.ts'
import { repositoryApiUrl, repositoryWebUrl, shapeRepository } from '../shape-accounts.ts'
import { startStorage } from './storage.ts'
import type { Analysis, Artifact, WorkflowRun } from './tool-state.ts'

export const toolRoutes: readonly Route[] = [
  ['GET', '/code-scanning/analyses', listAnalyses],
  ['GET', '/code-scanning/analyses/:id', showAnalysis],
  ['GET', '/actions/runs', listRuns],
  ['GET', '/actions/runs/:id/artifacts', listArtifacts],
  ['GET', '/actions/artifacts/:id/zip', downloadArtifact],
]

/** Tokens of people need a scope; those of Apps need a permission, which is checked before. */
function requireAnalyses(call: RepositoryCall): readonly Analysis[] {
  requirePermission(call, 'write')
  const { grant, app, scopes = [] } = call.request.token ?? {}
  const isPublic = !call.repository.private && scopes.includes('public_repo')
  const hasScope = isPublic || scopes.some((scope) => ['repo', 'security_events'].includes(scope))
  if (grant === undefined && app === undefined && !hasScope) throw notFound()
  const { analyses } = call.repository.tools
  if (analyses === null) {
    throw refuse(
      403,
      'Code scanning is not enabled for this repository. ' +
        'Please enable code scanning in the repository settings.',
    )
  }
  if (analyses.length === 0) throw refuse(404, 'no analysis found')
  return analyses
}

function listAnalyses(call: RepositoryCall): ForgeResponse {
  const { query } = call.request
  const [ref, number] = [query.get('ref'), query.get('pr')]
  const isListed = (one: Analysis) =>
    (ref === null || one.ref === ref) &&
    (number === null || one.ref.startsWith(`refs/pull/${number}/`))
  const found = requireAnalyses(call).filter(isListed).toReversed()
  if (found.length === 0) throw refuse(404, 'no analysis found')
  const [page, headers] = paginate(call.request, call.address, found)
  return json(
    200,
    page.map((one) => shapeAnalysis(call, one)),
    headers,
  )
}

function showAnalysis(call: RepositoryCall): ForgeResponse {
  const id = Number(call.parameters.id)
  const analysis = requireAnalyses(call).find((one) => one.id === id)
  if (analysis === undefined) throw refuse(404, 'no analysis found')
  if (!/application\/sarif\+json/.test(String(call.request.headers.accept)))
    return json(200, shapeAnalysis(call, analysis))
  return {
    status: 200,
    headers: { 'content-type': 'application/sarif+json; charset=utf-8' },
    body: JSON.stringify(analysis.log),
  }
}

function shapeAnalysis(call: RepositoryCall, analysis: Analysis): object {
  const { category, createdAt, id, log, ref, sha } = analysis
  const [run] = log.runs
  return {
    ref,
    commit_sha: sha,
    analysis_key: '.github/workflows/scan.yml:scan',
    environment: '{}',
    category,
    error: '',
    created_at: createdAt,
    results_count: log.runs.reduce((sum, one) => sum + (one.results?.length ?? 0), 0),
    rules_count: run?.tool.driver.rules?.length ?? 0,
    id,
    url: `${repositoryApiUrl(call.state, call.repository)}/code-scanning/analyses/${id}`,
    sarif_id: `00000000-0000-4000-8000-${String(id).padStart(12, '0')}`,
    tool: { name: run?.tool.driver.name ?? '', guid: null, version: null },
    deletable: true,
    warning: '',
  }
}

async function listRuns(call: RepositoryCall): Promise<ForgeResponse> {
  const sha = call.request.query.get('head_sha')
  const found = call.repository.tools.workflowRuns
    .filter((one) => sha === null || one.headSha === sha)
    .toReversed()
  const [page, headers] = paginate(call.request, call.address, found)
  const shapes = await Promise.all(page.map((one) => shapeRun(call, one)))
  return json(200, { total_count: found.length, workflow_runs: shapes }, headers)
}

async function shapeRun(call: RepositoryCall, run: WorkflowRun): Promise<object> {
  const { repository, state } = call
  const { createdAt, event, headSha, id, status } = run
  const api = `${repositoryApiUrl(state, repository)}/actions`
  const url = `${api}/runs/${id}`
  const address = (name: string) => [`${name}_url`, `${url}/${name}`] as const
  const addresses = ['jobs', 'logs', 'cancel', 'rerun', 'artifacts', 'check_suite'].map(address)
  const { id: sha, ...commit } = await readCommitIdentity(repository, headSha)
  return {
    id,
    node_id: `WFR_${id}`,
    name: 'Scan',
    head_branch: 'topic',
    head_sha: headSha,
    path: '.github/workflows/scan.yml',
    run_number: id,
    display_title: 'Scan',
    event,
    status,
    conclusion: status === 'completed' ? 'success' : null,
    workflow_id: 1,
    url,
    html_url: `${repositoryWebUrl(state, repository)}/actions/runs/${id}`,
    workflow_url: `${api}/workflows/1`,
    pull_requests: [],
    created_at: createdAt,
    updated_at: createdAt,
    ...Object.fromEntries(addresses),
    head_commit: { id: sha, ...commit },
    repository: shapeRepository(state, repository),
    head_repository: shapeRepository(state, repository),
  }
}

function listArtifacts(call: RepositoryCall): ForgeResponse {
  const id = Number(call.parameters.id)
  const run = call.repository.tools.workflowRuns.find((one) => one.id === id)
  if (run === undefined) throw notFound()
  const newestFirst = run.artifacts.toReversed()
  const [page, headers] = paginate(call.request, call.address, newestFirst)
  const shapes = page.map((one) => shapeArtifact(call, run, one))
  return json(200, { total_count: newestFirst.length, artifacts: shapes }, headers)
}

function shapeArtifact(call: RepositoryCall, run: WorkflowRun, artifact: Artifact): object {
  const { archive, createdAt, expired, id, name } = artifact
  const url = `${repositoryApiUrl(call.state, call.repository)}/actions/artifacts/${id}`
  return {
    id,
    node_id: `A_${id}`,
    name,
    size_in_bytes: archive.length,
    url,
    archive_download_url: `${url}/zip`,
    expired,
    created_at: createdAt,
    expires_at: createdAt,
    updated_at: createdAt,
    workflow_run: {
      id: run.id,
      repository_id: call.repository.id,
      head_repository_id: call.repository.id,
      head_branch: 'topic',
      head_sha: run.headSha,
    },
  }
}

async function downloadArtifact(call: RepositoryCall): Promise<ForgeResponse> {
  requireUser(call.request)
  const id = Number(call.parameters.id)
  const all = call.repository.tools.workflowRuns.flatMap(({ artifacts }) => artifacts)
  const artifact = all.find((one) => one.id === id)
  if (artifact === undefined) throw notFound()
  if (artifact.expired) throw refuse(410, 'Artifact has expired')
  const location = `${await startStorage(call.state)}/artifacts/${id}?sig=secret`
  return { status: 302, headers: { location }, body: '' }
}
