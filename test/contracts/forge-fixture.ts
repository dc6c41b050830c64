// The fixture of the platform contract on the local forge, in any of its dialects.
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Platform } from '../../src/platforms/platform.ts'
import type { DialectName } from '../fakes/forge/dialect.ts'
import {
  applyThenDrop,
  type Forge,
  replyWith,
  type SeenRequest,
  startForge,
} from '../fakes/forge/forge.ts'
import type { Exchange } from '../fakes/forge/http.ts'
import {
  type AppFixture,
  mainFiles,
  type PlatformFixture,
  type PlatformTraits,
  type PostedState,
  type ToolFixture,
} from './platform-contract.ts'

export interface ForgeFixtureOptions {
  readonly dialect: DialectName
  readonly traits: PlatformTraits
  readonly personalToken: string
  createPlatform(forge: Forge): Platform
  /** The header with the id of a delivery. */
  readonly deliveryHeader: string
  /** The host's names of actions that aren't GitHub's. */
  readonly actions?: Readonly<Record<string, string>>
  /** Whether a delivery is about that action on a pull request; by GitHub's fields unless given. */
  isDelivery?(delivery: Delivery, action: string, number: number): boolean
  /** The paths of writes whose answers can be lost. */
  readonly writes: Readonly<Record<'summary' | 'inline' | 'check' | 'dismissal', RegExp>>
  readonly observe?: (exchange: Exchange) => void
  descriptionProblems?(forge: Forge): readonly string[]
  apps?(forge: Forge, repo: string): AppFixture
  tools?(forge: Forge, repo: string): ToolFixture
}

type Delivery = Forge['deliveries'][number]

const secret = 'a secret for signatures'

