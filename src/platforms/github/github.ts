// Implements the platform interface for github.com and GitHub Enterprise Server.
import { readUnverifiedDelivery } from '../delivery.ts'
import { bindCalls, createConnection } from '../http/connection.ts'
import { getIssue } from '../http/issues.ts'
import { getLanguages } from '../http/languages.ts'
import { createSignIn } from '../http/oauth.ts'
import { maxListedFiles } from '../http/pull-requests.ts'
import { encodeFileLocation, encodeRepository } from '../http/repository-calls.ts'
import { deleteWebhook, hasWebhook } from '../http/webhooks.ts'
import { findIssueReferences } from '../issue-references.ts'
import type { HostConfig, Platform } from '../platform.ts'
import { createPublishing } from '../publishing/publish.ts'
import { createViewerCache } from '../publishing/viewer-cache.ts'
import type { PlatformMetrics } from '../record-platform-calls.ts'
import type { WritePacer } from '../write-pacer.ts'
import { createGithubApps } from './apps.ts'
import { addReaction } from './comments.ts'
import { listFileCommits, listPullRequestCommits } from './commits.ts'
import { getFile, getTree } from './contents.ts'
import { ensureCheck } from './ensure-check.ts'
import { listFailedDeliveries, redeliver } from './hook-deliveries.ts'
import { inspect } from './inspection.ts'
import { listComments } from './list-comments.ts'
import {
  getDiff,
  getMergeBase,
  getPullRequest,
  listFiles,
  listPullRequests,
} from './pull-requests.ts'
import { githubRules } from './request-rules.ts'
import { commentAnchors, createReviewCalls } from './review-calls.ts'
import { githubOAuth, isPersonalToken } from './sign-in.ts'
import { listContributors } from './statistics.ts'
import { listThreads, resolveThread } from './threads.ts'
import { getAnalysis, getArtifact, listAnalyses, listArtifacts } from './tool-logs.ts'
import {
  getPermission,
  getRepository,
  getViewer,
  isPublic,
  listRepositories,
  readViewer,
} from './viewer.ts'
import { buildDeliveriesCall, createWebhook, setWebhookSecret } from './webhooks.ts'

/** Holds no state but the cached accounts of tokens and the queue of waiting calls. */
export function createGithub(
  config: HostConfig,
  parts: { metrics: PlatformMetrics; writePacer: WritePacer },
): Platform {
  const connection = createConnection(config, parts, githubRules)
  const getCachedViewer = createViewerCache((access, signal) =>
    readViewer(connection, access, signal),
  )
  return {
    id: 'github',
    terms: {
      platform: 'GitHub',
      pullRequest: 'pull request',
      tokenHelp:
        'Requires the repo scope. If your organization uses SAML single sign-on, authorize the ' +
        'token for it.',
    },
    limits: {
      maxCommentLength: 65_536,
      maxListedFiles,
      contributorStatistics: true,
      resolvableThreads: true,
      decisions: true,
      redeliveries: true,
      codeScanning: true,
      artifacts: true,
    },
    suggestionFence: () => 'suggestion',
    settingsRepositories: ['.github', 'umpire'],
    apps: createGithubApps(connection),
    hookReader: null,
    ...createSignIn(connection, githubOAuth),
    ...bindCalls(connection, {
      getViewer,
      inspect,
      listRepositories,
      getRepository,
      getPermission,
      createWebhook,
      hasWebhook,
      setWebhookSecret,
      deleteWebhook,
      getPullRequest,
      listPullRequests,
      getDiff,
      getMergeBase,
      listFiles,
      listPullRequestCommits,
      listFileCommits,
      getIssue,
      isPublic,
      getFile,
      getTree,
      getLanguages,
      listContributors,
      listAnalyses,
      getAnalysis,
      listArtifacts,
      getArtifact,
      listComments,
    }),
    isPersonalToken,
    listFailedDeliveries: (access, { webhookId, since }, signal) =>
      listFailedDeliveries(connection, buildDeliveriesCall(access, webhookId, signal), since),
    redeliver: (access, { webhookId, attemptId }, signal) =>
      redeliver(connection, buildDeliveriesCall(access, webhookId, signal), attemptId),
    readUnverifiedDelivery,
    findIssues: (repo, input) => findIssueReferences({ repo, webUrl: connection.webUrl }, input),
    cloneRemote: ({ repo, token }) => ({
      url: `${connection.webUrl}/${encodeRepository(repo)}.git`,
      headers: {
        Authorization: `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`,
      },
    }),
    fileUrl: (repo, location) =>
      `${connection.webUrl}/${encodeRepository(repo)}/blob/${encodeFileLocation(location)}`,
    ...createPublishing({
      platform: 'GitHub',
      anchors: commentAnchors,
      readViewer: getCachedViewer,
      createCalls: (target) => createReviewCalls(connection, target),
    }),
    ensureCheck: (access, check, signal) => ensureCheck({ connection, access, check, signal }),
    addReaction: (access, comment, reaction, signal) =>
      addReaction(connection, access, { comment, reaction }, signal),
    async listThreads(access, number, postedUrls, signal) {
      const viewer = await getCachedViewer(access, signal)
      return listThreads(connection, access, number, { viewer, postedUrls }, signal)
    },
    resolveThread: (access, _number, threadId, signal) =>
      resolveThread(connection, access, threadId, signal),
  }
}
