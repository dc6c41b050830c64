// Tests connecting and disconnecting repositories over the API, and sharing one webhook.
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  type ApiResponse,
  type ConnectScenario,
  startConnectScenario,
  tokenOf,
} from '../connect-scenario.ts'
import { replyWith } from '../fakes/forge/forge.ts'
import { signInWithToken } from '../sign-in.ts'
import { pullRequestPayload } from '../start-app.ts'

let scene: ConnectScenario
beforeAll(async () => {
  scene = await startConnectScenario({ parts: { web: true, worker: false } })
})
afterAll(() => scene[Symbol.asyncDispose]())
afterEach(() => scene.forge.faults.clear())

const sessionExpired = {
  status: 401,
  body: { detail: 'Session expired — please log out and sign in again.' },
}
const unauthorized = { status: 401, body: { detail: 'Unauthorized' } }
const alreadyConnected = { status: 400, body: { detail: 'Repo already connected' } }
const notFound = { status: 404, body: { detail: 'Installation not found' } }

const hookUrl = () => `${scene.app.app.context.config.http.publicUrl}/api/v1/webhooks/host`

async function userId(login: string): Promise<number> {
  const { db } = scene.app
  return (
    await db.selectFrom('users').select('id').where('login', '=', login).executeTakeFirstOrThrow()
  ).id
}

/** Replaces a person's stored token by bytes that cannot be decrypted while `work` runs. */
async function withUnreadableToken(login: string, work: () => Promise<void>): Promise<void> {
  const users = () => scene.app.db.updateTable('users').where('login', '=', login)
  const { encryptedToken } = await scene.app.db
    .selectFrom('users')
    .select('encryptedToken')
    .where('login', '=', login)
    .executeTakeFirstOrThrow()
  await users()
    .set({ encryptedToken: Buffer.alloc(60, 1) })
    .execute()
  await work()
  await users().set({ encryptedToken }).execute()
}

/** Sends a path unchanged; `fetch` would resolve its dots. */
async function sendRaw(
  method: string,
  path: string,
  headers: Record<string, string>,
): Promise<ApiResponse> {
  const sent = request(scene.app.url, { method, path, headers, agent: false })
  sent.end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const body = (await response.toArray()).join('')
  return { status: response.statusCode ?? 0, body: JSON.parse(body) }
}

function auditOf(repo: string) {
  return scene.app.db
    .selectFrom('auditLog')
    .select(['login', 'action'])
    .where('subject', '=', repo)
    .orderBy('id')
    .execute()
}

