// Random deliveries, connections, reviews and retries, compared with a model of the states.
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { OpenDatabase } from '../../src/db/database.ts'
import { startWorker } from '../../src/worker/start-worker.ts'
import { replyWith } from '../fakes/forge/faults.ts'
import type { Forge } from '../fakes/forge/forge.ts'
import { forgeEnvironment, startShopForge, waitForReviews } from '../review-scenario.ts'
import { type SignedInUser, signInWithToken } from '../sign-in.ts'
import { pullRequestPayload, startTestApp, type TestApp, webhookSecret } from '../start-app.ts'

/** Set another seed to test other sequences. */
const seed = Number(process.env.TEST_SEED ?? 20261121)
const people = ['alice', 'bob'] as const
type Person = (typeof people)[number]

let forge: Forge
let app: TestApp
const signedIn = new Map<Person, SignedInUser>()

beforeAll(async () => {
  forge = await startShopForge()
  forge.createUser('bob', { token: 'ghp_token_of_bob' })
  forge.createUser('root', { token: 'ghp_token_of_root' })
  app = await startTestApp({ env: forgeEnvironment(forge), parts: { web: true, worker: false } })
  // The first account is an administrator, login canSee everything.
  await signInWithToken(app, 'ghp_token_of_root')
  for (const person of people)
    signedIn.set(person, await signInWithToken(app, `ghp_token_of_${person}`))
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await forge[Symbol.asyncDispose]()
})

type Status = 'pending' | 'processing' | 'completed' | 'failed'

interface ModelEvent {
  readonly id: number
  readonly type: string
  readonly wantsReview: boolean
  status: Status
}

interface ModelPullRequest {
  readonly repo: string
  readonly number: number
  /** The title that the payload with the newest `updated_at` has. */
  title: string
  state: 'open' | 'closed' | 'merged'
  updatedAt: number
  readonly events: ModelEvent[]
}

interface Model {
  /** Payloads are newer than the platform's data at that time, so they take precedence. */
  readonly start: number
  /** Two repositories that only this sequence uses, each with the pull requests 1 and 2. */
  readonly repos: readonly string[]
  /** When each person's connection to each repository ended: `Infinity` while it lasts. */
  readonly connectedUntil: Map<string, number>
  disconnects: number
  /** The secret that the last webhook of each repository was created with. */
  readonly secrets: Map<string, string>
  readonly pullRequests: Map<string, ModelPullRequest>
}

const key = (...parts: (string | number)[]) => parts.join(' ')
const priority: readonly Status[] = ['completed', 'failed', 'processing', 'pending']

/** Returns the event that represents a pull request: by priority, then the newest. */
function chosenEvent({ events }: ModelPullRequest): ModelEvent {
  return [...events].sort(
    (a, b) => priority.indexOf(a.status) - priority.indexOf(b.status) || b.id - a.id,
  )[0]!
}

const isUnsettled = ({ wantsReview, status }: ModelEvent) => wantsReview && status === 'pending'

const connectedUntil = (model: Model, person: Person, repo: string) =>
  model.connectedUntil.get(key(person, repo)) ?? 0
const isActive = (model: Model, person: Person, repo: string) =>
  connectedUntil(model, person, repo) === Infinity
const isConnected = (model: Model, repo: string) =>
  people.some((person) => isActive(model, person, repo))
const wasConnected = (model: Model, repo: string) =>
  people.some((person) => connectedUntil(model, person, repo) > 0)

/** Whether the person is or was connected, with no other person connected for longer. */
function canSee(model: Model, person: Person, repo: string): boolean {
  const until = connectedUntil(model, person, repo)
  return until > 0 && people.every((other) => connectedUntil(model, other, repo) <= until)
}

async function request(person: Person, path: string, method = 'GET') {
  const response = await fetch(`${app.url}${path}`, {
    method,
    headers: signedIn.get(person)!.bearer,
  })
  // biome-ignore lint/suspicious/noExplicitAny: looked at below
  return { status: response.status, body: (await response.json()) as any }
}

type Step = (model: Model) => Promise<void>

function connect(person: Person, index: number): Step {
  return async (model) => {
    const repo = model.repos[index]!
    const { status, body } = await request(person, `/api/v1/repos/${repo}/install`, 'POST')
    if (isActive(model, person, repo)) {
      return expect({ status, body }).toEqual({
        status: 400,
        body: { detail: 'Repo already connected' },
      })
    }
    expect({ status, body }).toEqual({
      status: 200,
      body: { status: 'connected', installation_id: expect.any(Number), repo },
    })
    model.connectedUntil.set(key(person, repo), Infinity)
    expect(forge.webhooks(repo)).toHaveLength(1)
    model.secrets.set(repo, forge.webhooks(repo)[0]!.secret)
  }
}

