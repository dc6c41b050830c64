// A scenario for account tests: a forge with two users and a sign-in application, and Umpire.
import { type Browser, createBrowser } from './browser.ts'
import type { Forge } from './fakes/forge/forge.ts'
import { forgeEnvironment, startShopForge } from './review-scenario.ts'
import { type StartOptions, startTestApp, type TestApp } from './start-app.ts'

/** The `PUBLIC_URL` of Umpire in account tests. */
export const publicUrl = 'https://umpire.example'
export const secretKey = 'a secret key of the tests with 32 characters and more'
export const [aliceToken, bobToken] = ['ghp_token_of_alice', 'ghp_token_of_bob']

export interface AccountScenario extends AsyncDisposable {
  readonly forge: Forge
  readonly app: TestApp
  /** Creates a browser without cookies. */
  browser(): Browser
}

/** Starts a forge where alice and bob administer acme/shop. Returns Umpire's variables too. */
export async function startAccountForge(): Promise<{ forge: Forge; env: Record<string, string> }> {
  const forge = await startShopForge()
  forge.createUser('bob', { token: bobToken })
  forge.setPermission('acme/shop', 'bob', 'admin')
  const oauth = forge.createOAuthApp({ callbackUrl: `${publicUrl}/auth/callback` })
  const env = {
    ...forgeEnvironment(forge),
    PUBLIC_URL: publicUrl,
    SECRET_KEY: secretKey,
    OAUTH_CLIENT_ID: oauth.clientId,
    OAUTH_CLIENT_SECRET: oauth.clientSecret,
  }
  return { forge, env }
}

/** Starts the forge and Umpire, without a worker. */
export async function startAccountScenario(options: StartOptions = {}): Promise<AccountScenario> {
  await using stack = new AsyncDisposableStack()
  const { forge, env } = await startAccountForge()
  stack.use(forge)
  const parts = { web: true, worker: false }
  const app = stack.use(await startTestApp({ parts, ...options, env: { ...env, ...options.env } }))
  const resources = stack.move()
  return {
    forge,
    app,
    browser: () => createBrowser({ url: app.url, publicUrl }),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
