// A small code-hosting platform shaped like GitHub, for tests and the demonstration: real git, real HTTP.
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deliver, redeliver } from './deliveries.ts'
import type { FaultRule } from './faults.ts'
import { createOAuthApp } from './oauth.ts'
import { readBranches } from './objects.ts'
import { closePull, editPull, openPull, reopenPull, setDraft } from './pull-requests.ts'
import { deleteBranch, mergePull, type PushedFile, type PushOptions, pushFiles } from './pushes.ts'
import {
  createRepository,
  createUser,
  type RepositoryOptions,
  removeRepository,
  renameRepository,
} from './repositories.ts'
import { addComment } from './rest-comments.ts'
import { addHook } from './rest-repositories.ts'
import { replyToInlineComment, setResolved, threadsOf } from './reviews.ts'
import { createForgeServer } from './server.ts'
import { apiUrl, shapeIssue } from './shapes.ts'
import {
  announceChange,
  createState,
  type Delivery,
  type DeliveryAttempt,
  type ForgeLimits,
  type ForgeState,
  type Issue,
  nextId,
  now,
  type OAuthApp,
  pullNumbered,
  type RateLimit,
  repositoryNamed,
  type SeenRequest,
  type User,
  userNamed,
} from './state.ts'
import { type PullRequestView, viewPull } from './view.ts'
import { type WaitOptions, waitUntil } from './waiting.ts'

export { answer, applyThenDrop, cutShort, drop, type Hold, hold, html, slow, truncated } from './faults.ts'
export type { Delivery, ForgeLimits, PullRequestView, RateLimit, SeenRequest }

export interface ForgeOptions {
  /** `127.0.0.1` unless given. */
  readonly host?: string
  /** 0 (any free one) unless given. */
  readonly port?: number
  /** Where the git repositories are; a temporary folder, removed at the end, unless given. */
  readonly dataDir?: string
  readonly clock?: () => Date
}

export interface PullRequestInput {
  readonly repo: string
  /** Branch with the change. */
  readonly head: string
  /** The default branch unless given. */
  readonly base?: string
  readonly title?: string
  readonly body?: string
  /** Login; the owner of the head's repository unless given. */
  readonly author?: string
  /** Fork that the head branch is in. */
  readonly headRepo?: string
  readonly draft?: boolean
}

/** A running forge. Repositories are named `owner/repo`, users by login. Everything unknown throws an Error. */
export interface Forge extends AsyncDisposable {
  /** Base of web pages and clone addresses: `<url>/<owner>/<repo>.git`. */
  readonly url: string
  /** Base of the REST API: `<url>/api/v3`. */
  readonly apiUrl: string
  /** `<url>/api/graphql`. */
  readonly graphqlUrl: string

  /** Makes a user, or gives an existing one another token. Scopes: all that the service asks for unless given. */
  createUser(login: string, options?: { token?: string; scopes?: readonly string[]; name?: string }): User
  /** Makes an empty repository. An owner that isn't a user becomes an organization. */
  createRepository(repo: string, options?: RepositoryOptions): Promise<void>
  /** The former name redirects from now on. */
  renameRepository(repo: string, newName: string): void
  removeRepository(repo: string): Promise<void>
  /** Gives (or with `none` takes) someone's access. */
  setPermission(repo: string, login: string, permission: 'admin' | 'write' | 'read' | 'none'): void
  cloneUrl(repo: string): string

  /** Puts a commit on a branch, with all that follows from a push. Returns its id. A null content removes the file. */
  push(
    repo: string,
    branch: string,
    files: Readonly<Record<string, PushedFile>>,
    options?: PushOptions,
  ): Promise<string>
  deleteBranch(repo: string, branch: string): Promise<void>
  /** Branches and their commits. */
  branches(repo: string): Promise<Map<string, string>>

  /** Opens a pull request and returns its number. */
  openPullRequest(input: PullRequestInput): Promise<number>
  closePullRequest(repo: string, number: number, by?: string): void
  reopenPullRequest(repo: string, number: number, by?: string): Promise<void>
  /** Returns the merge commit. */
  mergePullRequest(repo: string, number: number, by?: string): Promise<string>
  convertToDraft(repo: string, number: number, by?: string): void
  markReadyForReview(repo: string, number: number, by?: string): void
  editPullRequest(repo: string, number: number, change: { title?: string; body?: string; base?: string }): Promise<void>
  /** What stands on the pull request now. */
  pullRequest(repo: string, number: number): PullRequestView
  /** Comments below a pull request or issue. Returns the comment's id. */
  comment(repo: string, number: number, author: string, body: string): number
  /** Answers in the thread of an inline comment. Returns the answer's id. */
  replyToComment(repo: string, number: number, commentId: number, answer: { author: string; body: string }): number
  /** Resolves the thread that a comment opened, or opens it again with `by` null. */
  resolveThread(repo: string, number: number, commentId: number, by: string | null): void
  /** Opens an issue and delivers it. Returns its number. */
  openIssue(repo: string, input: { title: string; body?: string; author?: string }): number

