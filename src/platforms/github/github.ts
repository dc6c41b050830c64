// GitHub, in the cloud or as Enterprise Server: puts the parts together.
import { createSharedSlots } from '../../lib/slots.ts'
import { readEnvelope } from '../delivery.ts'
import { findIssueReferences } from '../issue-references.ts'
import type { Platform, PlatformConfig } from '../platform.ts'
import { type PlatformMetrics, recordCalls } from '../record-calls.ts'
import {
  createViewerCache,
  getPermission,
  getRepository,
  getViewer,
  listRepositories,
} from './accounts.ts'
import { listFileCommits, listPullRequestCommits } from './commits.ts'
import { getFile, getTree } from './contents.ts'
import { createWebhook, deleteWebhook, hasWebhook } from './hooks.ts'
import { inspect } from './inspection.ts'
import { getIssue, isPublic } from './issues.ts'
import { acceptsApplication, exchangeCode, isPersonalToken, makeAuthorizeUrl } from './oauth.ts'
import {
  getDiff,
  getMergeBase,
  getPullRequest,
  listedFilesLimit,
  listFiles,
} from './pull-requests.ts'
import { encodePlace, encodeRepository } from './repository.ts'
import type { Connection } from './request.ts'
import { ensureReview } from './reviews.ts'
import { getLanguages, listContributors } from './statistics.ts'
import { ensureStatus } from './statuses.ts'
import { listThreads, resolveThread } from './threads.ts'

/** GitHub allows an account 100, and several processes may share ours. */
const callsAtOnce = 32
/** So that a slow answer to one person, or many of their questions, leaves places for the others. */
const callsAtOncePerToken = 12

/** The adapter. Holds nothing but the accounts behind the tokens it has seen, and the line of calls that wait. */
export function createGithub(config: PlatformConfig, metrics: PlatformMetrics): Platform {
  const connection = makeConnection(config, metrics)
  const recallViewer = createViewerCache(connection)
  return {
    id: 'github',
    limits: {
      commentLength: 65_536,
      listedFiles: listedFilesLimit,
      contributorStatistics: true,
      resolvableThreads: true,
      editableComments: true,
      suggestions: true,
    },
    authorizeUrl: (input) => makeAuthorizeUrl(connection, config.oauth, input),
    exchangeCode: (input, signal) => exchangeCode(connection, config.oauth, input, signal),
    acceptsApplication: (signal) => acceptsApplication(connection, config.oauth, signal),
    viewer: (token, signal) => getViewer(connection, token, signal),
    isPersonalToken,
    inspect: (token, signal) => inspect(connection, token, signal),
    listRepositories: (token, input, signal) => listRepositories(connection, token, input, signal),
    getRepository: (access, signal) => getRepository(connection, access, signal),
    getPermission: (access, login, signal) => getPermission(connection, access, login, signal),
    createWebhook: (access, input, signal) => createWebhook(connection, access, input, signal),
    hasWebhook: (access, input, signal) => hasWebhook(connection, access, input, signal),
    deleteWebhook: (access, id, signal) => deleteWebhook(connection, access, id, signal),
    readEnvelope,
    getPullRequest: (access, number, signal) => getPullRequest(connection, access, number, signal),
    getDiff: (access, number, signal) => getDiff(connection, access, number, signal),
    mergeBase: (access, base, head, signal) => getMergeBase(connection, access, base, head, signal),
    listFiles: (access, number, signal) => listFiles(connection, access, number, signal),
    listPullRequestCommits: (access, number, signal) =>
      listPullRequestCommits(connection, access, number, signal),
    listFileCommits: (access, input, signal) => listFileCommits(connection, access, input, signal),
    findIssues: (repo, input) => findIssueReferences({ repo, webUrl: connection.webUrl }, input),
    getIssue: (access, number, signal) => getIssue(connection, access, number, signal),
    isPublic: (access, signal) => isPublic(connection, access, signal),
    getFile: (access, path, ref, signal) => getFile(connection, access, path, ref, signal),
    getTree: (access, ref, signal) => getTree(connection, access, ref, signal),
    cloneAddress: ({ repo, token }) => ({
      url: `${connection.webUrl}/${encodeRepository(repo)}.git`,
      headers: {
        Authorization: `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`,
      },
    }),
    fileAddress: (repo, place) =>
      `${connection.webUrl}/${encodeRepository(repo)}/blob/${encodePlace(place)}`,
    languages: (access, signal) => getLanguages(connection, access, signal),
    contributors: (access, signal) => listContributors(connection, access, signal),
    async ensureReview(access, review, signal) {
      const viewer = await recallViewer(access.token, signal)
      return ensureReview({ connection, access, review, viewer, signal })
    },
    ensureStatus: (access, status, signal) => ensureStatus(connection, access, status, signal),
    async listThreads(access, number, signal) {
      return listThreads(
        connection,
        access,
        number,
        await recallViewer(access.token, signal),
        signal,
      )
    },
    resolveThread: (access, _number, threadId, signal) =>
      resolveThread(connection, access, threadId, signal),
  }
}

/** In the cloud GraphQL lies beside the REST API, on Enterprise Server beside its `/v3`. */
function makeConnection(config: PlatformConfig, metrics: PlatformMetrics): Connection {
  const apiUrl = config.apiUrl.replace(/\/+$/, '')
  return {
    webUrl: config.url.replace(/\/+$/, ''),
    apiUrl,
    graphqlUrl: `${apiUrl.replace(/\/v3$/, '')}/graphql`,
    userAgent: config.userAgent,
    timeoutMs: config.timeoutMs ?? 30_000,
    slots: createSharedSlots(callsAtOnce, callsAtOncePerToken),
    calls: recordCalls(metrics),
  }
}
