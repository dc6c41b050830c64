// Whole walks through the page in a real browser: with the mouse, with the keyboard alone, through the platform's sign-in.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findFreePort } from '../../demo/service-environment.ts'
import { type Forge, startForge } from '../fakes/forge/forge.ts'
import { forgeEnvironment, reviewerLogin, reviewerToken } from '../review-scenario.ts'
import { startTestApp, type TestApp } from '../start-app.ts'
import {
  findAccessibilityProblems,
  openPage,
  saveScreenshot,
  startBrowser,
  viewports,
} from './open-page.ts'

const token = 'ghp_token_of_alice'
/** What the default branch has, and what a change does to it: a call elsewhere doesn't fit any more. */
const files = {
  'src/price.ts': 'export function priceOf(count: number): number {\n  return count * 2\n}\n',
  'src/cart.ts': "import { priceOf } from './price.ts'\n\nexport const least = priceOf(1)\n",
}
const price =
  'export function priceOf(count: number, rate: number): number {\n  return count * rate\n}\n'
/** A line that the static reviewer reports. */
const leak = `export const key = 'sk_${'live'}_51Hq2eKLmV9wXyZ8rT4uBnC7dPfGjA3sa'\n`

const patience = { timeout: 30_000 }

let forge: Forge
let app: TestApp
let browser: Browser
beforeAll(async () => {
  browser = await startBrowser()
  forge = await startForge()
  forge.createUser('alice', { token })
  forge.createUser(reviewerLogin, { token: reviewerToken })
  const port = await findFreePort(0)
  const publicUrl = `http://127.0.0.1:${port}`
  const { clientId, clientSecret } = forge.createOAuthApp({
    callbackUrl: `${publicUrl}/auth/callback`,
  })
  app = await startTestApp({
    env: {
      ...forgeEnvironment(forge),
      PORT: String(port),
      PUBLIC_URL: publicUrl,
      OAUTH_CLIENT_ID: clientId,
      OAUTH_CLIENT_SECRET: clientSecret,
    },
  })
})
afterAll(async () => {
  await browser?.close()
  await app?.[Symbol.asyncDispose]()
  await forge?.[Symbol.asyncDispose]()
})

/** A repository that alice administers and nobody connected. */
async function createRepository(name: string): Promise<string> {
  const repo = `acme/${name}`
  await forge.createRepository(repo, { admins: ['alice'], writers: [reviewerLogin] })
  await forge.push(repo, 'main', files, { author: 'alice' })
  return repo
}

async function openPullRequest(repo: string, title: string): Promise<void> {
  await forge.push(
    repo,
    'topic',
    { 'src/key.ts': leak, 'src/price.ts': price },
    { author: 'alice', message: title },
  )
  await forge.openPullRequest({ repo, head: 'topic', author: 'alice', title })
}

/** What is asked about a repository in the moment in which it is disconnected is refused, and the browser tells of that. */
function isNoRefusal(complaint: string): boolean {
  return !/^Failed to load resource: .* 403 /.test(complaint)
}

/** What the keyboard is on, by its words. */
function focused(page: Page): Promise<string> {
  return page.evaluate(
    "(document.activeElement.ariaLabel ?? document.activeElement.textContent).replace(/\\s+/g, ' ').trim()",
  )
}

/** Presses a key until it is on something with these words, which has to be seen. */
async function pressTo(page: Page, words: RegExp, key = 'Tab'): Promise<void> {
  const met: string[] = []
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press(key)
    const here = await focused(page)
    met.push(here.slice(0, 40))
    if (!words.test(here)) continue
    expect(await page.evaluate(showsFocus), `a ring around ${words}`).toBe(true)
    return
  }
  throw new Error(`The keyboard never came to ${words}, but to ${met.join(' | ')}`)
}

/** Whether the browser draws where the keyboard is: a ring, or the colour of a chosen entry of a menu. */
const showsFocus = `(() => {
  const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement)
  return (outlineStyle !== 'none' && outlineWidth !== '0px') || document.activeElement.hasAttribute('data-highlighted')
})()`