describe('connecting', () => {
  it('creates the webhook and the record with the platform’s spelling', async () => {
    const { forge } = scene
    const repo = await scene.createRepository()
    const before = forge.requests.length
    const { status, body } = await scene.connect('alice', repo.toUpperCase())
    const [record, ...others] = await scene.readInstallations(repo)
    expect({ status, body }).toEqual({
      status: 200,
      body: { status: 'connected', installation_id: record!.id, repo },
    })
    expect(others).toEqual([])
    expect(record).toMatchObject({
      userId: await userId('alice'),
      webhookSecret: expect.stringMatching(/^[0-9a-f]{64}$/),
      isActive: true,
      deactivatedAt: null,
    })
    expect(forge.webhooks(repo)).toEqual([
      {
        id: record!.webhookId,
        url: hookUrl(),
        secret: record!.webhookSecret,
        events: ['pull_request', 'issues'],
      },
    ])
    const creation = forge.requests.slice(before).find(({ method }) => method === 'POST')!
    expect([creation.path, creation.login]).toEqual([`/api/v3/repos/${repo}/hooks`, 'alice'])
    expect(JSON.parse(creation.body)).toEqual({
      name: 'web',
      active: true,
      events: ['pull_request', 'issues'],
      config: {
        url: hookUrl(),
        content_type: 'json',
        insecure_ssl: '0',
        secret: record!.webhookSecret,
      },
    })
    expect(await auditOf(repo)).toEqual([{ login: 'alice', action: 'repository_connected' }])
  })

  it('creates a different secret for each repository', async () => {
    const repos = [await scene.createRepository(), await scene.createRepository()]
    for (const repo of repos) await scene.connect('alice', repo)
    const [one, two] = await Promise.all(repos.map((repo) => scene.readInstallations(repo)))
    expect(one![0]!.webhookSecret).not.toBe(two![0]!.webhookSecret)
  })

  it('requires a bearer token before it validates anything else', async () => {
    const { cookie } = await scene.signIn('carol')
    for (const headers of [{}, { authorization: 'Bearer nonsense' }, cookie]) {
      for (const method of ['POST', 'DELETE']) {
        const response = await fetch(`${scene.app.url}/api/v1/repos/${'x'.repeat(300)}/y/install`, {
          method,
          headers,
        })
        expect({ status: response.status, body: await response.json() }).toEqual(unauthorized)
      }
    }
  })

  it.each([
    ['two dots', '../shop'],
    ['two dots, encoded', '%2e%2e/shop'],
    ['two dots as the repository', 'acme/..'],
    ['one dot', 'acme/.'],
    ['a slash, encoded', 'a%2Fb/c'],
    ['300 characters', `acme/${'x'.repeat(300)}`],
    ['NUL', 'acme/%00'],
    ['an emoji', 'acme/%F0%9F%A7%AA'],
    ['a space', 'acme/%20'],
  ])('answers 422 or 404 to a malformed name: %s', async (_name, path) => {
    const { bearer } = await scene.signIn('alice')
    const requestsBefore = scene.forge.requests.length
    const detail = 'owner and repo must be the names of an account and of a repository'
    const address = `/api/v1/repos/${path}/install`
    expect(await sendRaw('POST', address, bearer)).toEqual({ status: 422, body: { detail } })
    expect(await sendRaw('DELETE', address, bearer)).toEqual(notFound)
    expect(scene.forge.requests.length).toBe(requestsBefore)
  })

  it('accepts an empty body with the content type application/json', async () => {
    const repo = await scene.createRepository()
    const { bearer } = await scene.signIn('alice')
    const headers = { ...bearer, 'content-type': 'application/json' }
    for (const method of ['POST', 'DELETE']) {
      const response = await fetch(`${scene.app.url}/api/v1/repos/${repo}/install`, {
        method,
        headers,
      })
      expect(response.status).toBe(200)
    }
  })

  it('refuses a second time in any spelling, also with an unreadable token', async () => {
    const repo = await scene.createRepository()
    await scene.connect('alice', repo)
    expect(await scene.connect('alice', repo.toUpperCase())).toEqual(alreadyConnected)
    await withUnreadableToken('alice', async () =>
      expect(await scene.connect('alice', repo)).toEqual(alreadyConnected),
    )
    expect(await scene.readInstallations(repo)).toHaveLength(1)
  })

  it('refuses the former name of a connected repository', async () => {
    const repo = await scene.createRepository()
    scene.forge.renameRepository(repo, `${repo}-renamed`)
    expect((await scene.connect('alice', repo)).body).toMatchObject({
      status: 'connected',
      repo: `${repo}-renamed`,
    })
    expect(await scene.connect('alice', repo)).toEqual(alreadyConnected)
    expect(scene.forge.webhooks(`${repo}-renamed`)).toHaveLength(1)
  })

  it('case 24: requires a new sign-in when the stored token is unreadable', async () => {
    const repo = await scene.createRepository()
    await scene.connect('bob', repo)
    const requestsBefore = scene.forge.requests.length
    await withUnreadableToken('bob', async () =>
      expect(await scene.disconnect('bob', repo)).toEqual(sessionExpired),
    )
    await withUnreadableToken('alice', async () =>
      expect(await scene.connect('alice', repo)).toEqual(sessionExpired),
    )
    expect(scene.forge.requests.length).toBe(requestsBefore)
    expect(await scene.readInstallations(repo)).toMatchObject([{ isActive: true }])
  })

  describe('reports a refusal of the platform', () => {
    const failed = (message: string) => ({
      status: 502,
      body: { detail: `Failed to install webhook: ${message}` },
    })

    it('without admin permission', async () => {
      const repo = await scene.createRepository()
      expect(await scene.connect('carol', repo)).toEqual(
        failed('You need admin permission on the repository.'),
      )
      // The webhook of another person makes no difference.
      await scene.connect('alice', repo)
      expect(await scene.connect('carol', repo)).toEqual(
        failed('You need admin permission on the repository.'),
      )
      expect(await scene.readInstallations(repo)).toHaveLength(1)
    })

    it('of a repository that does not exist', async () => {
      expect(await scene.connect('alice', 'acme/nothing')).toEqual(failed('Not Found'))
    })

    it('without the scope for webhooks', async () => {
      const repo = await scene.createRepository()
      scene.forge.createUser('alice', { token: tokenOf('alice'), scopes: ['public_repo'] })
      const refused = await scene.connect('alice', repo)
      scene.forge.createUser('alice', { token: tokenOf('alice') })
      expect(refused).toEqual(failed('Not Found'))
      expect(scene.forge.webhooks(repo)).toEqual([])
    })

    it('of a revoked token', async () => {
      const repo = await scene.createRepository()
      scene.forge.revokeToken(tokenOf('alice'))
      const refused = await scene.connect('alice', repo)
      scene.forge.createUser('alice', { token: tokenOf('alice') })
      expect(refused).toEqual(failed('Bad credentials'))
    })

    it('case 25: with its own message, without tokens and URLs', async () => {
      const repo = await scene.createRepository()
      const url = 'https://forge.example/x?token=1'
      const message = `Hook: url is not supported by ${url} for ${tokenOf('alice')}`
      scene.forge.faults.add({
        match: ({ method }) => method === 'POST',
        action: replyWith(422, { message }),
      })
      expect(await scene.connect('alice', repo)).toEqual(
        failed('Hook: url is not supported by for …'),
      )
      expect(await scene.readInstallations(repo)).toEqual([])
    })
  })
})

