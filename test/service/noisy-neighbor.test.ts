// Large pull requests of one owner must not delay a small one of another owner.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Forge, type Hold, hold, type SeenRequest, startForge } from '../fakes/forge/forge.ts'
import { type Reply, type Script, startModelServer } from '../fakes/models/model-server.ts'
import {
  forgeEnvironment,
  reviewerLogin,
  reviewerToken,
  waitUntilSettled,
} from '../review-scenario.ts'
import { startTestApp, type TestApp, webhookSecret } from '../start-app.ts'

/** The tests open many large pull requests first. */
const slow = { timeout: 180_000 }

let stack: AsyncDisposableStack
let forge: Forge

beforeEach(async () => {
  stack = new AsyncDisposableStack()
  forge = stack.use(await startForge())
  forge.createUser('alice')
  forge.createUser(reviewerLogin, { token: reviewerToken })
})
afterEach(() => stack.disposeAsync())

async function startUmpire(
  env: Record<string, string>,
  repos: readonly string[],
): Promise<TestApp> {
  const app = stack.use(
    await startTestApp({
      env: { ...forgeEnvironment(forge), MEMORY: 'off', GRAPH: 'off', ...env },
    }),
  )
  for (const repo of repos) {
    await forge.createRepository(repo)
    forge.setPermission(repo, reviewerLogin, 'write')
    await forge.push(repo, 'main', { 'README.md': '# Shop\n' }, { author: 'alice' })
    const url = `${app.url}/api/v1/webhooks/host`
    forge.addWebhook(repo, { url, secret: webhookSecret, events: ['pull_request'] })
  }
  return app
}

async function openPullRequest(
  repo: string,
  at: number,
  files: Record<string, string>,
): Promise<number> {
  await forge.push(repo, `change-${at}`, files, { author: 'alice', message: `Change ${at}` })
  return forge.openPullRequest({
    repo,
    head: `change-${at}`,
    title: `Change ${at} of ${repo}`,
    author: 'alice',
  })
}

/** Holds requests about an owner's repositories until the hold is released. */
function holdOwner(owner: string): Hold {
  const held = hold()
  forge.faults.add({ match: isAbout(owner), action: held })
  stack.defer(() => held.release())
  return held
}

const isAbout = (owner: string) => (request: SeenRequest) =>
  request.path.startsWith(`/api/v3/repos/${owner}/`)

const isReviewed = (repo: string, number: number) =>
  forge.pullRequest(repo, number).comments.some(({ author }) => author === reviewerLogin)

/** Lists the owners whose runs are in progress. */
async function ownersInFlight(app: TestApp): Promise<string[]> {
  const runs = await app.db
    .selectFrom('workflowRuns')
    .select('repo')
    .where('status', '=', 'processing')
    .execute()
  return runs.map(({ repo }) => repo.split('/')[0]!)
}

const nothing: Reply = { json: { summary: 'It changes a rate.', findings: [] } }

/** Starts a model server and returns the environment that makes Umpire use it. */
async function startModel(script: Script) {
  const { url } = stack.use(await startModelServer({ protocol: 'anthropic', script }))
  return {
    MODEL: 'anthropic:claude-opus-5-5',
    MODEL_BASE_URL: url,
    ANTHROPIC_API_KEY: 'sk-test-0123456789',
  }
}

it('case 81: stalled reviews of one owner leave capacity for another owner', slow, async () => {
  const app = await startUmpire({ REVIEW_CONCURRENCY: '4' }, ['big/shop', 'big/store', 'acme/shop'])
  const held = holdOwner('big')
  const large: [string, number][] = []
  for (const repo of ['big/shop', 'big/store']) {
    for (const at of [1, 2])
      large.push([repo, await openPullRequest(repo, at, { [`src/${at}.ts`]: 'start()\n' })])
  }
  await held.arrived
  const small = await openPullRequest('acme/shop', 1, { 'README.md': '# The shop\n' })
  await forge.waitFor(() => isReviewed('acme/shop', small), {
    description: 'the review of the other owner',
  })
  expect(large.filter(([repo, number]) => isReviewed(repo, number))).toEqual([])
  expect((await ownersInFlight(app)).filter((owner) => owner === 'big')).toHaveLength(3)
  held.release()
  await waitUntilSettled(app)
  expect(large.filter(([repo, number]) => !isReviewed(repo, number))).toEqual([])
})

it(
  'case 81: bounds the memory of large changes and reviews a small one of another owner',
  slow,
  async () => {
    const resume = Promise.withResolvers<void>()
    stack.defer(() => resume.resolve())
    const model = await startModel(async ({ text }) => {
      if (text.includes('of big/shop')) await resume.promise
      return nothing
    })
    const app = await startUmpire({ ...model, REVIEW_CONTEXT_TOKENS: '4000' }, [
      'big/shop',
      'acme/shop',
    ])
    // Each change counts as 48 MB, by its lines, of the 201 MB that one owner may hold.
    const large: number[] = []
    for (let at = 1; at <= 5; at++) {
      large.push(
        await openPullRequest('big/shop', at, {
          'notes.txt': `${at}\n`.repeat(240_000),
          'src/rate.ts': `export const rate = ${at}\n`,
        }),
      )
    }
    const small = await openPullRequest('acme/shop', 1, {
      'src/rate.ts': 'export const rate = 1\n',
    })
    await forge.waitFor(() => isReviewed('acme/shop', small), {
      description: 'the review of the other owner',
    })
    const gathered = () =>
      forge.requests.filter((request) =>
        /^\/api\/v3\/repos\/big\/shop\/compare\//.test(request.path),
      )
    await forge.waitFor(() => gathered().length >= 4, {
      description: 'as many changes as the capacity allows',
    })
    const inFlight = await ownersInFlight(app)
    expect(inFlight.filter((owner) => owner === 'big')).toHaveLength(5)
    expect(gathered()).toHaveLength(4)
    resume.resolve()
    await waitUntilSettled(app, 120_000)
    expect(large.filter((number) => !isReviewed('big/shop', number))).toEqual([])
  },
)

it('applies the daily model budget to each owner separately', async () => {
  const requested: string[] = []
  const model = await startModel(({ text }) => {
    requested.push(/Change \d of [\w/]+/.exec(text)?.[0] ?? 'another request')
    return { ...nothing, usage: { input: 90_000, output: 4500 } }
  })
  // One review costs 0.45 dollars, and the next one about as much at most.
  const env = { ...model, REVIEW_BUDGET_OWNER_DAILY_USD: '0.7' }
  const repos = ['big/shop', 'Big/store', 'acme/shop']
  const app = await startUmpire(env, repos)
  for (const [at, repo] of repos.entries()) {
    const number = await openPullRequest(repo, at, { 'src/rate.ts': `export const rate = ${at}\n` })
    await forge.waitFor(() => isReviewed(repo, number), { description: `the review of ${repo}` })
    await waitUntilSettled(app)
  }
  expect(new Set(requested)).toEqual(new Set(['Change 0 of big/shop', 'Change 2 of acme/shop']))
  const spent = await app.db.selectFrom('modelSpend').select('owner').orderBy('id').execute()
  expect(spent).toEqual([{ owner: 'big' }, { owner: 'acme' }])
})
