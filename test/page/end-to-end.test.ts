// End-to-end tests in a browser: by mouse, by keyboard, and with OAuth sign-in.
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
/** The default branch, and a change that breaks a call in another file. */
const files = {
  'src/price.ts': 'export function priceOf(count: number): number {\n  return count * 2\n}\n',
  'src/cart.ts': "import { priceOf } from './price.ts'\n\nexport const least = priceOf(1)\n",
}
const price =
  'export function priceOf(count: number, rate: number): number {\n  return count * rate\n}\n'
/** A line that the static reviewer reports. */
const leak = `export const key = 'sk_${'live'}_51Hq2eKLmV9wXyZ8rT4uBnC7dPfGjA3sa'\n`

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

/** Creates an unconnected repository that alice administers. */
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

/** Requests that are in flight when a repository is disconnected can fail with 403. */
function isNotForbiddenRequest(problem: string): boolean {
  return !/^Failed to load resource: .* 403 /.test(problem)
}

/** The text or label of the focused element. */
function readFocusedText(page: Page): Promise<string> {
  return page.evaluate(
    '(document.activeElement.ariaLabel ?? document.activeElement.textContent)' +
      ".replace(/\\s+/g, ' ').trim()",
  )
}

/** Presses a key until an element with the text has a visible focus. */
async function pressTo(page: Page, text: RegExp, key = 'Tab'): Promise<void> {
  const visited: string[] = []
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press(key)
    const focused = await readFocusedText(page)
    visited.push(focused.slice(0, 40))
    if (!text.test(focused)) continue
    expect(await page.evaluate(showsFocus), `visible focus on ${text}`).toBe(true)
    return
  }
  throw new Error(`The focus never reached ${text}, only ${visited.join(' | ')}`)
}

/** Script: whether the focused element has an outline or is a highlighted menu item. */
const showsFocus = `(() => {
  const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement)
  const hasOutline = outlineStyle !== 'none' && outlineWidth !== '0px'
  return hasOutline || document.activeElement.hasAttribute('data-highlighted')
})()`

describe('from sign-in to disconnecting', { timeout: 180_000 }, () => {
  it('shows a new review with its finding, without a reload', async () => {
    const repo = await createRepository('mouse')
    await using opened = await openPage(browser, { url: app.url })
    const { page, problems } = opened
    await page.goto('/')
    await page.getByLabel(/Personal access token/).fill(token)
    await page.getByRole('button', { name: /Sign in with/ }).click()
    await page.evaluate('window.sameDocument = true')
    await page.getByRole('link', { name: 'Repositories', exact: true }).click()
    await page.getByRole('button', { name: `Connect ${repo}` }).click()
    await page.getByRole('listitem').filter({ hasText: repo }).getByText('Scanned').waitFor()
    const pages = page.getByRole('navigation', { name: 'Pages', exact: true })
    await pages.getByRole('link', { name: 'Reviews', exact: true }).click()
    await openPullRequest(repo, 'Take payments')
    const entry = page
      .getByRole('list', { name: 'Reviews', exact: true })
      .getByRole('listitem')
      .filter({ hasText: repo })
    await entry.getByText('Changes requested').waitFor()
    expect(await entry.textContent()).toMatch(/critical 2/)
    await entry.getByRole('link', { name: 'Take payments', exact: true }).click()
    await page.getByRole('article', { name: /^Finding: A live Stripe key/ }).waitFor()
    const line = page.locator('details', { hasText: 'src/key.ts' }).locator('tr:has(+ tr article)')
    expect(await line.textContent()).toMatch(/^1\s*export const key/)
    const impact = await page
      .locator('section', { has: page.getByRole('heading', { name: 'Impact', exact: true }) })
      .textContent()
    await saveScreenshot(page, 'review-with-impact', viewports[0]!)
    expect(impact).toContain('1 caller outside this change, and no test covers it')
    expect(impact).toContain('priceOf signature changed is called insrc/cart.ts:3')
    const use = page.getByRole('link', { name: 'src/cart.ts:3', exact: true }).last()
    expect(await use.getAttribute('href')).toMatch(/\/blob\/\w{40}\/src\/cart\.ts#L3$/)
    await page.getByRole('link', { name: 'Repositories', exact: true }).click()
    await page.getByRole('link', { name: repo, exact: true }).click()
    const panelOf = (name: string) => page.locator('section', { hasText: name })
    await panelOf('Last reviews').getByText('Changes requested', { exact: true }).waitFor()
    await panelOf('Most findings').getByRole('link', { name: 'src/key.ts' }).click()
    await page.getByRole('link', { name: 'A live Stripe key is hardcoded', exact: true }).waitFor()
    await page.getByRole('link', { name: 'Repositories', exact: true }).click()
    await page.getByRole('button', { name: `Disconnect ${repo}` }).click()
    await page
      .getByRole('alertdialog')
      .getByRole('button', { name: 'Disconnect', exact: true })
      .click()
    await page.getByRole('button', { name: `Connect ${repo}` }).waitFor()
    await expect.poll(() => forge.webhooks(repo)).toEqual([])
    expect(await page.evaluate('window.sameDocument')).toBe(true)
    expect(problems.filter(isNotForbiddenRequest)).toEqual([])
  })

  it('works by keyboard alone and never loses the focus', async () => {
    const repo = await createRepository('keys')
    await using opened = await openPage(browser, { url: app.url })
    const { page, problems } = opened
    await page.goto('/')
    await page.getByLabel(/Personal access token/).waitFor()
    await pressTo(page, /^Sign in with GitHub/)
    await page.keyboard.press('Tab')
    await page.keyboard.type(token)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Reviews', exact: true }).waitFor()

    await pressTo(page, /^Skip to content$/)
    await pressTo(page, /^Repositories$/)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: `Connect ${repo}` }).waitFor()
    // The focus continues from the content, not from the start of the page.
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('main')
    await pressTo(page, new RegExp(`^Connect ${repo}$`))
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: `Disconnect ${repo}` }).waitFor()

    await openPullRequest(repo, 'Take payments by key')
    await pressTo(page, /^Reviews$/, 'Shift+Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Take payments by key', exact: true }).waitFor()
    await pressTo(page, /^Take payments by key$/)
    await page.keyboard.press('Enter')
    await page
      .getByRole('article', { name: /^Finding: / })
      .first()
      .waitFor()
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('main')
    await pressTo(page, /^critical.*Stripe key/)
    await page.keyboard.press('Enter')
    await expect.poll(() => readFocusedText(page)).toMatch(/^Finding: /)

    await pressTo(page, /^Repositories$/, 'Shift+Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: `Disconnect ${repo}` }).waitFor()
    await pressTo(page, new RegExp(`^Disconnect ${repo}$`))
    await page.keyboard.press('Enter')
    await page.getByRole('alertdialog').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('alertdialog').waitFor({ state: 'detached' })
    await expect.poll(() => readFocusedText(page)).toMatch(new RegExp(`^Disconnect ${repo}$`))
    await page.keyboard.press('Enter')
    await page.getByRole('alertdialog').waitFor()
    await pressTo(page, /^Disconnect$/)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: `Connect ${repo}` }).waitFor()
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('main')
    expect(problems.filter(isNotForbiddenRequest)).toEqual([])
  })
})

