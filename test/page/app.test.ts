// Tests the App in a browser: from nothing to the first review.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findFreePort } from '../../demo/service-environment.ts'
import { type Forge, startForge } from '../fakes/forge/forge.ts'
import { type SignedInUser, signInWithToken } from '../sign-in.ts'
import { startTestApp, type TestApp } from '../start-app.ts'
import {
  findAccessibilityProblems,
  openPage,
  saveScreenshot,
  startBrowser,
  viewports,
} from './open-page.ts'

const repo = 'acme/shop'
const token = 'ghp_token_of_alice'

let forge: Forge
let app: TestApp
let alice: SignedInUser
let browser: Browser
beforeAll(async () => {
  browser = await startBrowser()
  forge = await startForge()
  forge.createUser('alice', { token })
  await forge.createRepository(repo, { private: true, admins: ['alice'] })
  await forge.push(repo, 'main', { 'README.md': '# Shop\n' }, { author: 'alice' })
  const port = await findFreePort(0)
  app = await startTestApp({
    env: {
      PLATFORM_URL: forge.url,
      PLATFORM_API_URL: forge.apiUrl,
      PLATFORM_WRITES_PER_MINUTE: '0',
      PLATFORM_NOTICES_PER_HOUR: '0',
      PORT: String(port),
      PUBLIC_URL: `http://127.0.0.1:${port}`,
    },
  })
  // The first account becomes the administrator.
  alice = await signInWithToken(app, token)
})
afterAll(async () => {
  await browser?.close()
  await app?.[Symbol.asyncDispose]()
  await forge?.[Symbol.asyncDispose]()
})

const open = (view = {}) => openPage(browser, { url: app.url, session: alice.session, ...view })

describe('the App', () => {
  it('is created, installed, and reviews a pull request', async () => {
    forge.signInAs('alice')
    for (const view of viewports) {
      await using opened = await open(view)
      await opened.page.goto('/')
      await opened.page.getByRole('button', { name: 'Create GitHub App', exact: true }).waitFor()
      expect(await findAccessibilityProblems(opened.page)).toEqual([])
      await saveScreenshot(opened.page, 'app-before', view)
    }
    await using opened = await open()
    const { page, problems } = opened
    await page.goto('/')
    await page.getByLabel('Owner', { exact: true }).selectOption('organization')
    await page.getByLabel('Organization', { exact: true }).fill('acme')
    await page.getByRole('button', { name: 'Create GitHub App', exact: true }).click()
    // On the page of the code host.
    await page.getByRole('button', { name: 'Create GitHub App for acme', exact: true }).click()
    await page.waitForURL('**/settings?tab=set-up&app=created')
    await page.getByRole('link', { name: 'Install', exact: true }).click()
    await page.getByLabel('Account').selectOption('acme')
    await page.getByLabel('Only select repositories').check()
    await page.getByLabel(repo, { exact: true }).check()
    await page.getByRole('button', { name: 'Install', exact: true }).click()
    await page.waitForURL('**/repositories?*')
    await page.getByRole('link', { name: repo, exact: true }).waitFor()

    await page.goto('/settings?tab=set-up')
    const installations = page.getByRole('list', { name: 'Installations', exact: true })
    await installations.getByText('1 repository', { exact: true }).waitFor()
    expect(await installations.getByRole('listitem').allTextContents()).toEqual([
      expect.stringMatching(/^acme ?1 repository/),
    ])
    for (const view of viewports) {
      await using again = await open(view)
      await again.page.goto('/settings?tab=set-up')
      await again.page.getByText('1 repository', { exact: true }).waitFor()
      expect(await findAccessibilityProblems(again.page)).toEqual([])
      await saveScreenshot(again.page, 'app-installed', view)
    }

    await page.getByRole('button', { name: 'Rotate secret umpire-acme', exact: true }).click()
    const dialog = page.getByRole('alertdialog')
    await dialog.getByLabel('The secret leaked: revoke the old one immediately').check()
    expect(await findAccessibilityProblems(page)).toEqual([])
    await saveScreenshot(page, 'app-secret', viewports[0]!)
    await dialog.getByRole('button', { name: 'Rotate secret', exact: true }).click()
    await dialog.waitFor({ state: 'hidden' })
    expect(forge.requests.map(({ method, path }) => `${method} ${path}`)).toContain(
      'PATCH /api/v3/app/hook/config',
    )

    const change = { 'src/start.ts': 'export function start() {\n  debugger\n}\n' }
    await forge.push(repo, 'topic', change, { author: 'alice', message: 'Start' })
    const title = 'Start the shop'
    const number = await forge.openPullRequest({ repo, head: 'topic', author: 'alice', title })
    await page.goto('/reviews?tab=passed')
    await page.getByRole('link', { name: title }).first().waitFor({ timeout: 30_000 })
    const summaries = () => forge.pullRequest(repo, number).comments
    await forge.waitFor(() => summaries().length > 0, { timeoutMs: 30_000 })
    expect(summaries().map(({ author }) => author)).toEqual(['umpire-acme[bot]'])
    expect(problems).toEqual([])
  })

  it('shows why it was not created', async () => {
    await using opened = await open()
    const { page } = opened
    await page.goto('/api/v1/app/callback?code=none&state=made-up')
    await page.waitForURL('**/settings?tab=set-up&app=request_malformed')
    await page.getByRole('alert').getByText('The App was not created.').waitFor()
  })
})