function disconnect(person: Person, index: number): Step {
  return async (model) => {
    const repo = model.repos[index]!
    const wasActive = isActive(model, person, repo)
    if (wasActive) model.connectedUntil.set(key(person, repo), ++model.disconnects)
    const answer = await request(person, `/api/v1/repos/${repo}/install`, 'DELETE')
    expect(answer).toEqual(
      wasActive
        ? { status: 200, body: { status: 'disconnected', repo } }
        : { status: 404, body: { detail: 'Installation not found' } },
    )
    expect(forge.webhooks(repo)).toHaveLength(isConnected(model, repo) ? 1 : 0)
  }
}

interface DeliveryInput {
  readonly repo: number
  readonly number: number
  readonly action: 'opened' | 'synchronize' | 'reopened' | 'closed'
  readonly updatedAt: number
}

function deliver({ repo: index, number, action, updatedAt }: DeliveryInput): Step {
  return async (model) => {
    const repo = model.repos[index]!
    const wantsReview = action === 'opened' || action === 'synchronize'
    const type = `pull_request.${action}`
    const title = `Change ${number} at ${updatedAt}`
    // A pull request that the platform does not have keeps the delivered state.
    const state = number > 2 && action === 'closed' ? 'closed' : 'open'
    const time = new Date(model.start + (120 + 5 * updatedAt) * 1000).toISOString()
    const secret = model.secrets.get(repo) ?? webhookSecret
    const payload = pullRequestPayload({ action, repo, number, title, state, updatedAt: time })
    const { status, body } = await app.deliver(payload, { secret })
    expect(status).toBe(200)
    if (wasConnected(model, repo) && !isConnected(model, repo)) {
      return expect(body).toEqual({ status: 'ignored', reason: 'The repository is disconnected' })
    }
    const known = model.pullRequests.get(key(repo, number))
    const pullRequest = known ?? { repo, number, title, state, updatedAt, events: [] }
    model.pullRequests.set(key(repo, number), pullRequest)
    if (pullRequest.updatedAt <= updatedAt) Object.assign(pullRequest, { title, state, updatedAt })
    if (
      wantsReview &&
      pullRequest.events.some((event) => event.type === type && isUnsettled(event))
    ) {
      return expect(body).toEqual({ status: 'duplicate_skipped' })
    }
    expect(body).toEqual({ status: 'received', event_id: expect.any(Number), event_type: type })
    pullRequest.events.push({ id: body.event_id as number, type, wantsReview, status: 'pending' })
  }
}

/** Loses all announcements of work, so that the worker's sweeps have to find it. */
const missAll: OpenDatabase['listen'] = async (_channel, _onNotification, onReconnect) => {
  onReconnect()
  return { close: async () => {} }
}

/** Runs all pending reviews. Those of pull requests that the platform does not have fail. */
function settle(hidesAll: boolean): Step {
  return async (model) => {
    const waiting = [...model.pullRequests.values()].filter(({ events }) =>
      events.some(isUnsettled),
    )
    if (waiting.length === 0) return
    const match = ({ path }: { path: string }) => hidesAll && path.includes('/pulls/')
    const showAgain = forge.faults.add({ match, action: replyWith(404, { message: 'Not Found' }) })
    const worker = await startWorker(app.app.context, { exclusive: false, listen: missAll })
    // Requests of failure checks wait for a later sweep.
    await waitForReviews(app)
    await worker.stop()
    showAgain()
    for (const { repo, number, events } of waiting) {
      const isGone =
        hidesAll || number > 2 || (wasConnected(model, repo) && !isConnected(model, repo))
      for (const event of events.filter(isUnsettled)) event.status = isGone ? 'failed' : 'completed'
    }
  }
}

