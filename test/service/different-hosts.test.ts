// One deployment that serves code hosts of different kinds, on which the same names are in use.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startReverseProxy } from '../connect-scenario.ts'
import type { DialectName } from '../fakes/forge/dialect.ts'
import { type Forge, startForge } from '../fakes/forge/forge.ts'
import { reviewerLogin, waitUntilSettled } from '../review-scenario.ts'
import { type SignedInUser, signInWithToken } from '../sign-in.ts'
import { startTestApp, type TestApp } from '../start-app.ts'

const repo = 'acme/shop'
/** The first one has the variables without an id, and its repositories names without a host. */
const kinds = ['github', 'gitea', 'gitlab'] as const
type Kind = (typeof kinds)[number]

const nameAt: Readonly<Record<Kind, string>> = {
  github: repo,
  gitea: `${repo}@gitea`,
  gitlab: `${repo}@gitlab`,
}
const tokenAt: Readonly<Record<Kind, string>> = {
  github: 'ghp_0123456789012345678901234567890123456789',
  gitea: 'abcdef0123456789abcdef0123456789abcdef01',
  gitlab: 'glpat-9876543210abcdefghij',
}
/** A line that the static reviewer reports. */
const flaw = 'export const isBad = (one: number) => one === NaN\n'

let stack: AsyncDisposableStack
let forges: Record<Kind, Forge>
let app: TestApp
let people: Record<Kind, SignedInUser>

beforeAll(async () => {
  stack = new AsyncDisposableStack()
  const front = stack.use(await startReverseProxy())
  forges = await forEachKind(async (kind) => stack.use(await startShop(kind)))
  const variables = kinds.map((kind, index) => {
    const end = index === 0 ? '' : `_${kind.toUpperCase()}`
    const { url, apiUrl } = forges[kind]
    return { [`PLATFORM_URL${end}`]: url, [`PLATFORM_API_URL${end}`]: apiUrl }
  })
  const env = {
    PLATFORMS: kinds.join(', '),
    ...Object.assign({}, ...variables),
    PLATFORM_WRITES_PER_MINUTE: '0',
    PLATFORM_NOTICES_PER_HOUR: '0',
    MEMORY: 'off',
    GRAPH: 'off',
    PUBLIC_URL: front.url,
  }
  app = stack.use(await startTestApp({ env }))
  front.forwardTo(app.url)
  people = await forEachKind((kind) =>
    signInWithToken(app, tokenAt[kind], kind === 'github' ? undefined : kind),
  )
})
afterAll(() => stack.disposeAsync())

/** One after the other, because the first account becomes the administrator. */
async function forEachKind<T>(make: (kind: Kind) => Promise<T>): Promise<Record<Kind, T>> {
  const made: Partial<Record<Kind, T>> = {}
  for (const kind of kinds) made[kind] = await make(kind)
  return made as Record<Kind, T>
}

async function startShop(kind: DialectName & Kind): Promise<Forge> {
  const forge = await startForge({ dialect: kind })
  forge.createUser(reviewerLogin, { token: tokenAt[kind] })
  forge.createUser('alice')
  await forge.createRepository(repo)
  forge.setPermission(repo, reviewerLogin, 'admin')
  forge.setPermission(repo, 'alice', 'write')
  await forge.push(repo, 'main', { 'README.md': '# Shop\n' }, { author: 'alice' })
  return forge
}

async function ask(kind: Kind, path: string, method = 'GET') {
  const response = await fetch(app.url + path, { method, headers: people[kind].bearer })
  // biome-ignore lint/suspicious/noExplicitAny: looked at by the test
  return { status: response.status, body: (await response.json()) as any }
}

describe('hosts of different kinds', () => {
  it('are each named as their own', async () => {
    const { body } = await ask('gitlab', '/auth/me')
    expect(body.hosts.map((one: { id: string; name: string }) => [one.id, one.name])).toEqual([
      ['github', 'GitHub'],
      ['gitea', 'Gitea'],
      ['gitlab', 'GitLab'],
    ])
  })

  it('have their repositories connected and reviewed at their own host', async () => {
    for (const kind of kinds) {
      const [owner, name] = nameAt[kind].split('/')
      const path = `/api/v1/repos/${owner}/${encodeURIComponent(name!)}/install`
      expect(await ask(kind, path, 'POST')).toMatchObject({ body: { repo: nameAt[kind] } })
      const ids = forges[kind].webhooks(repo).map(({ url }) => new URL(url).pathname)
      expect(ids).toEqual([`/api/v1/webhooks/${kind === 'github' ? 'host' : kind}`])
    }
    for (const kind of kinds) {
      const change = { [`src/${kind}.ts`]: flaw }
      await forges[kind].push(repo, 'topic', change, { author: 'alice' })
      await forges[kind].openPullRequest({ repo, head: 'topic', author: 'alice', title: kind })
      const isDelivered = () =>
        forges[kind].deliveries.some(({ repo: at, status }) => at === repo && status === 200)
      await forges[kind].waitFor(isDelivered, { description: 'the answer to its delivery' })
    }
    await waitUntilSettled(app)
    for (const kind of kinds) {
      const { comments, inlineComments } = forges[kind].pullRequest(repo, 1)
      const ours = comments.filter(({ author }) => author === reviewerLogin)
      expect(ours.map(({ body }) => body)).toEqual([expect.stringContaining('Needs a person')])
      expect(inlineComments.map(({ path }) => path)).toEqual([`src/${kind}.ts`])
    }
  })

  it('list their reviews to their own people, and all to the administrator', async () => {
    const list = async (kind: Kind) => {
      const { body } = await ask(kind, '/api/v1/reviews')
      return body.map((one: { repo_name: string }) => one.repo_name).toSorted()
    }
    expect(await list('github')).toEqual(Object.values(nameAt).toSorted())
    expect(await list('gitea')).toEqual([nameAt.gitea])
    expect(await list('gitlab')).toEqual([nameAt.gitlab])
  })

  it('see no token and no secret of another one', () => {
    for (const kind of kinds) {
      const seen = forges[kind].requests.map(readRequest)
      expect(seen.some((text) => text.includes(tokenAt[kind]))).toBe(true)
      for (const other of kinds.filter((one) => one !== kind)) {
        const secrets = [tokenAt[other], ...forges[other].webhooks(repo).map((one) => one.secret)]
        for (const secret of secrets)
          expect(seen.filter((text) => text.includes(secret))).toEqual([])
      }
    }
  })
})

/** The request as text, with the token that git sends encoded. */
function readRequest(request: Forge['requests'][number]): string {
  const [, basic = ''] = /^Basic (.*)$/i.exec(String(request.headers.authorization)) ?? []
  return JSON.stringify(request) + Buffer.from(basic, 'base64').toString()
}
