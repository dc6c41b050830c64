// Binds an adapter to one of the code hosts of a deployment. Outside of it, names and ids of
// repositories say which host they are of. The adapter itself knows nothing of other hosts.
import { hostOf, hostSuffix } from '../contract/repository-name.ts'
import { PlatformError } from '../domain/errors.ts'
import type { RepositoryName } from '../domain/pull-request.ts'
import type { Access, Platform, UnverifiedDelivery } from './platform.ts'
import type { AppInstallationChange, AppRepository, PlatformApps } from './platform-app.ts'

/** It translates names and ids between a host's adapter and everything else. */
interface HostNames {
  /** It throws PlatformError `platform_not_found` for a repository of another host. */
  toAdapter(repo: RepositoryName): RepositoryName
  fromAdapter(repo: RepositoryName): RepositoryName
  /** Ids of repositories are compared in the database, and each host counts for itself. */
  identify(id: string): string
  toAdapterId(id: string): string
}

/**
 * Binds an adapter to a host.
 *
 * Every method is named here. So a new method of the contract doesn't compile until it is decided
 * what it does with names, and none of them reaches a host with another host's repository.
 *
 * @param host `id` identifies the host; `name` is the id in names of its repositories, null for the
 *   first host
 */
export function bindToHost(
  platform: Platform,
  host: { readonly id: string; readonly name: string | null },
): Platform {
  const names = createNames(host.name)
  const { toAdapter, fromAdapter } = names
  /** Wraps a method whose first argument is the access to a repository. */
  const inRepository =
    <Args extends unknown[], Result>(call: (access: Access, ...args: Args) => Result) =>
    (access: Access, ...args: Args): Result =>
      call({ ...access, repo: toAdapter(access.repo) }, ...args)
  const named = <T extends { readonly repo: RepositoryName }>(one: T): T => ({
    ...one,
    repo: fromAdapter(one.repo),
  })
  const identified = <T extends { readonly id: string; readonly repo: RepositoryName }>(
    one: T,
  ): T => ({ ...named(one), id: names.identify(one.id) })
  return {
    id: host.id,
    terms: platform.terms,
    limits: platform.limits,
    suggestionFence: platform.suggestionFence,
    settingsRepositories: platform.settingsRepositories,
    apps: platform.apps && bindApps(platform.apps, names, identified),
    hookReader: platform.hookReader,
    authorizeUrl: platform.authorizeUrl,
    exchangeCode: platform.exchangeCode,
    renewGrant: platform.renewGrant,
    acceptsOAuthApp: platform.acceptsOAuthApp,
    getViewer: platform.getViewer,
    isPersonalToken: platform.isPersonalToken,
    inspect: platform.inspect,
    async listRepositories(token, input, signal) {
      const page = await platform.listRepositories(token, input, signal)
      return { ...page, repositories: page.repositories.map(identified) }
    },
    getRepository: async (access, signal) =>
      identified(await inRepository(platform.getRepository)(access, signal)),
    getPermission: inRepository(platform.getPermission),
    createWebhook: inRepository(platform.createWebhook),
    hasWebhook: inRepository(platform.hasWebhook),
    setWebhookSecret: inRepository(platform.setWebhookSecret),
    deleteWebhook: inRepository(platform.deleteWebhook),
    listFailedDeliveries: inRepository(platform.listFailedDeliveries),
    redeliver: inRepository(platform.redeliver),
    readUnverifiedDelivery: (headers, rawBody) =>
      bindDelivery(platform.readUnverifiedDelivery(headers, rawBody), names),
    async getPullRequest(access, number, signal) {
      const pullRequest = await inRepository(platform.getPullRequest)(access, number, signal)
      const { head } = pullRequest
      const repo = head.repo === null ? null : fromAdapter(head.repo)
      return { ...named(pullRequest), head: { ...head, repo } }
    },
    async listPullRequests(access, since, signal) {
      const listed = await inRepository(platform.listPullRequests)(access, since, signal)
      return listed.map(named)
    },
    getDiff: inRepository(platform.getDiff),
    getMergeBase: inRepository(platform.getMergeBase),
    listFiles: inRepository(platform.listFiles),
    listPullRequestCommits: inRepository(platform.listPullRequestCommits),
    listFileCommits: inRepository(platform.listFileCommits),
    findIssues: (repo, input) => platform.findIssues(toAdapter(repo), input).map(named),
    getIssue: async (access, number, signal) =>
      named(await inRepository(platform.getIssue)(access, number, signal)),
    isPublic: inRepository(platform.isPublic),
    getFile: inRepository(platform.getFile),
    getTree: inRepository(platform.getTree),
    cloneRemote: inRepository(platform.cloneRemote),
    fileUrl: (repo, location) => platform.fileUrl(toAdapter(repo), location),
    getLanguages: inRepository(platform.getLanguages),
    listContributors: inRepository(platform.listContributors),
    listAnalyses: inRepository(platform.listAnalyses),
    getAnalysis: inRepository(platform.getAnalysis),
    listArtifacts: inRepository(platform.listArtifacts),
    getArtifact: inRepository(platform.getArtifact),
    ensureReview: inRepository(platform.ensureReview),
    withdrawDecisions: inRepository(platform.withdrawDecisions),
    ensureCheck: inRepository(platform.ensureCheck),
    isUrlOf: platform.isUrlOf,
    addReaction: inRepository(platform.addReaction),
    ensureReply: inRepository(platform.ensureReply),
    listComments: inRepository(platform.listComments),
    listThreads: inRepository(platform.listThreads),
    resolveThread: inRepository(platform.resolveThread),
  }
}

