// Tests sign-in with the App of a deployment, whose tokens expire and are renewed.
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { createUserTokens } from '../../src/workflows/connecting/user-tokens.ts'
import {
  type AccountScenario,
  aliceToken,
  publicUrl,
  startAccountScenario,
} from '../account-scenario.ts'
import { createAppAtForge } from '../app-scenario.ts'
import { followToCallback, locationOf } from '../browser.ts'
import { replyWith } from '../fakes/forge/forge.ts'
import { repo } from '../review-scenario.ts'
import { signInWithToken } from '../sign-in.ts'

const hour = 60 * 60_000

let scene: AccountScenario
beforeAll(async () => {
  scene = await startAccountScenario({ env: { OAUTH_CLIENT_ID: '', OAUTH_CLIENT_SECRET: '' } })
})
afterAll(() => scene[Symbol.asyncDispose]())
afterEach(() => {
  scene.forge.faults.clear()
  vi.useRealTimers()
})

/** Signs bob in with the App, in a browser with his session. */
async function signInBob() {
  scene.forge.signInAs('bob')
  const browser = scene.browser()
  const back = await followToCallback(browser)
  const response = await browser.open(back.href)
  expect([response.status, locationOf(response)]).toEqual([303, '/'])
  return browser
}

const renewals = () =>
  scene.forge.requests.filter(
    ({ path, body }) => path === '/login/oauth/access_token' && /refresh_token/.test(String(body)),
  )

/** Moves the clocks of the forge and of this process. */
function shiftClocks(milliseconds: number): void {
  scene.forge.shiftClock(milliseconds)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + milliseconds })
}

describe('signing in with the App', () => {
  it('is offered once there is an App, and needs no configuration', async () => {
    const browser = scene.browser()
    const options = async () => (await browser.open('/auth/options')).json()
    expect(await options()).toMatchObject({ oauth: false })
    expect((await browser.open('/auth/login')).status).toBe(404)
    const alice = await signInWithToken(scene.app, aliceToken)
    const back = await createAppAtForge(scene.forge, scene.app, alice, {
      organization: 'acme',
      as: 'alice',
    })
    const created = await fetch(scene.app.url + back, { headers: alice.cookie, redirect: 'manual' })
    expect(created.status).toBe(302)
    scene.forge.installApp('umpire-acme', 'acme', { repositories: [repo], by: 'alice' })
    expect(await options()).toMatchObject({ oauth: true })
    const authorize = new URL(locationOf(await browser.open('/auth/login')))
    expect(authorize.searchParams.get('redirect_uri')).toBe(`${publicUrl}/auth/callback`)
    const bob = await signInBob()
    expect(await (await bob.open('/auth/me')).json()).toMatchObject({ login: 'bob' })
  })

  it('renews an expired token once for all processes, and stores it encrypted', async () => {
    await signInBob()
    const before = renewals().length
    shiftClocks(9 * hour)
    const { userTokens, db } = scene.app.app.context
    const user = await db
      .selectFrom('users')
      .select(['id', 'encryptedToken'])
      .where('login', '=', 'bob')
      .executeTakeFirstOrThrow()
    const read = () => userTokens.read(user.id)
    const otherProcess = createUserTokens(scene.app.app.context)
    const all = await Promise.all([read(), otherProcess.read(user.id), read()])
    const [one] = all
    expect(one).toMatch(/^ghu_/)
    expect(new Set(all).size).toBe(1)
    expect(renewals().length).toBe(before + 1)
    const stored = await db
      .selectFrom('users')
      .select(['encryptedToken', 'tokenRenewalUntil'])
      .where('id', '=', user.id)
      .executeTakeFirstOrThrow()
    expect(stored.tokenRenewalUntil).toBe(null)
    expect(stored.encryptedToken).not.toEqual(user.encryptedToken)
    expect(stored.encryptedToken!.toString('latin1')).not.toMatch(/gh[ur]_/)
    expect(await read()).toBe(one)
    expect(renewals().length).toBe(before + 1)
  })

  it('asks to sign in again when the token can not be renewed any more', async () => {
    await signInBob()
    const { userTokens, db } = scene.app.app.context
    const { id } = await db
      .selectFrom('users')
      .select('id')
      .where('login', '=', 'bob')
      .executeTakeFirstOrThrow()
    shiftClocks(9 * hour)
    scene.forge.faults.add({
      match: ({ path }) => path === '/login/oauth/access_token',
      times: 1,
      action: replyWith(503),
    })
    // While the platform doesn't answer, the stored token stays.
    expect(await userTokens.read(id)).toMatch(/^ghu_/)
    scene.forge.faults.add({
      match: ({ path }) => path === '/login/oauth/access_token',
      action: replyWith(200, { error: 'bad_refresh_token' }),
    })
    expect(await userTokens.read(id)).toBe(undefined)
  })
})