/** Stores the webhook requests. */
async function startReceiver() {
  const received: { headers: IncomingHttpHeaders; body: Buffer }[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    received.push({ headers: request.headers, body: Buffer.concat(chunks) })
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  return { url, received, close: () => new Promise((resolve) => server.close(resolve)) }
}

function view(forge: Forge, repo: string, number: number): PostedState {
  const { comments, inlineComments, reviews } = forge.pullRequest(repo, number)
  return {
    comments: comments.map(({ id, author, body, edits }) => ({
      id: String(id),
      author,
      body,
      edits,
    })),
    inline: inlineComments.map(({ id, author, body, edits, path, side, line, startLine }) => ({
      ...{ id: String(id), author, body, edits, path, side, line, startLine },
    })),
    reviews: reviews.map(({ id, author, state, body }) => ({
      id: String(id),
      author,
      state: state.toLowerCase() as Lowercase<typeof state>,
      body,
    })),
  }
}

const hasNumber = (delivery: Delivery, action: string, number: number) =>
  delivery.action === action && delivery.payload.number === number

/** Starts a forge with the accounts and repositories of the contract. */
export async function startForgeFixture(options: ForgeFixtureOptions): Promise<PlatformFixture> {
  const { actions = {}, dialect, observe, traits, writes } = options
  const [forge, receiver] = await Promise.all([
    startForge({ dialect, ...(observe === undefined ? {} : { observe }) }),
    startReceiver(),
  ])
  let repo = 'octo/hello'
  const [login, otherLogin] = ['umpire-bot', 'alice']
  const app = forge.createOAuthApp()
  forge.createUser('octo', { token: 'token-octo' })
  forge.createUser(login, { token: 'token-umpire' })
  forge.createUser(otherLogin, { token: 'token-alice' })
  await forge.createRepository(repo, { private: true, admins: [login], writers: [otherLogin] })
  await forge.push(repo, 'main', mainFiles)
  await forge.createRepository('octo/public')
  await forge.createRepository('octo/hidden', { private: true })
  await forge.createRepository('octo/second', { admins: [login] })
  forge.addWebhook(repo, { url: receiver.url, secret })
  const platform = options.createPlatform(forge)
  const holdLists = () => {
    forge.lists.showUntil = performance.now()
    return () => {
      forge.lists.showUntil = Number.POSITIVE_INFINITY
    }
  }
  return {
    platform,
    traits,
    application: app,
    access: { repo, token: 'token-umpire' },
    login,
    otherAccess: { repo, token: 'token-alice' },
    otherLogin,
    personalToken: options.personalToken,
    push: (branch, files, message) =>
      forge.push(repo, branch, files, message === undefined ? {} : { message }),
    open: (input) => forge.openPullRequest({ repo, author: otherLogin, ...input }),
    openIssue: async (input) => forge.openIssue(repo, input),
    otherRepositories: {
      public: 'octo/public',
      hidden: 'octo/hidden',
      administered: 'octo/second',
    },
    url: forge.url,
    merge: async (number) => void (await forge.mergePullRequest(repo, number)),
    close: async (number) => forge.closePullRequest(repo, number),
    comment: async (number, author, body) => String(forge.comment(repo, number, author, body)),
    reply: async (number, commentId, author, body) =>
      String(forge.replyToComment(repo, number, Number(commentId), { author, body })),
    reactions: async (number, commentId) => {
      const { comments, inlineComments } = forge.pullRequest(repo, number)
      const all = [...comments, ...inlineComments]
      return all.find(({ id }) => id === Number(commentId))!.reactions
    },
    readPosted: async (number) => view(forge, repo, number),
    statuses: async (sha) => {
      const statuses = statusesOf(forge, repo, sha)
      return [...new Map(statuses.map((status) => [status.context, status])).values()]
    },
    webhooks: async () => forge.webhooks(repo).map((hook) => ({ ...hook, active: true })),
    delivery: async (action, number) => {
      const isWanted = options.isDelivery ?? hasNumber
      const { guid } = await forge.waitForDelivery((one) =>
        isWanted(one, actions[action] ?? action, number),
      )
      const found = receiver.received.find(
        ({ headers }) => headers[options.deliveryHeader] === guid,
      )!
      return { ...found, secret }
    },
    rename: async (name) => {
      forge.renameRepository(repo, name)
      repo = name
    },
    countWrites: () =>
      forge.requests.filter(
        ({ method, path }) =>
          method !== 'GET' && path.startsWith(`${new URL(forge.apiUrl).pathname}/`),
      ).length,
    loseResponse: (of, { late } = { late: false }) => {
      const path = writes[of]
      const matches = (method: string, address: string) =>
        /POST|PUT/.test(method) && path.test(address)
      forge.faults.add({
        match: (one) => matches(one.method, one.path),
        times: 1,
        action: applyThenDrop(),
      })
      const before = forge.requests.length
      // The forge records a dropped connection as status 0.
      const findLost = () =>
        forge.requests.findIndex(
          (one, at) => at >= before && matches(one.method, one.path) && one.status === 0,
        )
      const isRead = (one: SeenRequest) =>
        one.method === 'GET' && path.test(one.path) && one.status !== null
      if (late) {
        const showLists = holdLists()
        void forge
          .waitFor(() => findLost() >= 0 && forge.requests.slice(findLost()).some(isRead))
          .then(showLists)
      }
      return () => findLost() >= 0
    },
    holdLists,
    decide: async (number, author, state) => {
      const kind = state === 'approved' ? 'APPROVED' : 'CHANGES_REQUESTED'
      await forge.postReview(repo, number, { author, state: kind })
    },
    dismiss: async (number, id, by) => forge.dismissReview(repo, number, Number(id), by),
    restrictDismissals: () => {
      forge.restrictDismissals(repo, true)
      return () => forge.restrictDismissals(repo, false)
    },
    refuseEdits: () =>
      forge.faults.add({
        match: ({ method, path }) => /PATCH|DELETE/.test(method) && /\/comments\/\d+$/.test(path),
        action: replyWith(403, { message: 'Resource not accessible by integration' }),
      }),
    refuseDiffs: () => {
      forge.limits.diffLines = 0
    },
    signIn: async (authorizeUrl, who) => {
      forge.signInAs(who)
      const response = await fetch(authorizeUrl, { redirect: 'manual' })
      return new URL(response.headers.get('location')!)
    },
    descriptionProblems: () => options.descriptionProblems?.(forge) ?? [],
    apps: options.apps?.(forge, repo) ?? null,
    tools: options.tools?.(forge, repo) ?? null,
    [Symbol.asyncDispose]: async () => {
      await forge.close()
      await receiver.close()
    },
  }
}

/** Every pull request lists the statuses of the whole repository, so any of them will do. */
function statusesOf(forge: Forge, repo: string, sha: string) {
  return (forge.pullRequest(repo, 1).statuses[sha] ?? []).map(
    ({ context, state, description, targetUrl }) => ({
      context,
      state,
      description: description ?? '',
      url: targetUrl ?? '',
    }),
  )
}