describe('from signing in to disconnecting', { timeout: 180_000 }, () => {
  it('with the mouse: the review arrives without a reload, its finding on its line', async () => {
    const repo = await createRepository('mouse')
    await using opened = await openPage(browser, { url: app.url })
    const { page, problems: complaints } = opened
    await page.goto('/')
    await page.getByLabel(/Personal access token/).fill(token)
    await page.getByRole('button', { name: /Sign in with/ }).click()
    await page.evaluate('window.sameDocument = true')
    await page.getByRole('link', { name: 'Repositories' }).click()
    await page.getByRole('button', { name: `Connect ${repo}` }).click()
    await page.getByRole('listitem').filter({ hasText: repo }).getByText('Scanned').waitFor()
    await page.getByRole('link', { name: 'Reviews', exact: true }).click()
    await openPullRequest(repo, 'Take payments')
    const entry = page
      .getByRole('list', { name: 'Reviews' })
      .getByRole('listitem')
      .filter({ hasText: repo })
    await entry.getByText('Request changes').waitFor()
    await entry.getByText('2 critical').waitFor()
    await entry.getByRole('link', { name: 'Take payments' }).click()
    await page.getByRole('article', { name: /^Finding: A live Stripe key/ }).waitFor()
    const line = page.locator('details', { hasText: 'src/key.ts' }).locator('tr:has(+ tr article)')
    expect(await line.textContent()).toMatch(/^1\s*export const key/)
    const reach = await page
      .locator('section', { has: page.getByRole('heading', { name: 'Reach' }) })
      .textContent()
    await saveScreenshot(page, 'review-with-reach', viewports[0]!)
    expect(reach).toContain('1 caller outside this diff, no test')
    expect(reach).toContain('priceOf signature changed is called insrc/cart.ts:3')
    await page.getByRole('link', { name: 'Repositories' }).click()
    await page.getByRole('button', { name: `Disconnect ${repo}` }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Disconnect' }).click()
    await page.getByRole('button', { name: `Connect ${repo}` }).waitFor()
    await expect.poll(() => forge.webhooks(repo), patience).toEqual([])
    expect(await page.evaluate('window.sameDocument')).toBe(true)
    expect(complaints.filter(isNoRefusal)).toEqual([])
  })

  it('with the keyboard alone: what it is on is seen, and it is never lost', async () => {
    const repo = await createRepository('keys')
    await using opened = await openPage(browser, { url: app.url })
    const { page, problems: complaints } = opened
    await page.goto('/')
    await page.getByLabel(/Personal access token/).waitFor()
    await pressTo(page, /^Sign in at /)
    await page.keyboard.press('Tab')
    await page.keyboard.type(token)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Reviews', exact: true }).waitFor()

    await pressTo(page, /^Skip to the content$/)
    await pressTo(page, /^Repositories$/)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: `Connect ${repo}` }).waitFor()
    // It goes on from the content, not from the beginning of the page.
    await expect.poll(() => page.evaluate('document.activeElement.id'), patience).toBe('main')
    await pressTo(page, new RegExp(`^Connect ${repo}$`))
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: `Disconnect ${repo}` }).waitFor()

    await openPullRequest(repo, 'Take payments by key')
    await pressTo(page, /^Reviews$/, 'Shift+Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Take payments by key' }).waitFor()
    await pressTo(page, /^Take payments by key$/)
    await page.keyboard.press('Enter')
    await page
      .getByRole('article', { name: /^Finding: / })
      .first()
      .waitFor()
    await expect.poll(() => page.evaluate('document.activeElement.id'), patience).toBe('main')
    await pressTo(page, /^critical/)
    await page.keyboard.press('Enter')
    await pressTo(page, /^Show it in the diff$/)
    await page.keyboard.press('Enter')
    await expect.poll(() => focused(page), patience).toMatch(/^Finding: /)

    await pressTo(page, /^Repositories$/, 'Shift+Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: `Disconnect ${repo}` }).waitFor()
    await pressTo(page, new RegExp(`^Disconnect ${repo}$`))
    await page.keyboard.press('Enter')
    await page.getByRole('alertdialog').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('alertdialog').waitFor({ state: 'detached' })
    await expect.poll(() => focused(page), patience).toMatch(new RegExp(`^Disconnect ${repo}$`))
    await page.keyboard.press('Enter')
    await page.getByRole('alertdialog').waitFor()
    await pressTo(page, /^Disconnect$/)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: `Connect ${repo}` }).waitFor()
    await expect.poll(() => page.evaluate('document.activeElement.id'), patience).toBe('main')
    expect(complaints.filter(isNoRefusal)).toEqual([])
  })
})