  /** Adds a webhook without sending a ping. Returns its id. */
  addWebhook(
    repo: string,
    input: { url: string; secret?: string; events?: readonly string[]; contentType?: 'json' | 'form' },
  ): number
  removeWebhook(repo: string, id: number): void
  webhooks(repo: string): readonly { id: number; url: string; secret: string; events: readonly string[] }[]
  /** All deliveries, oldest first. */
  readonly deliveries: readonly Delivery[]
  /** Sends a delivery once more, same id and body. By its number or guid. */
  redeliver(id: number | string): Promise<DeliveryAttempt>
  /** Waits for a delivery that was answered (or failed) and that fits. */
  waitForDelivery(predicate: (delivery: Delivery) => boolean, options?: WaitOptions): Promise<Delivery>

  /** Waits until `read` gives something: asked now and after each change here. */
  waitFor<T>(read: () => T | undefined | null | false, options?: WaitOptions): Promise<T>
  /** All requests, oldest first. */
  readonly requests: readonly SeenRequest[]
  readonly faults: {
    /** Adds a rule; earlier rules go first. Returns what removes it. */
    add(rule: FaultRule): () => void
    clear(): void
  }
  /** Settable. */
  readonly limits: ForgeLimits
  /** Settable. */
  readonly rateLimit: RateLimit

  createOAuthApp(input?: { clientId?: string; clientSecret?: string; callbackUrl?: string }): OAuthApp
  /** Whom the authorize page signs in; null for nobody. */
  signInAs(login: string | null): void
  /** Makes the next sign-in end with `access_denied`. */
  denyNextSignIn(): void
  /** Makes a token worthless. */
  revokeToken(token: string): void

  /** Stops at once: open connections are cut, what waits is rejected. */
  close(): Promise<void>
}

/** Starts a forge. */
export async function startForge(options: ForgeOptions = {}): Promise<Forge> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'forge-')))
  const state = createState(dataDir, options.clock ?? (() => new Date()))
  const server = createForgeServer(state)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port ?? 0, options.host ?? '127.0.0.1', resolve)
  })
  const { address, family, port } = server.address() as AddressInfo
  state.url = `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
  const close = async () => {
    if (state.stop.signal.aborted) return
    state.stop.abort()
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeAllConnections()
    await closed
    await Promise.all([...state.repositories.values()].map((repository) => repository.writes))
    if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true, maxRetries: 3 })
  }
  return {
    ...repositoryActions(state),
    ...pullRequestActions(state),
    ...observation(state),
    ...signInActions(state),
    url: state.url,
    apiUrl: apiUrl(state),
    graphqlUrl: `${state.url}/api/graphql`,
    close,
    [Symbol.asyncDispose]: close,
  }
}

type Actions<Name extends keyof Forge> = Pick<Forge, Name>

function repositoryActions(
  state: ForgeState,
): Actions<
  | 'createUser'
  | 'createRepository'
  | 'renameRepository'
  | 'removeRepository'
  | 'setPermission'
  | 'cloneUrl'
  | 'push'
  | 'deleteBranch'
  | 'branches'
  | 'addWebhook'
  | 'removeWebhook'
  | 'webhooks'
> {
  return {
    createUser: (login, options) => createUser(state, login, options),
    createRepository: async (repo, options) => {
      await createRepository(state, repo, options)
    },
    renameRepository: (repo, newName) => renameRepository(state, repo, newName),
    removeRepository: (repo) => removeRepository(state, repo),
    setPermission: (repo, login, permission) => {
      const { collaborators } = repositoryNamed(state, repo)
      const key = userNamed(state, login).login.toLowerCase()
      if (permission === 'none') collaborators.delete(key)
      else collaborators.set(key, permission)
    },
    cloneUrl: (repo) => `${state.url}/${repo}.git`,
    push: (repo, branch, files, options) => pushFiles(state, repo, branch, files, options),
    deleteBranch: (repo, branch) => deleteBranch(state, repo, branch),
    branches: (repo) => readBranches(repositoryNamed(state, repo)),
    addWebhook: (repo, { url, secret = '', events = ['pull_request', 'issues'], contentType = 'json' }) =>
      addHook(state, repositoryNamed(state, repo), { url, secret, events, contentType, active: true }).id,
    removeWebhook: (repo, id) => {
      const repository = repositoryNamed(state, repo)
      repository.hooks = repository.hooks.filter((hook) => hook.id !== id)
      announceChange(state)
    },
    webhooks: (repo) =>
      repositoryNamed(state, repo).hooks.map(({ id, url, secret, events }) => ({ id, url, secret, events })),
  }
}

function pullRequestActions(
  state: ForgeState,
): Actions<
  | 'openPullRequest'
  | 'closePullRequest'
  | 'reopenPullRequest'
  | 'mergePullRequest'
  | 'convertToDraft'
  | 'markReadyForReview'
  | 'editPullRequest'
  | 'pullRequest'
  | 'comment'
  | 'replyToComment'
  | 'resolveThread'
  | 'openIssue'
> {
  const find = (repo: string, number: number) => pullNumbered(state, repo, number)
  const actor = (repo: string, number: number, by: string | undefined) =>
    by === undefined ? find(repo, number).author : userNamed(state, by)
  const findComment = (repo: string, number: number, id: number) => {
    const comment = find(repo, number).inlineComments.find((candidate) => candidate.id === id)
    if (comment === undefined) throw new Error(`${repo}#${number} has no inline comment ${id}.`)
    return comment
  }
  return {
    openPullRequest: async (input) => (await openFromInput(state, input)).number,
    closePullRequest: (repo, number, by) => closePull(state, find(repo, number), actor(repo, number, by)),
    reopenPullRequest: (repo, number, by) => reopenPull(state, find(repo, number), actor(repo, number, by)),
    mergePullRequest: (repo, number, by) => mergePull(state, find(repo, number), actor(repo, number, by)),
    convertToDraft: (repo, number, by) => setDraft(state, find(repo, number), true, actor(repo, number, by)),
    markReadyForReview: (repo, number, by) => setDraft(state, find(repo, number), false, actor(repo, number, by)),
    editPullRequest: (repo, number, change) => editPull(state, find(repo, number), change, find(repo, number).author),
    pullRequest: (repo, number) => viewPull(state, find(repo, number)),
    comment: (repo, number, author, body) => {
      const issue = repositoryNamed(state, repo).issues.get(number)
      if (issue === undefined) throw new Error(`The forge has no ${repo}#${number}.`)
      return addComment(state, issue, userNamed(state, author), body).id
    },
    replyToComment: (repo, number, commentId, { author, body }) => {
      const comment = findComment(repo, number, commentId)
      return replyToInlineComment(state, find(repo, number), comment, userNamed(state, author), body).id
    },
    resolveThread: (repo, number, commentId, by) => {
      const opening = findComment(repo, number, commentId)
      if (!threadsOf(find(repo, number)).includes(opening)) throw new Error(`Comment ${commentId} opened no thread.`)
      setResolved(state, opening, by === null ? null : userNamed(state, by))
    },
    openIssue: (repo, input) => openIssue(state, repo, input),
  }
}

