// Implements the platform interface for Gitea (1.22 and later) and Forgejo (11 and later).
import { PlatformError } from '../../domain/errors.ts'
import { readUnverifiedDelivery } from '../delivery.ts'
import { bindCalls, createConnection } from '../http/connection.ts'
import { getIssue } from '../http/issues.ts'
import { getLanguages } from '../http/languages.ts'
import { createSignIn } from '../http/oauth.ts'
import { maxListedFiles } from '../http/pull-requests.ts'
import {
  buildRepositoryCall,
  encodeFileLocation,
  encodeRepository,
} from '../http/repository-calls.ts'
import { send } from '../http/request.ts'
import { deleteWebhook, hasWebhook } from '../http/webhooks.ts'
import { findIssueReferences } from '../issue-references.ts'
import { withoutToolLogs } from '../no-tool-logs.ts'
import type { HostConfig, Platform, PlatformLimits } from '../platform.ts'
import { postStatus } from '../publishing/post-status.ts'
import { createPublishing } from '../publishing/publish.ts'
import { createViewerCache } from '../publishing/viewer-cache.ts'
import type { PlatformMetrics } from '../record-platform-calls.ts'
import type { WritePacer } from '../write-pacer.ts'
import { getMergeBase, listFileCommits, listPullRequestCommits } from './commits.ts'
import { getFile, getTree } from './contents.ts'
import { listComments } from './list-comments.ts'
import { getDiff, getPullRequest, listFiles, listPullRequests } from './pull-requests.ts'
import { hookReader } from './read-deliveries.ts'
import { giteaRules } from './request-rules.ts'
import { commentAnchors, createReviewCalls } from './review-calls.ts'
import { createServerVersion } from './server-version.ts'
import { giteaOAuth, isPersonalToken } from './sign-in.ts'
import { listThreads, resolveThread } from './threads.ts'
import type { Variant } from './variants.ts'
import {
  getPermission,
  getRepository,
  getViewer,
  inspect,
  isPublic,
  listRepositories,
} from './viewer.ts'
import { createWebhook, setWebhookSecret } from './webhooks.ts'

/** Holds no state but the cached accounts of tokens, the version and the queue of waiting calls. */
export function createGitea(
  config: HostConfig,
  variant: Variant,
  parts: { metrics: PlatformMetrics; writePacer: WritePacer },
): Platform {
  const connection = createConnection(config, parts, giteaRules)
  const version = createServerVersion(connection)
  const getCachedViewer = createViewerCache(({ token }, signal) =>
    getViewer(connection, token, signal),
  )
  const redeliveries = { reason: `${variant.terms.platform} has no API for deliveries.` }
  const limits: Omit<PlatformLimits, 'resolvableThreads'> = {
    maxCommentLength: 65_536,
    maxListedFiles,
    contributorStatistics: {
      reason: `${variant.terms.platform} has no API for statistics of contributors.`,
    },
    decisions: true,
    redeliveries,
    codeScanning: { reason: `${variant.terms.platform} has no code scanning.` },
    artifacts: { reason: `Artifacts of ${variant.terms.platform} are not read.` },
  }
  return {
    id: variant.id,
    terms: variant.terms,
    get limits() {
      return { ...limits, resolvableThreads: variant.resolvableThreads(version.current) }
    },
    suggestionFence: null,
    // Organizations describe themselves in `.profile`.
    settingsRepositories: ['.profile', 'umpire'],
    apps: null,
    hookReader,
    ...createSignIn(connection, giteaOAuth),
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
      listComments,
    }),
    isPersonalToken,
    listFailedDeliveries: async () => [],
    redeliver: async () => {
      throw new PlatformError('platform_refused', redeliveries.reason)
    },
    readUnverifiedDelivery,
    async getPullRequest(access, number, signal) {
      await version.refresh(access.token, signal)
      return getPullRequest(connection, access, number, signal)
    },
    findIssues: (repo, input) =>
      findIssueReferences({ repo, webUrl: connection.webUrl, marks: '#!' }, input),
    cloneRemote: ({ repo, token }) => ({
      url: `${connection.webUrl}/${encodeRepository(repo)}.git`,
      headers: { Authorization: `Basic ${Buffer.from(`oauth2:${token}`).toString('base64')}` },
    }),
    fileUrl: (repo, location) =>
      `${connection.webUrl}/${encodeRepository(repo)}/src/commit/${encodeFileLocation(location)}`,
    listContributors: async () => [],
    ...withoutToolLogs(limits),
    ...createPublishing({
      platform: variant.terms.platform,
      anchors: commentAnchors,
      readViewer: getCachedViewer,
      createCalls: (target, viewer) =>
        createReviewCalls({ ...target, connection, variant, viewer }),
    }),
    ensureCheck: (access, check, signal) => postStatus(connection, access, check, signal),
    addReaction: async (access, { id }, content, signal) => {
      const path = `/issues/comments/${encodeURIComponent(id)}/reactions`
      const rest = { method: 'POST', body: { content } } as const
      await send(connection, buildRepositoryCall(access, path, signal, rest))
    },
    async listThreads(access, number, postedUrls, signal) {
      const viewer = await getCachedViewer(access, signal)
      return listThreads(connection, access, number, { viewer, postedUrls }, signal)
    },
    resolveThread: (access, _number, threadId, signal) =>
      resolveThread(connection, access, threadId, signal),
  }
}
