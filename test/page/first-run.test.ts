// What a new operator sees in the browser: what comes next, and what checks of the set-up find.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ConnectScenario, startConnectScenario, tokenOf } from '../connect-scenario.ts'
import { replyWith, type SeenRequest } from '../fakes/forge/forge.ts'
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
beforeAll(async () => {
  browser = await startBrowser()
  const env = { SECRET_KEY: 'ab'.repeat(20) }
  scene = await startConnectScenario({ env, parts: { web: true, worker: false } })
  const isOperator = ({ headers }: SeenRequest) =>
    headers.authorization?.includes(reviewerToken) ?? false
  scene.forge.faults.add({ match: isOperator, action: replyWith(401) })
})
afterAll(async () => {
  await browser?.close()
  await scene?.[Symbol.asyncDispose]()
})

async function openFor(person: 'root' | 'alice', path: string, view?: Viewport) {
  const { session } = await signInWithToken(scene.app, tokenOf(person))
  const opened = await openPage(browser, { url: scene.app.url, session, ...view })
  await opened.page.goto(path)
  return opened
}

describe('checks of the set-up', () => {
  it.each(viewports)(
    'tell an administrator what is wrong and what to do, and fold what is fine, %o',
    async (view) => {
      await using opened = await openFor('root', '/', view)
      const { page, problems: complaints } = opened
      await page.getByRole('heading', { name: 'No reviews yet' }).waitFor()
      const found = page
        .locator('section', { hasText: 'Checks of the set-up' })
        .getByRole('listitem')
      await found.first().waitFor()
      expect(await found.allTextContents()).toEqual([
        expect.stringMatching(
          /^Problem ?platform token.*could not be checked.*Make a new one at the platform/,
        ),
        expect.stringMatching(/^Warning ?secret key.*can be guessed.*openssl rand -hex 32/),
      ])
      const fine = page.getByText(/^\d+ fine, \d+ not checked$/)
      const git = page.getByText(/^git \d/)
      expect(await git.isVisible()).toBe(false)
      await saveScreenshot(page, 'first-run', view)
      await fine.click()
      await git.waitFor()
      expect(await findAccessibilityProblems(page)).toEqual([])
      await page.goto('/settings?tab=set-up')
      await page.getByRole('heading', { name: 'Checks of the set-up' }).waitFor()
      await fine.waitFor()
      expect(await findAccessibilityProblems(page)).toEqual([])
      await saveScreenshot(page, 'set-up-checks', view)
      expect(complaints).toEqual([])
    },
  )

  it('are not for others, and nobody asks for them', async () => {
    await using opened = await openFor('alice', '/')
    const { page } = opened
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await page.goto('/settings?tab=set-up')
    await page.getByRole('heading', { name: 'Trackers and chats' }).waitFor()
    expect(await page.getByText('Checks of the set-up').count()).toBe(0)
    expect(asked).toContain('/api/v1/settings')
    expect(asked).not.toContain('/api/v1/settings/checks')
  })
})