describe('several people', () => {
  it('share one webhook, which is removed when the last one disconnects', async () => {
    const { forge } = scene
    const repo = await scene.createRepository()
    await scene.connect('alice', repo)
    expect(await scene.connect('bob', repo)).toMatchObject({ status: 200 })
    const [first, second] = await scene.readInstallations(repo)
    expect(second).toMatchObject({
      webhookId: first!.webhookId,
      webhookSecret: first!.webhookSecret,
    })
    expect(forge.webhooks(repo)).toHaveLength(1)
    expect(await scene.disconnect('alice', repo)).toEqual({
      status: 200,
      body: { status: 'disconnected', repo },
    })
    expect(forge.webhooks(repo)).toMatchObject([{ id: first!.webhookId }])
    expect(await scene.readInstallations(repo)).toMatchObject([
      { isActive: false },
      { isActive: true },
    ])
    expect(await scene.disconnect('bob', repo)).toMatchObject({ status: 200 })
    expect(forge.webhooks(repo)).toEqual([])
  })

  it.each([
    [
      'was removed',
      (repo: string) => scene.forge.removeWebhook(repo, scene.forge.webhooks(repo)[0]!.id),
    ],
    [
      'was replaced by hand',
      (repo: string) => {
        scene.forge.removeWebhook(repo, scene.forge.webhooks(repo)[0]!.id)
        scene.forge.addWebhook(repo, { url: hookUrl(), secret: 'guessed' })
      },
    ],
  ])('share a new webhook after the old one %s', async (_name, change) => {
    const repo = await scene.createRepository()
    await scene.connect('alice', repo)
    const [before] = await scene.readInstallations(repo)
    change(repo)
    await scene.connect('bob', repo)
    const [first, second] = await scene.readInstallations(repo)
    expect(first!.webhookId).not.toBe(before!.webhookId)
    expect(second).toMatchObject({
      webhookId: first!.webhookId,
      webhookSecret: first!.webhookSecret,
    })
    const { webhookId: id, webhookSecret: secret } = first!
    expect(scene.forge.webhooks(repo)).toMatchObject([{ id, secret }])
  })

  it('case 26: neither see nor disconnect what others connected', async () => {
    const repo = await scene.createRepository()
    await scene.connect('alice', repo)
    expect(await scene.disconnect('bob', repo)).toEqual(notFound)
    const seen = await scene.request('bob', `/api/v1/repos?connected=true&search=${repo}`)
    expect(seen.body.repositories).toEqual([])
    const listed = await scene.request('bob', `/api/v1/repos?search=${repo}`)
    expect(listed.body.repositories).toMatchObject([
      { repo, connected: false, installation_id: null },
    ])
    expect(await scene.readInstallations(repo)).toMatchObject([{ isActive: true }])
    expect(scene.forge.webhooks(repo)).toHaveLength(1)
  })
})