function createNames(host: string | null): HostNames {
  const ending = hostSuffix(host)
  return {
    toAdapter(repo) {
      if (hostOf(repo) === host) return repo.slice(0, repo.length - ending.length)
      const message = `${repo} is not a repository of this code host.`
      throw new PlatformError('platform_not_found', message)
    },
    fromAdapter: (repo) => `${repo}${ending}`,
    identify: (id) => `${id}${ending}`,
    toAdapterId: (id) => (id.endsWith(ending) ? id.slice(0, id.length - ending.length) : id),
  }
}

/** What a host sends is about its own repositories, whatever the delivery calls them. */
function bindDelivery(
  delivery: UnverifiedDelivery,
  { fromAdapter }: HostNames,
): UnverifiedDelivery {
  const bind = (repo: RepositoryName | null) =>
    repo === null || hostOf(repo) !== null ? null : fromAdapter(repo)
  return {
    isAppLevel: delivery.isAppLevel,
    isSentWith: (secrets) => delivery.isSentWith(secrets),
    findRepository: () => bind(delivery.findRepository()),
    parse() {
      const parsed = delivery.parse()
      return { ...parsed, repo: bind(parsed.repo) }
    },
  }
}

function bindApps(
  apps: PlatformApps,
  { identify, toAdapterId }: HostNames,
  identified: (one: AppRepository) => AppRepository,
): PlatformApps {
  const bindChange = (change: AppInstallationChange): AppInstallationChange => {
    switch (change.kind) {
      case 'changed': {
        const removed = change.removed.map(({ id }) => ({ id: identify(id) }))
        return { ...change, added: change.added.map(identified), removed }
      }
      case 'deleted':
        return change
      case 'renamed':
        return { ...change, repository: identified(change.repository) }
    }
  }
  return {
    ...apps,
    readInstallationChange(delivery) {
      const change = apps.readInstallationChange(delivery)
      return change && bindChange(change)
    },
    createInstallationToken(app, { installationId, repositoryId }, signal) {
      const input = { installationId, repositoryId: toAdapterId(repositoryId) }
      return apps.createInstallationToken(app, input, signal)
    },
    async listInstallationRepositories(app, installationId, signal) {
      return (await apps.listInstallationRepositories(app, installationId, signal)).map(identified)
    },
  }
}
