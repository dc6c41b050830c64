// GitHub's formats of check runs and suites, in the REST API and in payloads.
import { shapeApp, shapePayloadApp } from '../apps/shape-apps.ts'
import type { Repository } from '../entities.ts'
import { readCommitIdentity } from '../objects.ts'
import {
  apiUrl,
  encodePath,
  nodeId,
  repositoryApiUrl,
  repositoryWebUrl,
} from '../shape-accounts.ts'
import { type ForgeState, fullName } from '../state.ts'
import type { Annotation, CheckRun, CheckSuite } from './check-state.ts'

type Shape = Record<string, unknown>

/** `whole` brings the suite with all its fields, as payloads have it. */
export function shapeCheckRun(
  state: ForgeState,
  repository: Repository,
  run: CheckRun,
  whole = false,
): Shape {
  const url = `${repositoryApiUrl(state, repository)}/check-runs/${run.id}`
  return {
    id: run.id,
    name: run.name,
    node_id: nodeId('CR', run.id),
    head_sha: run.headSha,
    external_id: run.externalId,
    url,
    html_url: `${repositoryWebUrl(state, repository)}/runs/${run.id}`,
    details_url: run.detailsUrl ?? run.app.externalUrl,
    status: run.status,
    conclusion: run.conclusion,
    started_at: run.startedAt,
    completed_at: run.completedAt,
    output: {
      title: run.title,
      summary: run.summary,
      text: run.text,
      annotations_count: run.annotations.length,
      annotations_url: `${url}/annotations`,
    },
    check_suite: whole ? shapeSuiteState(state, repository, run.suite) : { id: run.suite.id },
    app: whole ? shapePayloadApp(state, run.app) : shapeApp(state, run.app),
    pull_requests: shapePulls(state, repository, run.headSha),
  }
}

function shapeSuiteState(state: ForgeState, repository: Repository, suite: CheckSuite): Shape {
  return {
    id: suite.id,
    node_id: nodeId('CS', suite.id),
    head_branch: suite.headBranch,
    head_sha: suite.headSha,
    status: suite.status,
    conclusion: suite.conclusion === 'skipped' ? 'neutral' : suite.conclusion,
    url: `${repositoryApiUrl(state, repository)}/check-suites/${suite.id}`,
    before: suite.before,
    after: suite.headSha,
    pull_requests: shapePulls(state, repository, suite.headSha),
    app: shapePayloadApp(state, suite.app),
    created_at: suite.createdAt,
    updated_at: suite.updatedAt,
  }
}

export async function shapeCheckSuite(
  state: ForgeState,
  repository: Repository,
  suite: CheckSuite,
): Promise<Shape> {
  const url = `${repositoryApiUrl(state, repository)}/check-suites/${suite.id}`
  return {
    ...shapeSuiteState(state, repository, suite),
    latest_check_runs_count: repository.checkRuns.filter((run) => run.suite === suite).length,
    check_runs_url: `${url}/check-runs`,
    head_commit: await readCommitIdentity(repository, suite.headSha),
  }
}

/** As at GitHub, pull requests from forks aren't listed. */
function shapePulls(state: ForgeState, repository: Repository, headSha: string): Shape[] {
  const brief = (one: Repository) => ({
    id: one.id,
    url: `${apiUrl(state)}/repos/${encodePath(fullName(one))}`,
    name: one.name,
  })
  return [...repository.pulls.values()]
    .filter((pull) => pull.state === 'open' && pull.headSha === headSha)
    .filter((pull) => pull.headRepository === repository)
    .map((pull) => ({
      url: `${repositoryApiUrl(state, repository)}/pulls/${pull.number}`,
      id: pull.id,
      number: pull.number,
      head: { ref: pull.headRef, sha: pull.headSha, repo: brief(repository) },
      base: { ref: pull.baseRef, sha: pull.baseSha, repo: brief(repository) },
    }))
}

export function shapeAnnotation(
  state: ForgeState,
  repository: Repository,
  run: CheckRun,
  annotation: Annotation,
): Shape {
  const path = encodePath(annotation.path)
  const blob = `${repositoryWebUrl(state, repository)}/blob/${run.headSha}/${path}`
  return { ...annotation, blob_href: blob }
}
