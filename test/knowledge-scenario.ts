// A scenario for code graph and memory tests: repositories that several users change.
import type { Forge } from './fakes/forge/forge.ts'
import { forgeEnvironment, startShopForge, waitUntilSettled } from './review-scenario.ts'
import { type SignedInUser, signInWithToken } from './sign-in.ts'
import { type StartOptions, startTestApp, type TestApp } from './start-app.ts'

const secret = 'a5'.repeat(32)

/** File contents with a flaw that reviews report. */
export const flaws = {
  critical: (name = 'a') =>
    `export const key = 'sk_${'live'}_51Hq2eKLmV9wXyZ8rT4uBnC7dPfGjA3s${name}'\n`,
  moderate: (name = 'item') =>
    `export const send = (list) => list.forEach(async (${name}) => { await post(${name}) })\n`,
}

export interface KnowledgeScenario extends AsyncDisposable {
  readonly forge: Forge
  readonly app: TestApp
  /** Creates a repository that olga connected, with files pushed by alice. */
  createRepository(files: Files): Promise<KnowledgeRepository>
  /** Signs a user in and creates the user if necessary. */
  signIn(login: string): Promise<SignedInUser>
}

export interface KnowledgeRepository {
  readonly name: string
  /** Opens a pull request from a new branch and waits until it is reviewed. Returns its number. */
  propose(...proposal: Proposal): Promise<number>
  /** Opens several in order and waits until all are reviewed. */
  proposeAll(proposals: readonly Proposal[]): Promise<number[]>
  /** Pushes to branches of proposed pull requests and waits until they are reviewed. */
  pushMore(...pushes: readonly (readonly [number: number, files: Files])[]): Promise<void>
  /** Requests another review of the same commit as olga and waits for it. */
  reviewAgain(number: number): Promise<void>
  /** Requests an endpoint of the repository as olga. Returns the JSON body. */
  // biome-ignore lint/suspicious/noExplicitAny: looked at by tests
  get(path: string, query?: string): Promise<any>
}

type Proposal = readonly [author: string, files: Files, options?: { title?: string; body?: string }]
type Files = Readonly<Record<string, string | null>>

/**
 * Starts the forge and Umpire. Reviews are posted as olga; alice, bob, carol and a bot are users.
 * Repositories count as scanned, so that tests define the code graph themselves.
 */
export async function startKnowledgeScenario(
  options: StartOptions = {},
): Promise<KnowledgeScenario> {
  await using stack = new AsyncDisposableStack()
  const forge = stack.use(await startShopForge())
  for (const login of ['olga', 'bob', 'carol']) forge.createUser(login, { token: tokenOf(login) })
  forge.createUser('helper[bot]', { type: 'Bot' })
  const env = { ...forgeEnvironment(forge), WEBHOOK_SECRET: secret, ...options.env }
  const app = stack.use(await startTestApp({ ...options, env }))
  const olga = await signInWithToken(app, tokenOf('olga'))
  let repositories = 0
  const resources = stack.move()
  return {
    forge,
    app,
    async createRepository(files) {
      const name = `acme/known-${++repositories}`
      await forge.createRepository(name, {
        admins: ['olga'],
        writers: ['alice', 'bob', 'carol', 'helper[bot]'],
      })
      await forge.push(name, 'main', files, { author: 'alice' })
      await connect(app, name, 'olga')
      forge.addWebhook(name, {
        url: `${app.url}/api/v1/webhooks/host`,
        secret,
        events: ['pull_request'],
      })
      return createRepositoryClient({ forge, app }, name, olga)
    },
    signIn: (login) => {
      forge.createUser(login, { token: tokenOf(login) })
      return signInWithToken(app, tokenOf(login))
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

function tokenOf(login: string): string {
  return `ghp_token_of_${login}`
}

/** Connects a repository without scanning it. */
async function connect({ db }: TestApp, name: string, login: string): Promise<void> {
  await db.insertInto('scans').values({ repo: name, status: 'completed' }).execute()
  const { id } = await db
    .selectFrom('users')
    .select('id')
    .where('login', '=', login)
    .executeTakeFirstOrThrow()
  const installation = {
    userId: id,
    repoFullName: name,
    webhookSecret: secret,
    isActive: true,
  }
  await db.insertInto('installations').values(installation).execute()
}

function createRepositoryClient(
  { forge, app }: { forge: Forge; app: TestApp },
  name: string,
  person: SignedInUser,
): KnowledgeRepository {
  const branches = new Map<number, { branch: string; author: string }>()
  const settled = async () => {
    const isAnswered = () => forge.deliveries.every((delivery) => delivery.status !== null)
    await forge.waitFor(isAnswered, { description: 'the answers to all deliveries' })
    await waitUntilSettled(app, 60_000)
  }
  const open = async (...[author, files, { title = 'A change', body = '' } = {}]: Proposal) => {
    const branch = `change-${branches.size + 1}`
    await forge.push(name, branch, files, { author, message: `Change on ${branch}` })
    const number = await forge.openPullRequest({ repo: name, head: branch, title, body, author })
    branches.set(number, { branch, author })
    return number
  }
  const proposeAll = async (proposals: readonly Proposal[]) => {
    const numbers: number[] = []
    for (const proposal of proposals) numbers.push(await open(...proposal))
    await settled()
    return numbers
  }
  return {
    name,
    proposeAll,
    propose: async (...proposal) => (await proposeAll([proposal]))[0] as number,
    async pushMore(...pushes) {
      for (const [number, files] of pushes) {
        const { branch, author } = branches.get(number) as { branch: string; author: string }
        await forge.push(name, branch, files, { author, message: `More on ${branch}` })
      }
      await settled()
    },
    async reviewAgain(number) {
      const headers = { ...person.cookie, ...person.bearer }
      const list = await fetch(`${app.url}/api/v1/reviews?search=${number}&limit=100`, { headers })
      const reviews = (await list.json()) as { id: number; repo_name: string; pr_number: number }[]
      const review = reviews.find((one) => one.repo_name === name && one.pr_number === number)
      const { status } = await fetch(`${app.url}/api/v1/reviews/${review?.id}/retry`, {
        method: 'POST',
        headers,
      })
      if (status !== 202) throw new Error(`The retry was answered with ${status}`)
      await waitUntilSettled(app, 60_000)
    },
    async get(path, query = '') {
      const headers = { ...person.cookie, ...person.bearer }
      const response = await fetch(
        `${app.url}/api/v1${path}?repo=${encodeURIComponent(name)}${query}`,
        { headers },
      )
      return response.json()
    },
  }
}