describe('a repository name', () => {
  const payload = (repo: string, number: number) => pullRequestPayload({ repo, number })
  const numbersOf = async (person: 'alice' | 'bob', repo: string) => {
    const { body } = await scene.request(person, `/api/v1/reviews?search=${repo}&limit=100`)
    return body.map((entry: { pr_number: number }) => entry.pr_number)
  }

  it('case 26: ends the old connection when another repository takes it', async () => {
    const { forge, app } = scene
    const repo = await scene.createRepository({ private: true })
    await scene.connect('alice', repo)
    const [former] = await scene.readInstallations(repo)
    await forge.removeRepository(repo)
    await forge.createRepository(repo, { private: true, admins: ['bob'] })
    expect(await scene.connect('bob', repo)).toMatchObject({ status: 200 })

    const [stale, record] = await scene.readInstallations(repo)
    expect(stale).toEqual({ ...former, isActive: false, deactivatedAt: expect.any(Date) })
    expect(forge.webhooks(repo)).toMatchObject([
      { id: record!.webhookId, secret: record!.webhookSecret },
    ])
    const { status } = await app.deliver(payload(repo, 2), { secret: record!.webhookSecret })
    expect(status).toBe(200)
    expect(await app.deliver(payload(repo, 3), { secret: former!.webhookSecret })).toMatchObject({
      status: 403,
    })
    expect(await numbersOf('bob', repo)).toEqual([2])
    expect(await numbersOf('alice', repo)).toEqual([])
    expect(await scene.disconnect('alice', repo)).toEqual(notFound)
    await scene.disconnect('bob', repo)
    expect(forge.webhooks(repo)).toEqual([])
  })

  it('case 26: lists only reviews of the repository that has it now', async () => {
    const { forge, app } = scene
    const repo = await scene.createRepository({ private: true })
    const reviewsOf = async (headers: Record<string, string>) => {
      const response = await fetch(`${app.url}/api/v1/reviews?search=${repo}&limit=100`, {
        headers,
      })
      const entries = (await response.json()) as Record<
        'repo_name' | 'pr_number' | 'pr_title' | 'status',
        unknown
      >[]
      return entries.map((entry) => [
        entry.repo_name,
        entry.pr_number,
        entry.pr_title,
        entry.status,
      ])
    }
    const deliver = async (number: number, title: string) => {
      const { webhookSecret: secret } = (await scene.readInstallations(repo)).at(-1)!
      const { status } = await app.deliver(pullRequestPayload({ repo, number, title }), { secret })
      expect(status).toBe(200)
    }
    await scene.connect('alice', repo)
    for (const number of [1, 2]) await deliver(number, 'Of the former')
    const { platformRepoId: formerId } = await app.db
      .selectFrom('installations')
      .select('platformRepoId')
      .where('repoFullName', '=', repo)
      .executeTakeFirstOrThrow()
    forge.renameRepository(repo, `${repo}-former`)
    await forge.createRepository(repo, { private: true, admins: ['bob'] })
    await scene.connect('bob', repo)
    const bob = (await scene.signIn('bob')).bearer
    expect(await reviewsOf(bob)).toEqual([])
    await deliver(1, 'Of the new one')
    expect(await reviewsOf(bob)).toEqual([[repo, 1, 'Of the new one', 'pending']])
    const deliveries = await scene.request('bob', `/api/v1/deliveries?repo=${repo}`)
    const delivered = deliveries.body.deliveries.map(
      (delivery: { pr_number: number | null }) => delivery.pr_number,
    )
    expect(delivered.filter((number: number | null) => number !== null)).toEqual([1])
    const root = (await signInWithToken(app, tokenOf('root'))).bearer
    // Runs that wait under the old name fail, since no review can read that repository.
    expect(await reviewsOf(root)).toEqual([
      [repo, 1, 'Of the new one', 'pending'],
      [`${repo}@${formerId}`, 2, 'Of the former', 'failed'],
      [`${repo}@${formerId}`, 1, 'Of the former', 'failed'],
    ])

    await forge.removeRepository(repo)
    forge.renameRepository(`${repo}-former`, repo)
    expect(await scene.connect('alice', repo)).toMatchObject({ status: 200 })
    expect(await reviewsOf((await scene.signIn('alice')).bearer)).toEqual([
      [repo, 2, 'Of the former', 'failed'],
      [repo, 1, 'Of the former', 'failed'],
    ])
    expect(await reviewsOf(bob)).toEqual([])
  })

  it('case 26: hides reviews of the former repository in any spelling', async () => {
    const { forge, app } = scene
    const repo = await scene.createRepository({ private: true })
    const shouted = repo.replace('acme', 'ACME')
    const deliver = async (name: string, title: string) => {
      const { webhookSecret: secret } = (await scene.readInstallations(repo)).at(-1)!
      expect(
        (await app.deliver(pullRequestPayload({ repo: name, number: 1, title }), { secret }))
          .status,
      ).toBe(200)
    }
    const listed = async () => {
      const { bearer } = await signInWithToken(app, tokenOf('root'))
      const response = await fetch(`${app.url}/api/v1/reviews?search=${repo}&limit=100`, {
        headers: bearer,
      })
      const entries = (await response.json()) as { repo_name: string; pr_title: string }[]
      return entries.map((entry) => `${entry.repo_name.split('@')[0]} ${entry.pr_title}`).toSorted()
    }
    /** Gives the name to another repository, which bob connects. */
    const takeOver = async () => {
      forge.renameRepository(repo, `${repo}-former`)
      await forge.createRepository(repo, { private: true, admins: ['bob'] })
      expect(await scene.connect('bob', repo)).toMatchObject({ status: 200 })
    }
    await scene.connect('alice', repo)
    for (const name of [repo, shouted]) await deliver(name, 'Of the former')
    await takeOver()
    for (const name of [repo, shouted]) await deliver(name, 'Of the new one')
    const all = [repo, shouted]
      .flatMap((name) => [`${name} Of the former`, `${name} Of the new one`])
      .toSorted()
    expect(await listed()).toEqual(all)

    // The former repository gets its name back with all its reviews, and loses it once more.
    await forge.removeRepository(repo)
    forge.renameRepository(`${repo}-former`, repo)
    expect(await scene.connect('alice', repo)).toMatchObject({ status: 200 })
    await deliver(shouted, 'Of the former')
    await takeOver()
    expect(await listed()).toEqual(all)
  })

  it('ends for all people once the repository connects under a new name', async () => {
    const { forge } = scene
    const repo = await scene.createRepository()
    for (const person of ['alice', 'bob'] as const) await scene.connect(person, repo)
    forge.renameRepository(repo, `${repo}-now`)
    expect((await scene.connect('bob', repo)).body).toEqual(alreadyConnected.body)
    expect(await scene.connect('bob', `${repo}-now`)).toMatchObject({ status: 200 })
    expect(await scene.readInstallations(repo)).toMatchObject([
      { isActive: false },
      { isActive: false },
    ])
    const [record] = await scene.readInstallations(`${repo}-now`)
    expect(forge.webhooks(`${repo}-now`)).toMatchObject([
      { id: record!.webhookId, secret: record!.webhookSecret },
    ])
    expect(await scene.connect('alice', `${repo}-now`)).toMatchObject({ status: 200 })
    expect(forge.webhooks(`${repo}-now`)).toHaveLength(1)
  })
})

