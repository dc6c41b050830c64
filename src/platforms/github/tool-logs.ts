// Reads what other tools found: the logs of code scanning, and the artifacts of GitHub Actions.
import { z } from 'zod'
import { isNotFound, PlatformError } from '../../domain/errors.ts'
import type { ApiCall, Connection, HostCall } from '../http/connection.ts'
import { buildRepositoryCall } from '../http/repository-calls.ts'
import { send, sendForJson } from '../http/request.ts'
import type { Access, ListedAnalysis, ListedArtifact } from '../platform.ts'

const pageSize = 100
/** Each trial merge that may be one of the head costs a call; the newest ones come first. */
const maxMerges = 3
/** Each run costs a call. */
const maxRuns = 20

const analysis = z
  .object({
    id: z.int(),
    ref: z.string(),
    commit_sha: z.string(),
    category: z.string().nullish(),
    results_count: z.int(),
    tool: z.object({ name: z.string().nullish() }),
  })
  .transform(
    (fields): ListedAnalysis => ({
      id: String(fields.id),
      tool: fields.tool.name ?? '',
      category: fields.category ?? '',
      sha: fields.commit_sha,
      isMerge: /^refs\/pull\/\d+\/merge$/.test(fields.ref),
      results: fields.results_count,
    }),
  )

const commit = z.object({ parents: z.array(z.object({ sha: z.string() })) })

const runs = z.object({
  workflow_runs: z.array(
    z.object({ id: z.int(), event: z.string(), status: z.string().nullish() }),
  ),
})

const artifacts = z.object({
  artifacts: z.array(
    z.object({
      id: z.int(),
      name: z.string(),
      size_in_bytes: z.int(),
      expired: z.boolean(),
    }),
  ),
})

/**
 * GET /repos/{owner}/{repo}/code-scanning/analyses. Those of a pull request are about its heads or
 * about trial merges of them, whose parents a further call reads.
 */
export const listAnalyses: HostCall<'listAnalyses'> = async (connection, access, of, signal) => {
  const query = new URLSearchParams('branch' in of ? { ref: `refs/heads/${of.branch}` } : {})
  if ('number' in of) query.set('pr', String(of.number))
  query.set('per_page', String(pageSize))
  const path = `/code-scanning/analyses?${query}`
  const call = buildRepositoryCall(access, path, signal)
  const listed = await sendForJson(connection, call, z.array(analysis)).catch(emptyIfNone)
  if ('branch' in of) return listed
  const merges = await findMerges(connection, access, { listed, headSha: of.headSha }, signal)
  return listed.filter(({ isMerge, sha }) => (isMerge ? merges.has(sha) : sha === of.headSha))
}

/** GitHub answers with 404 where there is none, and where code scanning isn't visible. */
function emptyIfNone(error: unknown): [] {
  if (isNotFound(error) && /no analysis found/i.test((error as Error).message)) return []
  throw error
}

/**
 * One commit or run of a list may be deleted meanwhile. The others are still listed, because what
 * this throws counts as a refusal of the whole list.
 */
function orIfRefused<T>(fallback: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof PlatformError && !error.retryable) return fallback
    throw error
  }
}

/** Returns the trial merges of the head: GET /repos/{owner}/{repo}/git/commits/{commit_sha}. */
async function findMerges(
  connection: Connection,
  access: Access,
  { listed, headSha }: { listed: readonly ListedAnalysis[]; headSha: string },
  signal: AbortSignal | undefined,
): Promise<ReadonlySet<string>> {
  const shas = new Set(listed.filter(({ isMerge }) => isMerge).map(({ sha }) => sha))
  const checked = await Promise.all(
    [...shas].slice(0, maxMerges).map(async (sha) => {
      const call = buildRepositoryCall(access, `/git/commits/${encodeURIComponent(sha)}`, signal)
      const none = { parents: [] }
      const { parents } = await sendForJson(connection, call, commit).catch(orIfRefused(none))
      return parents.some((parent) => parent.sha === headSha) ? [sha] : []
    }),
  )
  return new Set(checked.flat())
}

/** GET /repos/{owner}/{repo}/code-scanning/analyses/{analysis_id} as SARIF. */
export const getAnalysis: HostCall<'getAnalysis'> = async (
  connection,
  access,
  { id, maxBytes },
  signal,
) => {
  const path = `/code-scanning/analyses/${encodeURIComponent(id)}`
  const accept = 'application/sarif+json'
  const { body } = await send(
    connection,
    buildRepositoryCall(access, path, signal, { accept, maxBytes }),
  )
  return body
}

/**
 * What runs of an event read by default. Runs of other events, such as `pull_request_target`, read
 * the base branch.
 */
const commitsOfEvents: Readonly<Record<string, 'head' | 'merge'>> = {
  pull_request: 'merge',
  push: 'head',
  workflow_dispatch: 'head',
}

/**
 * GET /repos/{owner}/{repo}/actions/runs by the head, and GET …/actions/runs/{run_id}/artifacts of
 * those that have ended. A run may upload artifacts until it ends.
 */
export const listArtifacts: HostCall<'listArtifacts'> = async (
  connection,
  access,
  headSha,
  signal,
) => {
  const query = new URLSearchParams({ head_sha: headSha, per_page: String(pageSize) })
  const listed = await sendForJson(
    connection,
    buildRepositoryCall(access, `/actions/runs?${query}`, signal),
    runs,
  )
  const ofHead = listed.workflow_runs.filter(({ event }) => Object.hasOwn(commitsOfEvents, event))
  const ended = ofHead.filter(({ status }) => status === 'completed')
  const lists = await Promise.all(
    ended.slice(0, maxRuns).map(async ({ id, event }) => {
      const path = `/actions/runs/${id}/artifacts?per_page=${pageSize}`
      const found = await sendForJson(
        connection,
        buildRepositoryCall(access, path, signal),
        artifacts,
      ).catch(orIfRefused({ artifacts: [] }))
      // A run that was repeated has the artifacts of all its attempts, the newest first.
      const byName = Map.groupBy(found.artifacts, ({ name }) => name)
      return [...byName.values()]
        .map(([newest]) => newest!)
        .filter(({ expired }) => !expired)
        .map(
          (one): ListedArtifact => ({
            id: String(one.id),
            name: one.name,
            size: one.size_in_bytes,
            isMerge: commitsOfEvents[event] === 'merge',
          }),
        )
    }),
  )
  return { artifacts: lists.flat(), mayGrow: ofHead.length === 0 || ended.length < ofHead.length }
}

/** GET /repos/{owner}/{repo}/actions/artifacts/{artifact_id}/zip, which redirects to a storage. */
export const getArtifact: HostCall<'getArtifact'> = async (
  connection,
  access,
  { id, maxBytes },
  signal,
) => {
  const path = `/actions/artifacts/${encodeURIComponent(id)}/zip`
  const rest: Partial<ApiCall> = { maxBytes, isStored: true }
  const { body } = await send(connection, buildRepositoryCall(access, path, signal, rest))
  return body
}