describe('OAuth sign-in', () => {
  it('returns to the requested page, and signs out', async () => {
    forge.signInAs('alice')
    await using opened = await openPage(browser, { url: app.url })
    const { page, problems } = opened
    await page.goto('/settings?tab=tokens')
    await page.getByRole('link', { name: /^Sign in with GitHub/ }).click()
    await page.getByRole('heading', { name: 'Settings', exact: true }).waitFor()
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/settings?tab=tokens')
    await page.getByRole('button', { name: /alice/ }).waitFor()
    await pressTo(page, /alice/)
    await page.keyboard.press('Enter')
    await page.getByRole('menu').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('menu').waitFor({ state: 'detached' })
    await expect.poll(() => readFocusedText(page)).toMatch(/alice/)
    await page.keyboard.press('Enter')
    await pressTo(page, /^Sign out$/, 'ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Sign in to Umpire', exact: true }).waitFor()
    await page.goto('/settings')
    await page.getByRole('heading', { name: 'Sign in to Umpire', exact: true }).waitFor()
    expect(problems).toEqual([])
  })

  it('shows an error when the user cancels', async () => {
    forge.signInAs('alice')
    forge.denyNextSignIn()
    await using opened = await openPage(browser, { url: app.url })
    const { page } = opened
    await page.goto('/reviews')
    await page.getByRole('link', { name: /^Sign in with GitHub/ }).click()
    await page.getByRole('alert').getByText('The sign-in was canceled on GitHub').waitFor()
    await page.getByRole('link', { name: /^Sign in with GitHub/ }).click()
    await page.getByRole('heading', { name: 'Reviews', exact: true }).waitFor()
  })

  it('returns to the same page after the session has ended', async () => {
    forge.signInAs('alice')
    await using opened = await openPage(browser, { url: app.url })
    const { page, problems } = opened
    await page.goto('/reviews')
    await page.getByRole('link', { name: /^Sign in with GitHub/ }).click()
    await page.getByRole('heading', { name: 'Reviews', exact: true }).waitFor()
    await page.getByRole('link', { name: 'Settings', exact: true }).click()
    await page.getByRole('heading', { name: 'Settings', exact: true }).waitFor()
    const [session] = (await page.context().cookies()).filter(({ name }) => name === 'access_token')
    const cookie = `access_token=${session?.value}`
    expect(
      (await fetch(`${app.url}/auth/logout`, { method: 'POST', headers: { cookie } })).ok,
    ).toBe(true)
    // The page may have noticed by itself, so no link of it is certain to be there.
    await page.reload()
    await page.getByRole('heading', { name: 'Sign in to Umpire', exact: true }).waitFor()
    await page.getByLabel(/Personal access token/).fill(token)
    await page.getByRole('button', { name: /Sign in with/ }).click()
    await page.getByRole('heading', { name: 'Settings', exact: true }).waitFor()
    expect(problems).toEqual([])
  })
})

describe.each(viewports)('at a width of $width, dark: $dark', (view) => {
  it('the deliveries page is accessible and links to reviews', async () => {
    forge.signInAs('alice')
    await using opened = await openPage(browser, { url: app.url, ...view })
    const { page, problems } = opened
    await page.goto('/reviews')
    await page.getByRole('link', { name: /^Sign in with GitHub/ }).click()
    await page.getByRole('button', { name: /alice/ }).click()
    await page.getByRole('menuitem', { name: 'Webhook deliveries', exact: true }).click()
    const first = page.getByRole('listitem').filter({ hasText: 'Opened' }).first()
    await first.getByText('Reviewed', { exact: true }).waitFor()
    await saveScreenshot(page, 'deliveries', view)
    expect(await findAccessibilityProblems(page)).toEqual([])
    await page.getByLabel('State').selectOption('Failed')
    await page.getByText('No deliveries match your filters').waitFor()
    await page.getByLabel('State').selectOption('Reviewed')
    expect(await first.getByRole('link', { name: /^#/ }).getAttribute('href')).toMatch(
      /^\/reviews\/\d+$/,
    )
    expect(problems).toEqual([])
  })
})