describe('disconnecting', () => {
  it('removes the webhook, retains the record, and works only once', async () => {
    const repo = await scene.createRepository()
    expect(await scene.disconnect('alice', repo)).toEqual(notFound)
    await scene.connect('alice', repo)
    const disconnected = await scene.disconnect('alice', repo.toUpperCase())
    expect(disconnected).toEqual({ status: 200, body: { status: 'disconnected', repo } })
    expect(scene.forge.webhooks(repo)).toEqual([])
    expect(await scene.readInstallations(repo)).toMatchObject([
      { isActive: false, deactivatedAt: expect.any(Date) },
    ])
    expect(await scene.disconnect('alice', repo)).toEqual(notFound)
    expect(await auditOf(repo)).toEqual([
      { login: 'alice', action: 'repository_connected' },
      { login: 'alice', action: 'repository_disconnected' },
    ])
  })

  it('leaves its record unchanged when the repository connects again', async () => {
    const repo = await scene.createRepository()
    await scene.connect('alice', repo)
    const [old] = await scene.readInstallations(repo)
    await scene.disconnect('alice', repo)
    const again = await scene.connect('alice', repo)
    const records = await scene.readInstallations(repo)
    expect(records).toMatchObject([
      { id: old!.id, isActive: false, webhookSecret: old!.webhookSecret },
      { id: again.body.installation_id, isActive: true },
    ])
    expect(records[1]!.webhookSecret).not.toBe(old!.webhookSecret)
    expect(scene.forge.webhooks(repo)).toMatchObject([{ secret: records[1]!.webhookSecret }])
  })

  it.each([
    [
      'it is already gone',
      (repo: string) => scene.forge.removeWebhook(repo, scene.forge.webhooks(repo)[0]!.id),
    ],
    ['its repository is gone', (repo: string) => scene.forge.removeRepository(repo)],
    ['admin rights were lost', (repo: string) => scene.forge.setPermission(repo, 'alice', 'read')],
    [
      'the platform is not available',
      () =>
        scene.forge.faults.add({
          match: ({ method }) => method === 'DELETE',
          action: replyWith(503, 'no'),
        }),
    ],
  ])('succeeds when the webhook cannot be removed: %s', async (_name, happen) => {
    const repo = await scene.createRepository()
    await scene.connect('alice', repo)
    await happen(repo)
    expect(await scene.disconnect('alice', repo)).toEqual({
      status: 200,
      body: { status: 'disconnected', repo },
    })
    expect(await scene.readInstallations(repo)).toMatchObject([{ isActive: false }])
  })
})