async function openFromInput(state: ForgeState, input: PullRequestInput) {
  const repository = repositoryNamed(state, input.repo)
  const headRepository = input.headRepo === undefined ? repository : repositoryNamed(state, input.headRepo)
  return await openPull(state, repository, {
    title: input.title ?? `Change ${input.head}`,
    body: input.body ?? null,
    author: input.author === undefined ? headRepository.owner : userNamed(state, input.author),
    draft: input.draft ?? false,
    base: input.base ?? repository.defaultBranch,
    head: input.head,
    headRepository,
  })
}

function openIssue(state: ForgeState, repo: string, input: { title: string; body?: string; author?: string }): number {
  const repository = repositoryNamed(state, repo)
  const author = input.author === undefined ? repository.owner : userNamed(state, input.author)
  const issue: Issue = {
    id: nextId(state),
    number: Math.max(0, ...repository.issues.keys()) + 1,
    repository,
    author,
    title: input.title,
    body: input.body ?? null,
    state: 'open',
    createdAt: now(state),
    updatedAt: now(state),
    closedAt: null,
    comments: [],
  }
  repository.issues.set(issue.number, issue)
  deliver(state, repository, 'issues', author, { action: 'opened', issue: shapeIssue(state, issue) })
  announceChange(state)
  return issue.number
}

function observation(
  state: ForgeState,
): Actions<
  'deliveries' | 'redeliver' | 'waitForDelivery' | 'waitFor' | 'requests' | 'faults' | 'limits' | 'rateLimit'
> {
  const { deliveries, faults, limits, rateLimit, requests } = state
  return {
    deliveries,
    requests,
    limits,
    rateLimit,
    redeliver: (id) => redeliver(state, id),
    waitForDelivery: (predicate, options) =>
      waitUntil(state, () => deliveries.find((one) => one.status !== null && predicate(one)), {
        what: 'the expected delivery',
        ...options,
      }),
    waitFor: (read, options) => waitUntil(state, read, options),
    faults: {
      add: (rule) => {
        faults.push(rule)
        return () => {
          if (faults.includes(rule)) faults.splice(faults.indexOf(rule), 1)
        }
      },
      clear: () => {
        faults.length = 0
      },
    },
  }
}

function signInActions(state: ForgeState): Actions<'createOAuthApp' | 'signInAs' | 'denyNextSignIn' | 'revokeToken'> {
  return {
    createOAuthApp: (input) => createOAuthApp(state, input),
    signInAs: (login) => {
      state.oauth.signedIn = login === null ? null : userNamed(state, login)
    },
    denyNextSignIn: () => {
      state.oauth.denyNext = true
    },
    revokeToken: (token) => {
      state.tokens.delete(token)
    },
  }
}
