// What tests and the demonstration do on the forge directly, as methods of Forge.
import { createFaultyDeliveries } from './delivery-faults.ts'
import type { Issue } from './entities.ts'
import type { Forge, PullRequestInput } from './interface.ts'
import { createOAuthApp } from './oauth.ts'
import { readBranches } from './objects.ts'
import { viewPull } from './pull-request-view.ts'
import { closePull, editPull, openPull, reopenPull, setDraft } from './pull-requests.ts'
import { deleteBranch, mergePull, pushFiles } from './pushes.ts'
import { createRepository, createUser, removeRepository, renameRepository } from './repositories.ts'
import { addHook } from './rest-repositories.ts'
import { redeliver, releaseLate } from './send-deliveries.ts'
import {
  announceChange,
  type ForgeState,
  nextId,
  now,
  pullNumbered,
  repositoryNamed,
  userNamed,
} from './state.ts'
import { waitUntil } from './wait-until.ts'

type Actions<Name extends keyof Forge> = Pick<Forge, Name>

/** Repositories, access, pushes and webhooks. */
export function repositoryActions(
  state: ForgeState,
): Actions<
  | 'createUser'
  | 'createRepository'
  | 'renameRepository'
  | 'removeRepository'
  | 'setPermission'
  | 'setPrivate'
  | 'restrictDismissals'
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
    renameRepository: (repo, newName) => {
      renameRepository(state, repo, newName)
      const repository = repositoryNamed(state, newName)
      const formerName = repo.split('/')[1]!
      const event = { kind: 'rename', repository, formerName } as const
      state.dialect.deliver(state, repository, event, repository.owner)
    },
    removeRepository: (repo) => removeRepository(state, repo),
    setPrivate: (repo, isPrivate) => {
      repositoryNamed(state, repo).private = isPrivate
    },
    setPermission: (repo, login, permission) => {
      const { collaborators } = repositoryNamed(state, repo)
      const key = userNamed(state, login).login.toLowerCase()
      if (permission === 'none') collaborators.delete(key)
      else collaborators.set(key, permission)
    },
    restrictDismissals: (repo, restricts) => {
      repositoryNamed(state, repo).restrictsDismissals = restricts
    },
    cloneUrl: (repo) => `${state.url}/${repo}.git`,
    push: (repo, branch, files, options) => pushFiles(state, repo, branch, files, options),
    deleteBranch: (repo, branch) => deleteBranch(state, repo, branch),
    branches: (repo) => readBranches(repositoryNamed(state, repo)),
    addWebhook: (
      repo,
      { url, secret = '', events = ['pull_request', 'issues'], contentType = 'json' },
    ) =>
      addHook(state, repositoryNamed(state, repo), {
        url,
        secret,
        events: state.dialect.expandEvents(events),
        contentType,
        active: true,
      }).id,
    removeWebhook: (repo, id) => {
      const repository = repositoryNamed(state, repo)
      repository.hooks = repository.hooks.filter((hook) => hook.id !== id)
      announceChange(state)
    },
    webhooks: (repo) =>
      repositoryNamed(state, repo).hooks.map(({ id, url, secret, events }) => ({
        id,
        url,
        secret,
        events,
      })),
  }
}

/** Pull requests and issues. */
export function pullRequestActions(
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
  | 'openIssue'
> {
  const find = (repo: string, number: number) => pullNumbered(state, repo, number)
  const actor = (repo: string, number: number, by: string | undefined) =>
    by === undefined ? find(repo, number).author : userNamed(state, by)
  return {
    openPullRequest: async (input) => (await openFromInput(state, input)).number,
    closePullRequest: (repo, number, by) =>
      closePull(state, find(repo, number), actor(repo, number, by)),
    reopenPullRequest: (repo, number, by) =>
      reopenPull(state, find(repo, number), actor(repo, number, by)),
    mergePullRequest: (repo, number, by) =>
      mergePull(state, find(repo, number), actor(repo, number, by)),
    convertToDraft: (repo, number, by) =>
      setDraft(state, find(repo, number), true, actor(repo, number, by)),
    markReadyForReview: (repo, number, by) =>
      setDraft(state, find(repo, number), false, actor(repo, number, by)),
    editPullRequest: (repo, number, change, by) =>
      editPull(state, find(repo, number), change, actor(repo, number, by)),
    pullRequest: (repo, number) => viewPull(state, find(repo, number)),
    openIssue: (repo, input) => openIssue(state, repo, input),
  }
}

async function openFromInput(state: ForgeState, input: PullRequestInput) {
  const repository = repositoryNamed(state, input.repo)
  const headRepository =
    input.headRepo === undefined ? repository : repositoryNamed(state, input.headRepo)
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

function openIssue(
  state: ForgeState,
  repo: string,
  input: { title: string; body?: string; author?: string },
): number {
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
    labels: [],
  }
  repository.issues.set(issue.number, issue)
  state.dialect.deliver(state, repository, { kind: 'issue', action: 'opened', issue }, author)
  announceChange(state)
  return issue.number
}

/** Recorded requests and deliveries, waits, and fault injection. */
export function observationActions(
  state: ForgeState,
): Actions<
  | 'deliveries'
  | 'redeliver'
  | 'waitForDelivery'
  | 'waitFor'
  | 'requests'
  | 'faults'
  | 'limits'
  | 'rateLimit'
  | 'lists'
  | 'secondaryLimit'
  | 'shiftClock'
  | 'faultyDeliveries'
  | 'releaseDeliveries'
> {
  const { deliveries, faults, limits, lists, rateLimit, requests, secondaryLimit } = state
  return {
    deliveries,
    requests,
    limits,
    lists,
    rateLimit,
    secondaryLimit,
    shiftClock: (milliseconds) => {
      state.clockShiftMs += milliseconds
      announceChange(state)
    },
    faultyDeliveries: (options) => {
      state.deliveryFaults = options === null ? null : createFaultyDeliveries(options)
    },
    releaseDeliveries: () => releaseLate(state),
    redeliver: (id) => redeliver(state, id),
    waitForDelivery: (predicate, options) =>
      waitUntil(state, () => deliveries.find((one) => one.status !== null && predicate(one)), {
        description: 'the expected delivery',
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

/** Sign-in with OAuth. */
export function signInActions(
  state: ForgeState,
): Actions<'createOAuthApp' | 'signInAs' | 'denyNextSignIn' | 'revokeToken' | 'revokeGrants'> {
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
    revokeGrants: (login) => {
      const user = userNamed(state, login)
      for (const [text, token] of state.tokens)
        if (token.user === user && token.clientId !== null) state.tokens.delete(text)
      for (const grant of state.oauth.grants.values())
        if (grant.user === user) grant.end = 'revoked'
    },
  }
}
