// Implements the platform interface for gitlab.com and self-managed GitLab.
import { bindCalls, createConnection } from '../http/connection.ts'
import { createSignIn } from '../http/oauth.ts'
import { encodeFileLocation } from '../http/repository-calls.ts'
import { findIssueReferences } from '../issue-references.ts'
import { withoutToolLogs } from '../no-tool-logs.ts'
import type { HostConfig, Platform } from '../platform.ts'
import { createPublishing } from '../publishing/publish.ts'
import { createViewerCache } from '../publishing/viewer-cache.ts'
import type { PlatformMetrics } from '../record-platform-calls.ts'
import type { WritePacer } from '../write-pacer.ts'
import { createIsBot } from './bots.ts'
import { listFileCommits, listPullRequestCommits } from './commits.ts'
import { getFile, getLanguages, getTree } from './contents.ts'
import { readUnverifiedDelivery } from './deliveries.ts'
import { getDiff, listFiles, maxListedFiles } from './diffs.ts'
import { listFailedDeliveries, redeliver } from './hook-events.ts'
import { hookReader } from './hook-reader.ts'
import { inspect } from './inspection.ts'
import { getIssue, issueSyntax } from './issues.ts'
import { listComments } from './list-comments.ts'
import { getMergeBase, getPullRequest, listPullRequests } from './merge-requests.ts'
import { commentAnchors } from './notes.ts'
import { postStatus } from './post-status.ts'
import { buildProjectUrl } from './project-calls.ts'
import { addReaction } from './reactions.ts'
import { gitlabRules } from './request-rules.ts'
import { createReviewCalls } from './review-calls.ts'
import { gitlabOAuth, isPersonalToken } from './sign-in.ts'
import { listThreads, resolveThread } from './threads.ts'
import { getPermission, getRepository, getViewer, isPublic, listRepositories } from './viewer.ts'
import { createWebhook, deleteWebhook, hasWebhook, setWebhookSecret } from './webhooks.ts'

/** GitLab applies a suggestion to no more lines before the commented one. */
const maxSuggestedLinesBefore = 100

/** Holds no state but what is known of accounts, and the queue of waiting calls. */
export function createGitlab(
  config: HostConfig,
  parts: { metrics: PlatformMetrics; writePacer: WritePacer },
): Platform {
  const connection = createConnection(config, parts, gitlabRules)
  const getCachedViewer = createViewerCache(({ token }, signal) =>
    getViewer(connection, token, signal),
  )
  const isBot = createIsBot(connection)
  const toolLogLimits = {
    // Its reports of SAST have a format of their own.
    codeScanning: { reason: 'GitLab stores no SARIF logs.' },
    artifacts: { reason: 'Artifacts of GitLab are not read.' },
  }
  return {
    id: 'gitlab',
    terms: {
      platform: 'GitLab',
      pullRequest: 'merge request',
      tokenHelp: 'Requires the api scope.',
    },
    limits: {
      maxCommentLength: 1_000_000,
      maxListedFiles,
      contributorStatistics: {
        reason: 'GitLab counts the commits of names, and not of accounts.',
      },
      resolvableThreads: true,
      decisions: true,
      redeliveries: true,
      ...toolLogLimits,
    },
    // The comment is on the last of the lines.
    suggestionFence: (lines) =>
      lines - 1 > maxSuggestedLinesBefore ? '' : `suggestion:-${lines - 1}+0`,
    settingsRepositories: ['gitlab-profile', 'umpire'],
    apps: null,
    hookReader,
    ...createSignIn(connection, gitlabOAuth),
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
      listFailedDeliveries,
      redeliver,
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
      resolveThread,
    }),
    isPersonalToken,
    readUnverifiedDelivery,
    findIssues: (repo, input) =>
      findIssueReferences({ repo, webUrl: connection.webUrl, syntax: issueSyntax }, input),
    cloneRemote: ({ repo, token }) => ({
      url: `${buildProjectUrl(connection, repo)}.git`,
      headers: { Authorization: `Basic ${Buffer.from(`oauth2:${token}`).toString('base64')}` },
    }),
    fileUrl: (repo, location) =>
      `${buildProjectUrl(connection, repo)}/-/blob/${encodeFileLocation(location)}`,
    listContributors: async () => [],
    ...withoutToolLogs(toolLogLimits),
    ...createPublishing({
      platform: 'GitLab',
      anchors: commentAnchors,
      readViewer: getCachedViewer,
      createCalls: (target, viewer) => createReviewCalls(connection, target, viewer),
    }),
    ensureCheck: (access, check, signal) => postStatus(connection, access, check, signal),
    addReaction: (access, comment, reaction, signal) =>
      addReaction(connection, access, { comment, reaction }, signal),
    listComments: (access, since, signal) => listComments(connection, isBot, access, since, signal),
    async listThreads(access, number, postedUrls, signal) {
      const viewer = await getCachedViewer(access, signal)
      return listThreads(connection, isBot, access, number, { viewer, postedUrls }, signal)
    },
  }
}