describe('deliveries', () => {
  const payload = (repo: string, number: number) => pullRequestPayload({ repo, number })

  it('case 15: are ignored after all people have disconnected', async () => {
    const { app } = scene
    const repo = await scene.createRepository()
    await scene.connect('alice', repo)
    const [record] = await scene.readInstallations(repo)
    const secret = record!.webhookSecret
    expect((await app.deliver(payload(repo, 1), { secret })).body.status).toBe('received')
    await scene.disconnect('alice', repo)
    const ignored = {
      status: 200,
      body: { status: 'ignored', reason: 'The repository is disconnected' },
    }
    expect(await app.deliver(payload(repo, 2), { secret })).toEqual(ignored)
    // The secret of the deployment is refused too.
    expect(await app.deliver(payload(repo, 2))).toMatchObject({ status: 403 })
    const events = (await app.events()).filter(
      (event) => event.repo === repo && event.eventType !== 'ping',
    )
    expect(events).toMatchObject([{ prNumber: 1 }])
  })

  it('case 16: are accepted while one of several people is connected', async () => {
    const { app } = scene
    const repo = await scene.createRepository()
    await scene.connect('alice', repo)
    await scene.connect('bob', repo)
    const secret = (await scene.readInstallations(repo))[0]!.webhookSecret
    await scene.disconnect('alice', repo)
    expect((await app.deliver(payload(repo, 1), { secret })).body.status).toBe('received')
    expect(await app.deliver(payload(repo, 2))).toMatchObject({ status: 403 })
  })
})
