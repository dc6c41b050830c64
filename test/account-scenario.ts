// A forge with two people and an application for sign-in, and Umpire beside it: what tests of accounts start from.
import { type Browser, createBrowser } from './browser.ts'
import type { Forge } from './fakes/forge/forge.ts'
import { forgeEnvironment, startShopForge } from './review-scenario.ts'
import { type StartOptions, startTestApp, type TestApp } from './start-app.ts'

/** Under what the tests of accounts reach Umpire. */
export const publicUrl = 'https://umpire.example'
export const secretKey = 'a secret key of the tests with 32 characters and more'
export const [aliceToken, bobToken] = ['ghp_token_of_alice', 'ghp_token_of_bob']

export interface AccountScenario extends AsyncDisposable {
  readonly forge: Forge
  readonly app: TestApp
  /** A new one, without cookies. */
  browser(): Browser
}

/** A forge with alice and bob, who both administer acme/shop, and what Umpire's environment says about it. */
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

/** Starts both, without a worker. */
export async function startAccountScenario(options: StartOptions = {}): Promise<AccountScenario> {
  await using stack = new AsyncDisposableStack()
  const { forge, env } = await startAccountForge()
  stack.use(forge)
  const parts = { web: true, worker: false }
  const app = stack.use(await startTestApp({ parts, ...options, env: { ...env, ...options.env } }))
  const held = stack.move()
  return {
    forge,
    app,
    browser: () => createBrowser({ url: app.url, publicUrl }),
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}