function retry(person: Person, index: number, number: number): Step {
  return async (model) => {
    const repo = model.repos[index]!
    const pullRequest = model.pullRequests.get(key(repo, number))
    if (pullRequest === undefined) return
    const { status, body } = await request(
      person,
      `/api/v1/reviews/${chosenEvent(pullRequest).id}/retry`,
      'POST',
    )
    if (!canSee(model, person, repo)) return expect(status).toBe(404)
    if (!isActive(model, person, repo)) return expect(status).toBe(403)
    if (pullRequest.state !== 'open' || pullRequest.events.some(isUnsettled))
      return expect(status).toBe(409)
    expect({ status, body }).toEqual({
      status: 202,
      body: { status: 'retry_started', event_id: expect.any(Number) },
    })
    pullRequest.events.push({
      id: body.event_id,
      type: 'pull_request.retry',
      wantsReview: true,
      status: 'pending',
    })
  }
}

/** Compares what each person's list shows with each filter. */
async function checkLists(model: Model, prefix: string): Promise<void> {
  const all = [...model.pullRequests.values()]
    .filter(({ events }) => events.length > 0)
    .map((pullRequest) => ({ ...pullRequest, chosen: chosenEvent(pullRequest) }))
    .sort((a, b) => b.chosen.id - a.chosen.id)
  for (const person of people) {
    const own = all.filter(({ repo }) => canSee(model, person, repo))
    for (const filter of ['', 'pending', 'completed', 'failed', 'open', 'closed']) {
      const query = `search=${prefix}&limit=100${filter === '' ? '' : `&status=${filter}`}`
      const { status, body } = await request(person, `/api/v1/reviews?${query}`)
      expect(status).toBe(200)
      const expected = own.filter(
        ({ chosen, state }) => filter === '' || chosen.status === filter || state === filter,
      )
      const shown = body.map(
        // biome-ignore lint/suspicious/noExplicitAny: compared below
        ({ id, status, event_type, repo_name, pr_number, pr_title, pr_status }: any) => {
          return { id, status, event_type, repo_name, pr_number, pr_title, pr_status }
        },
      )
      expect(shown, `${person} ${filter}`).toEqual(
        expected.map(({ chosen, repo, number, title, state }) => ({
          id: chosen.id,
          status: chosen.status,
          event_type: chosen.type,
          repo_name: repo,
          pr_number: number,
          pr_title: title,
          pr_status: state,
        })),
      )
    }
  }
}

let sequences = 0

async function makeModel(): Promise<{ model: Model; prefix: string }> {
  sequences += 1
  const prefix = `acme/run-${sequences}-`
  const repos = [`${prefix}a`, `${prefix}b`]
  for (const repo of repos) {
    await forge.createRepository(repo)
    for (const person of [...people, 'umpire-bot']) forge.setPermission(repo, person, 'admin')
    await forge.push(
      repo,
      'main',
      { 'a.ts': 'export const a = 1\n' },
      { author: 'alice', message: 'Start' },
    )
    for (const branch of ['one', 'two']) {
      await forge.push(
        repo,
        branch,
        { 'b.ts': `export const b = '${branch}'\n` },
        { author: 'alice', message: branch },
      )
      await forge.openPullRequest({ repo, head: branch, author: 'alice' })
    }
  }
  const model = {
    start: Date.now(),
    repos,
    connectedUntil: new Map<string, number>(),
    disconnects: 0,
    secrets: new Map(),
    pullRequests: new Map(),
  }
  return { model, prefix }
}

const person = fc.constantFrom(...people)
// Most steps use the same pull request, so that conflicts occur.
const repository = fc.constantFrom(0, 0, 0, 1)
const number = fc.constantFrom(1, 1, 1, 2, 3)
const steps = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.tuple(person, repository).map(([login, index]) => connect(login, index)),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(person, repository).map(([login, index]) => disconnect(login, index)),
    },
    {
      weight: 8,
      arbitrary: fc
        .record({
          repo: repository,
          number,
          action: fc.constantFrom('opened', 'synchronize', 'synchronize', 'reopened', 'closed'),
          updatedAt: fc.integer({ min: 0, max: 20 }),
        })
        .map((input) => deliver(input as DeliveryInput)),
    },
    { weight: 3, arbitrary: fc.boolean().map(settle) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(person, repository, number)
        .map(([login, index, pr]) => retry(login, index, pr)),
    },
  ),
  { minLength: 30, maxLength: 50, size: 'max' },
)

it('agrees with a plain model of events, installations and the list', {
  timeout: 240_000,
}, async () => {
  const property = fc.asyncProperty(steps, async (sequence) => {
    const { model, prefix } = await makeModel()
    for (const step of sequence) {
      await step(model)
      await checkLists(model, prefix)
    }
  })
  await fc.assert(property, { seed, numRuns: 5, endOnFailure: true })
})
