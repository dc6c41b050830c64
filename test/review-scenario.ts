// A forge with a repository and a running Umpire, the start of most review tests.
import { readSample } from '../demo/read-sample.ts'
import { type Forge, type PullRequestView, startForge } from './fakes/forge/forge.ts'
import type { PushedFile } from './fakes/forge/pushes.ts'
import { type StartOptions, startTestApp, type TestApp, webhookSecret } from './start-app.ts'

/** The account that Umpire uses, and its token. */
export const reviewerLogin = 'umpire-bot'
export const reviewerToken = 'ghs_token_of_the_reviewer'
export const repo = 'acme/shop'

/** Starts a forge where alice works on acme/shop, with files on `main` and no pull request yet. */
export async function startShopForge(
  options: Parameters<typeof startForge>[0] = {},
): Promise<Forge> {
  const forge = await startForge(options)
  forge.createUser('alice', { token: 'ghp_token_of_alice' })
  forge.createUser(reviewerLogin, { token: reviewerToken })
  await forge.createRepository(repo)
  forge.setPermission(repo, 'alice', 'admin')
  forge.setPermission(repo, reviewerLogin, 'write')
  await forge.push(repo, 'main', readSample('main'), { author: 'alice', message: 'Start the shop' })
  return forge
}

/** The environment variables that connect Umpire to a forge, which accepts any number of writes. */
export function forgeEnvironment(forge: Forge): Record<string, string> {
  return {
    PLATFORM_URL: forge.url,
    PLATFORM_API_URL: forge.apiUrl,
    PLATFORM_TOKEN: reviewerToken,
    PLATFORM_WRITES_PER_MINUTE: '0',
    PLATFORM_NOTICES_PER_HOUR: '0',
  }
}

export interface Scenario extends AsyncDisposable {
  readonly forge: Forge
  readonly app: TestApp
  /** Pushes files to a branch and opens a pull request from it. Returns its number. */
  openPullRequest(
    files: Record<string, PushedFile>,
    options?: { branch?: string; title?: string; body?: string },
  ): Promise<number>
  /** Waits until all deliveries were answered and all review events ended. */
  waitUntilSettled(): Promise<void>
}

/** What Umpire posted on a pull request: its summaries, and its comments on lines. */
export function ownComments(view: PullRequestView) {
  return {
    summaries: view.comments.filter((comment) => comment.author === reviewerLogin),
    inline: view.inlineComments.filter((comment) => comment.author === reviewerLogin),
  }
}

/** The runs of a pull request, oldest first. */
export function runsOf(app: Pick<TestApp, 'db'>, number: number) {
  return app.db
    .selectFrom('workflowRuns')
    .selectAll()
    .where('repo', '=', repo)
    .where('prNumber', '=', number)
    .orderBy('id')
    .execute()
}

/** Starts both, with the repository's webhook in place. `clock` is the forge's. */
export async function startScenario(
  options: StartOptions & { clock?: () => Date } = {},
): Promise<Scenario> {
  await using stack = new AsyncDisposableStack()
  const forge = stack.use(await startShopForge(options.clock ? { clock: options.clock } : {}))
  // A first review requests a scan, which calls platform and model at any time. Tests opt in to it.
  const layers = { MEMORY: 'off', GRAPH: 'off' }
  const env = { ...forgeEnvironment(forge), ...layers, ...options.env }
  const app = stack.use(await startTestApp({ ...options, env }))
  forge.addWebhook(repo, {
    url: `${app.url}/api/v1/webhooks/host`,
    secret: webhookSecret,
    events: ['pull_request', 'issues'],
  })
  const held = stack.move()
  return {
    forge,
    app,
    async openPullRequest(files, { branch = 'topic', title = 'A change', body = '' } = {}) {
      // The branch is in the message: equal files on two branches within a second would be one
      // commit.
      await forge.push(repo, branch, files, { author: 'alice', message: `${title} on ${branch}` })
      return forge.openPullRequest({ repo, head: branch, title, body, author: 'alice' })
    },
    async waitUntilSettled() {
      const answered = () => forge.deliveries.every((delivery) => delivery.status !== null)
      await forge.waitFor(answered, { description: 'the answers to all deliveries' })
      await waitUntilSettled(app)
      // Posting a review causes deliveries too.
      await forge.waitFor(answered, { description: 'the answers to all deliveries' })
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}

/** Allows all accounts to write again, as if the time had passed for which the host refused it. */
export async function endRefusals({ db }: Pick<TestApp, 'db'>): Promise<void> {
  await db.updateTable('writeBudgets').set({ refusedUntil: null }).execute()
}

/**
 * Waits until at least one event was stored, all events of reviews ended, and each request was
 * answered or tried once.
 */
export async function waitUntilSettled(
  app: Pick<TestApp, 'db'>,
  timeoutMs = 30_000,
): Promise<void> {
  await waitForReviews(app, timeoutMs)
  await waitUntilNone(timeoutMs, 'requests', async () => {
    const requests = app.db.selectFrom('workItems').select('number').where('kind', '=', 'request')
    return (await requests.where('error', 'is', null).execute()).length
  })
}

/** Waits until at least one event was stored, and all events of reviews ended. */
export async function waitForReviews(app: Pick<TestApp, 'db'>, timeoutMs = 30_000): Promise<void> {
  await waitUntilNone(timeoutMs, 'events', async () => {
    const rows = await app.db
      .selectFrom('events')
      .select('status')
      .where('wantsReview', '=', true)
      .execute()
    const open = rows.filter(({ status }) => status === 'pending' || status === 'processing')
    return rows.length === 0 ? 1 : open.length
  })
}

async function waitUntilNone(
  timeoutMs: number,
  name: string,
  count: () => Promise<number>,
): Promise<void> {
  const deadline = performance.now() + timeoutMs
  for (let left = await count(); left > 0; left = await count()) {
    if (performance.now() > deadline) throw new Error(`${left} ${name} have not ended`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
