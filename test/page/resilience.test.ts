// Tests of the page under bad conditions in a browser: a slow network, offline, upgrades, no page.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ConnectScenario, startConnectScenario } from '../connect-scenario.ts'
import { waitUntilSettled } from '../review-scenario.ts'
import {
  findAccessibilityProblems,
  holdRequests,
  openPage,
  saveScreenshot,
  startBrowser,
  type Viewport,
  viewports,
} from './open-page.ts'

let scene: ConnectScenario
let browser: Browser
const title = 'Start the shop'

beforeAll(async () => {
  browser = await startBrowser()
  scene = await startConnectScenario({ env: { MEMORY: 'off', GRAPH: 'off' } })
  const repo = await scene.createRepository()
  await scene.forge.push(repo, 'main', { 'README.md': '# Shop\n' }, { author: 'alice' })
  await scene.connect('alice', repo)
  await scene.forge.push(repo, 'topic', { 'src/a.ts': 'export const a = 1\n' }, { author: 'alice' })
  await scene.forge.openPullRequest({ repo, head: 'topic', author: 'alice', title })
  await scene.forge.waitFor(() => scene.forge.deliveries.every(({ status }) => status !== null))
  await waitUntilSettled(scene.app)
})
afterAll(async () => {
  await browser?.close()
  await scene?.[Symbol.asyncDispose]()
})

async function open(view: Partial<Viewport> = {}) {
  const { session } = await scene.signIn('alice')
  return openPage(browser, { url: scene.app.url, session, ...view })
}

describe.each(viewports)('at a width of $width, dark: $dark', (view) => {
  it('shows a shell while scripts are loaded', async () => {
    await using opened = await open(view)
    const { page, problems } = opened
    const release = await holdRequests(page, /\/assets\/.*\.js$/)
    await page.goto('/reviews?tab=all', { waitUntil: 'commit' })
    await page.getByText('Umpire', { exact: true }).waitFor()
    await page.getByRole('status').getByText('Loading').waitFor({ state: 'attached' })
    // The elements are in the document before its style sheet has arrived.
    await expect
      .poll(() => page.evaluate('getComputedStyle(document.body).backgroundColor'))
      .toBe(view.dark ? 'rgb(12, 15, 20)' : 'rgb(247, 248, 250)')
    await saveScreenshot(page, 'shell', view)
    release()
    await page.getByRole('link', { name: title, exact: true }).waitFor()
    expect(problems).toEqual([])
  })

  it('has its own page for unknown addresses', async () => {
    await using opened = await open(view)
    const { page } = opened
    const response = await page.goto('/no/such/page')
    expect(response?.status()).toBe(404)
    await page.getByRole('heading', { name: 'Page not found', exact: true }).waitFor()
    await page.getByRole('navigation', { name: 'Pages', exact: true }).waitFor()
    await saveScreenshot(page, 'not-found', view)
    expect(await findAccessibilityProblems(page)).toEqual([])
    await page.getByRole('link', { name: 'Go to the reviews', exact: true }).click()
    await page.getByRole('heading', { name: 'Reviews', exact: true }).waitFor()
  })
})

it('says that updates stopped, and resumes them', async () => {
  await using opened = await open()
  const { page } = opened
  await page.route('**/api/v1/live', (route) => route.abort())
  await page.goto('/reviews?tab=all')
  await page.getByText('Updates stopped; reconnecting').waitFor()
  await page.getByRole('link', { name: title, exact: true }).waitFor()
  expect(await findAccessibilityProblems(page)).toEqual([])
  await page.unroute('**/api/v1/live')
  await page.getByText('Updates stopped; reconnecting').waitFor({ state: 'detached' })
})

it('keeps what it shows while it is offline', async () => {
  await using opened = await open()
  const { page } = opened
  await page.goto('/reviews?tab=all')
  const entry = page.getByRole('link', { name: title, exact: true })
  await entry.waitFor()
  await page.getByRole('button', { name: /alice/ }).waitFor()
  await page.evaluate('window.sameDocument = true')
  await page.context().setOffline(true)
  await page.getByText('You are offline. This is what was loaded last').waitFor()
  await entry.waitFor()
  await page.getByRole('link', { name: 'Insights', exact: true }).click()
  await page.getByText('This part of the page was not loaded yet').waitFor()
  await page.goBack()
  await entry.waitFor()
  await page.context().setOffline(false)
  await page.getByText('You are offline').first().waitFor({ state: 'detached' })
  expect(await page.evaluate('window.sameDocument')).toBe(true)
})

it('offers a reload after an upgrade removed a part of the page', async () => {
  await using opened = await open()
  const { page } = opened
  await page.goto('/reviews?tab=all')
  await page.getByRole('link', { name: title, exact: true }).waitFor()
  await page.evaluate('window.sameDocument = true')
  const settingsPart = '**/assets/settings-page-*.js'
  await page.route(settingsPart, (route) => route.fulfill({ status: 404, body: '' }))
  await page.getByRole('link', { name: 'Settings', exact: true }).click()
  await page.getByText('Umpire was updated', { exact: true }).waitFor()
  expect(await findAccessibilityProblems(page)).toEqual([])
  expect(await page.evaluate('window.sameDocument')).toBe(true)
  await page.unroute(settingsPart)
  await page.getByRole('button', { name: 'Reload', exact: true }).click()
  await page.getByRole('heading', { name: 'Settings', exact: true }).waitFor()
  expect(await page.evaluate('window.sameDocument')).toBeUndefined()
})

describe.each([false, true])('the API documentation, dark: %s', (dark) => {
  it('looks like the page and runs only our own files', async () => {
    await using opened = await open({ dark })
    const { page, problems } = opened
    await page.addInitScript(recordViolations)
    await page.goto('/docs')
    const operation = page.locator('.opblock').first()
    await operation.waitFor()
    await operation.locator('button').first().click()
    await operation.getByText('Responses', { exact: true }).first().waitFor()
    const color = await page.evaluate('getComputedStyle(document.body).backgroundColor')
    expect(color).toBe(dark ? 'rgb(12, 15, 20)' : 'rgb(247, 248, 250)')
    await saveScreenshot(page, 'docs', { width: 1280, dark })
    await page.locator('meta[name=viewport][content^="width=device-width"]').waitFor({
      state: 'attached',
    })
    expect(await page.evaluate('window.violations')).toEqual([])
    const unreadable = (await findAccessibilityProblems(page)).filter((problem) =>
      /^color-contrast: .*opblock-summary-method/.test(problem),
    )
    expect(unreadable).toEqual([])
    await page.getByRole('link', { name: 'Umpire', exact: true }).click()
    await page.getByRole('heading', { name: 'Reviews', exact: true }).waitFor()
    expect(problems).toEqual([])
  })
})

/** Runs in the browser. Records what the Content-Security-Policy blocks. */
const recordViolations = `
  window.violations = []
  document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
    window.violations.push(violatedDirective + ' ' + blockedURI))`
