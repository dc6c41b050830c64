// A scenario with a forge, Umpire and users who connect repositories.

import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from 'kysely'
import type { Row } from '../src/db/schema.ts'
import { type Forge, startForge } from './fakes/forge/forge.ts'
import { forgeEnvironment, reviewerLogin, reviewerToken } from './review-scenario.ts'
import { type SignedInUser, signInWithToken } from './sign-in.ts'
import { type StartOptions, startTestApp, type TestApp } from './start-app.ts'

/** Alice and bob administer the repositories, carol can write to them. */
export type Person = 'alice' | 'bob' | 'carol'

export const tokenOf = (person: Person | 'root') => `ghp_token_of_${person}`

export interface ApiResponse {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: looked at by tests
  readonly body: any
}

export interface ConnectScenario extends AsyncDisposable {
  readonly forge: Forge
  readonly app: TestApp
  /** Creates a repository for one test. */
  createRepository(options?: { private?: boolean; description?: string }): Promise<string>
  connect(person: Person, repo: string): Promise<ApiResponse>
  disconnect(person: Person, repo: string): Promise<ApiResponse>
  /** Sends a request with a user's bearer token. */
  /** @param body sent as JSON */
  request(person: Person, path: string, method?: string, body?: object): Promise<ApiResponse>
  /** Signs in again after a test revoked tokens. */
  signIn(person: Person): Promise<SignedInUser>
  /** Returns all records of a repository, oldest first. */
  readInstallations(repo: string): Promise<InstallationRecord[]>
}

export type InstallationRecord = Pick<
  Row<'installations'>,
  | ('id' | 'userId' | 'repoFullName' | 'webhookId' | 'webhookSecret')
  | ('isActive' | 'deactivatedAt')
>

/** Starts the forge and Umpire and signs all users in. */
export async function startConnectScenario(options: StartOptions = {}): Promise<ConnectScenario> {
  await using stack = new AsyncDisposableStack()
  const forge = stack.use(await startForge())
  for (const login of ['root', 'alice', 'bob', 'carol'] as const)
    forge.createUser(login, { token: tokenOf(login) })
  forge.createUser(reviewerLogin, { token: reviewerToken })
  const front = stack.use(await startReverseProxy())
  const env = { ...forgeEnvironment(forge), PUBLIC_URL: front.url, ...options.env }
  const app = stack.use(await startTestApp({ ...options, env }))
  front.forwardTo(app.url)
  // The first account becomes an administrator.
  await signInWithToken(app, tokenOf('root'))
  const people = new Map<Person, SignedInUser>()
  const signIn = async (person: Person) => {
    const signedIn = await signInWithToken(app, tokenOf(person))
    people.set(person, signedIn)
    return signedIn
  }
  for (const person of ['alice', 'bob', 'carol'] as const) await signIn(person)
  const ask = async (
    person: Person,
    path: string,
    method = 'GET',
    body?: object,
  ): Promise<ApiResponse> => {
    const json = { 'content-type': 'application/json' }
    const response = await fetch(`${app.url}${path}`, {
      method,
      headers: { ...people.get(person)!.bearer, ...(body && json) },
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: await response.json() }
  }
  let repositories = 0
  const resources = stack.move()
  return {
    forge,
    app,
    request: ask,
    signIn,
    async createRepository(settings = {}) {
      const repo = `acme/shop-${++repositories}`
      const members = { admins: ['alice', 'bob'], writers: ['carol', reviewerLogin] }
      await forge.createRepository(repo, { ...settings, ...members })
      // Its first comparison with the forge would take faults that are meant for a review.
      const dueAt = sql<Date>`now() + interval '200 seconds'`
      await app.db.insertInto('reconciliations').values({ repo, dueAt }).execute()
      return repo
    },
    connect: (person, repo) => ask(person, `/api/v1/repos/${repo}/install`, 'POST'),
    disconnect: (person, repo) => ask(person, `/api/v1/repos/${repo}/install`, 'DELETE'),
    readInstallations: (repo) =>
      app.db
        .selectFrom('installations')
        .select([
          'id',
          'userId',
          'repoFullName',
          'webhookId',
          'webhookSecret',
          'isActive',
          'deactivatedAt',
        ])
        .where('repoFullName', '=', repo)
        .orderBy('id')
        .execute(),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** Starts a proxy whose public address is known before Umpire listens. */
export async function startReverseProxy() {
  let target = ''
  const server = createServer((incoming, outgoing) => {
    const { method, headers } = incoming
    const forwarded = request(new URL(incoming.url ?? '/', target), {
      method,
      headers,
      agent: false,
    })
    forwarded.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    forwarded.on('error', () => outgoing.destroy())
    incoming.pipe(forwarded)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    forwardTo: (url: string) => {
      target = url
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
