// Tests of the first steps of an operator: setup steps and checks.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ConnectScenario, startConnectScenario, tokenOf } from '../connect-scenario.ts'
import { replyWith, type SeenRequest } from '../fakes/forge/forge.ts'
import { createTestDatabase, type TestDatabase } from '../fakes/test-database.ts'
import { reviewerToken } from '../review-scenario.ts'
import { signInWithToken } from '../sign-in.ts'
import {
  findAccessibilityProblems,
  openPage,
  saveScreenshot,
  startBrowser,
  type Viewport,
  viewports,
} from './open-page.ts'

let scene: ConnectScenario
let browser: Browser
let database: TestDatabase
beforeAll(async () => {
  browser = await startBrowser()
  const env = { SECRET_KEY: 'ab'.repeat(20) }
  // The PostgreSQL server of the tests runs with fsync off, which is a problem of its own.
  database = await createTestDatabase({ engine: 'embedded' })
  scene = await startConnectScenario({ env, database, parts: { web: true, worker: false } })
  const isOperator = ({ headers }: SeenRequest) =>
    headers.authorization?.includes(reviewerToken) ?? false
  scene.forge.faults.add({ match: isOperator, action: replyWith(401) })
})
afterAll(async () => {
  await browser?.close()
  await scene?.[Symbol.asyncDispose]()
  await database?.dispose()
})

async function openFor(person: 'root' | 'alice', path: string, view?: Viewport) {
  const { session } = await signInWithToken(scene.app, tokenOf(person))
  const opened = await openPage(browser, { url: scene.app.url, session, ...view })
  await opened.page.goto(path)
  return opened
}

describe('setup checks', () => {
  it.each(viewports)(
    'show problems with remedies to an administrator and collapse passed checks, %o',
    async (view) => {
      await using opened = await openFor('root', '/', view)
      const { page, problems } = opened
      await page.getByRole('heading', { name: 'No reviews yet', exact: true }).waitFor()
      const found = page.locator('section', { hasText: 'Setup checks' }).getByRole('listitem')
      await found.first().waitFor()
      expect(await found.allTextContents()).toEqual([
        expect.stringMatching(
          /^Problem ?platform token.*could not be checked.*Create a new one on GitHub/,
        ),
        expect.stringMatching(/^Warning ?secret key.*can be guessed.*openssl rand -hex 32/),
      ])
      const passed = page.getByText(/^\d+ passed, \d+ skipped$/)
      const git = page.getByText(/^git \d/)
      expect(await git.isVisible()).toBe(false)
      await saveScreenshot(page, 'first-run', view)
      await passed.click()
      await git.waitFor()
      expect(await findAccessibilityProblems(page)).toEqual([])
      await page.goto('/repositories')
      await page.getByRole('heading', { name: 'Connect a repository', exact: true }).waitFor()
      await page.goto('/settings?tab=set-up')
      await page.getByRole('heading', { name: 'Setup checks', exact: true }).waitFor()
      await passed.waitFor()
      expect(await findAccessibilityProblems(page)).toEqual([])
      await saveScreenshot(page, 'set-up-checks', view)
      expect(problems).toEqual([])
    },
  )

  it('are neither shown nor requested for other users', async () => {
    await using opened = await openFor('alice', '/')
    const { page } = opened
    const requestPaths: string[] = []
    page.on('request', (request) => requestPaths.push(new URL(request.url()).pathname))
    await page.goto('/settings?tab=set-up')
    await page.getByRole('heading', { name: 'Trackers and chats', exact: true }).waitFor()
    expect(await page.getByText('Setup checks').count()).toBe(0)
    expect(requestPaths).toContain('/api/v1/settings')
    expect(requestPaths).not.toContain('/api/v1/settings/checks')
  })
})