describe('signing in at the platform', () => {
  it('leads to where one wanted to be, and out again', async () => {
    forge.signInAs('alice')
    await using opened = await openPage(browser, { url: app.url })
    const { page, problems: complaints } = opened
    await page.goto('/settings?tab=tokens')
    await page.getByRole('link', { name: /^Sign in at / }).click()
    await page.getByRole('heading', { name: 'Settings' }).waitFor()
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/settings?tab=tokens')
    await pressTo(page, /alice/)
    await page.keyboard.press('Enter')
    await page.getByRole('menu').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('menu').waitFor({ state: 'detached' })
    await expect.poll(() => focused(page), patience).toMatch(/alice/)
    await page.keyboard.press('Enter')
    await pressTo(page, /^Sign out$/, 'ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Sign in to Umpire' }).waitFor()
    await page.goto('/settings')
    await page.getByRole('heading', { name: 'Sign in to Umpire' }).waitFor()
    expect(complaints).toEqual([])
  })

  it('is told of when the platform refuses', async () => {
    forge.signInAs('alice')
    forge.denyNextSignIn()
    await using opened = await openPage(browser, { url: app.url })
    const { page } = opened
    await page.goto('/reviews')
    await page.getByRole('link', { name: /^Sign in at / }).click()
    await page.getByRole('alert').getByText('The sign-in was cancelled at the platform').waitFor()
    await page.getByRole('link', { name: /^Sign in at / }).click()
    await page.getByRole('heading', { name: 'Reviews', exact: true }).waitFor()
  })

  it('once more after the session has ended elsewhere, back to where one was', async () => {
    forge.signInAs('alice')
    await using opened = await openPage(browser, { url: app.url })
    const { page, problems: complaints } = opened
    await page.goto('/reviews')
    await page.getByRole('link', { name: /^Sign in at / }).click()
    await page.getByRole('heading', { name: 'Reviews', exact: true }).waitFor()
    const [session] = (await page.context().cookies()).filter(({ name }) => name === 'access_token')
    const cookie = `access_token=${session?.value}`
    expect(
      (await fetch(`${app.url}/auth/logout`, { method: 'POST', headers: { cookie } })).ok,
    ).toBe(true)
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('heading', { name: 'Sign in to Umpire' }).waitFor()
    await page.getByLabel(/Personal access token/).fill(token)
    await page.getByRole('button', { name: /Sign in with/ }).click()
    await page.getByRole('heading', { name: 'Settings' }).waitFor()
    expect(complaints).toEqual([])
  })
})

describe.each(viewports)('at a width of $width, dark: $dark', (view) => {
  it('the deliveries keep nobody out, and lead to their reviews', async () => {
    forge.signInAs('alice')
    await using opened = await openPage(browser, { url: app.url, ...view })
    const { page, problems: complaints } = opened
    await page.goto('/reviews')
    await page.getByRole('link', { name: /^Sign in at / }).click()
    await page.getByRole('link', { name: 'All deliveries' }).click()
    const first = page.getByRole('listitem').filter({ hasText: 'pull_request.opened' }).first()
    await first.getByText('reviewed').waitFor()
    await saveScreenshot(page, 'deliveries', view)
    expect(await findAccessibilityProblems(page)).toEqual([])
    await page.getByLabel('State').selectOption('Failed')
    await page.getByText('No delivery fits').waitFor()
    await page.getByLabel('State').selectOption('Reviewed')
    expect(await first.getByRole('link', { name: /^#/ }).getAttribute('href')).toMatch(
      /^\/reviews\/\d+$/,
    )
    expect(complaints).toEqual([])
  })
})
