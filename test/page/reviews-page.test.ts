// Tests of sign-in and the list of reviews in a browser.
import { sql } from 'kysely'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ConnectScenario, startConnectScenario, tokenOf } from '../connect-scenario.ts'
import { signInWithToken } from '../sign-in.ts'
import { pullRequestPayload, startTestApp } from '../start-app.ts'
import {
  findAccessibilityProblems,
  openPage,
  saveScreenshot,
  startBrowser,
  viewports,
} from './open-page.ts'

let scene: ConnectScenario
let browser: Browser
let repo: string

/** A line that the static reviewer reports. */
const leak = `export const key = 'sk_${'live'}_51Hq2eKLmV9wXyZ8rT4uBnC7dPfGjA3sa'\n`
const hostile =
  '</script><script>alert(1)</script><img src=x onerror=alert(1)>[a](javascript:alert(1))'

beforeAll(async () => {
  browser = await startBrowser()
  scene = await startConnectScenario({ env: { MEMORY: 'off', GRAPH: 'off' } })
  repo = await scene.createRepository()
  await scene.forge.push(repo, 'main', { 'README.md': '# Shop\n' }, { author: 'alice' })
})
afterAll(async () => {
  await browser?.close()
  await scene?.[Symbol.asyncDispose]()
})

async function openFor(person: 'alice' | 'carol', view = viewports[0]!) {
  const { session } = await scene.signIn(person)
  return openPage(browser, { url: scene.app.url, session, ...view })
}

async function openPullRequest(head: string, title: string): Promise<number> {
  await scene.forge.push(
    repo,
    head,
    { 'src/key.ts': leak },
    { author: 'alice', message: `Change ${head}` },
  )
  return scene.forge.openPullRequest({ repo, head, author: 'alice', title })
}

describe('signing in', () => {
  it('accepts a personal access token and returns to the requested page', async () => {
    await using opened = await openPage(browser, { url: scene.app.url })
    const { page, problems } = opened
    await page.goto('/reviews?tab=merged')
    await page.getByRole('heading', { name: 'Sign in to Umpire', exact: true }).waitFor()
    const token = page.getByLabel(/Personal access token/)
    await token.fill('of-nobody')
    await token.press('Enter')
    expect(await page.getByRole('alert').textContent()).toMatch(/token/i)
    await token.fill(tokenOf('alice'))
    await token.press('Enter')
    await page.getByRole('heading', { name: 'Reviews', exact: true }).waitFor()
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/reviews?tab=merged')
    await page.getByRole('button', { name: /alice/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click()
    await page.getByRole('heading', { name: 'Sign in to Umpire', exact: true }).waitFor()
    await token.waitFor()
    await page.goto('/reviews')
    await page.getByRole('heading', { name: 'Sign in to Umpire', exact: true }).waitFor()
    expect(problems).toEqual([])
  })

  it('shows the first steps on a new service, and a link for OAuth sign-in', async () => {
    const env = {
      OAUTH_CLIENT_ID: 'client',
      OAUTH_CLIENT_SECRET: 'secret',
      PUBLIC_URL: 'http://127.0.0.1:8484',
    }
    await using app = await startTestApp({ env, parts: { web: true, worker: false } })
    for (const view of viewports) {
      await using opened = await openPage(browser, { url: app.url, ...view })
      const { page, problems } = opened
      await page.goto('/repositories')
      await page.getByRole('heading', { name: 'Set up Umpire', exact: true }).waitFor()
      const toPlatform = page.getByRole('link', { name: 'Sign in with GitHub', exact: true })
      expect(await toPlatform.getAttribute('href')).toBe('/auth/login?return_to=%2Frepositories')
      await saveScreenshot(page, 'first-steps', view)
      expect(await findAccessibilityProblems(page)).toEqual([])
      expect(problems).toEqual([])
    }
  })

  it('does not redirect to other origins', async () => {
    await using opened = await openPage(browser, { url: scene.app.url })
    const { page } = opened
    await page.goto(`/sign-in?return_to=${encodeURIComponent('//evil.example/x')}`)
    await page.getByLabel(/Personal access token/).fill(tokenOf('alice'))
    await page.getByRole('button', { name: /Sign in with/ }).click()
    await page.getByRole('heading', { name: 'Reviews', exact: true }).waitFor()
    expect(new URL(page.url()).origin).toBe(scene.app.url)
  })
})

describe('the list of reviews', () => {
  it('shows the next steps first, and new reviews without a reload', async () => {
    await using opened = await openFor('alice')
    const { page, problems } = opened
    await page.goto('/')
    await page.getByText('No reviews yet').waitFor()
    expect(await page.getByRole('listitem').allTextContents()).toEqual([
      expect.stringMatching(/^To doConnect a repository/),
      expect.stringMatching(/^To doSet a model/),
      expect.stringMatching(/^To doOpen a pull request/),
    ])
    await saveScreenshot(page, 'next-steps', viewports[0]!)
    expect(await scene.connect('alice', repo)).toMatchObject({ status: 200 })
    await page.getByRole('listitem').filter({ hasText: 'DoneConnect a repository' }).waitFor()
    await page.evaluate('window.sameDocument = true')
    await openPullRequest('topic', 'Take payments')
    const entry = page.getByRole('list', { name: 'Reviews', exact: true }).getByRole('listitem')
    await entry
      .filter({ hasText: 'Take payments' })
      .filter({ hasText: 'Changes requested' })
      .waitFor()
    // Without a model there is no confidence, and the findings are counted by severity.
    expect(await entry.textContent()).toMatch(/acme\/.*#1.*alice.*critical 1.*Changes requested/)
    expect(await entry.textContent()).not.toContain('Confidence')
    await page.getByRole('link', { name: 'Needs attention 1', exact: true }).waitFor()
    expect(await page.evaluate('window.sameDocument')).toBe(true)
    expect(problems).toEqual([])
  })

  it('case 31: shows hostile titles and branches as text', async () => {
    await openPullRequest('topic<img-src=x-onerror=alert(1)>', hostile)
    await using opened = await openFor('alice')
    const { page, problems } = opened
    await page.goto('/reviews')
    await page.getByRole('link', { name: hostile, exact: true }).waitFor()
    await page.getByText('topic<img-src=x-onerror=alert(1)>').waitFor()
    expect(await page.locator('main img, main script').count()).toBe(0)
    expect(problems).toEqual([])
  })

  it('has tabs and filters with counts, which are in the URL', async () => {
    await using opened = await openFor('alice')
    const { page } = opened
    await page.goto('/reviews')
    const entries = page.getByRole('list', { name: 'Reviews', exact: true }).getByRole('listitem')
    await entries.nth(1).waitFor()
    const tabs = page.getByRole('navigation', { name: 'Reviews by state', exact: true })
    await tabs.getByRole('link', { name: 'All 2', exact: true }).waitFor()
    expect(await tabs.getByRole('link').allTextContents()).toEqual([
      'Needs attention 2',
      'In progress 0',
      'Passed 0',
      'Merged 0',
      'All 2',
    ])
    expect(await page.getByLabel('Severity').locator('option').allTextContents()).toEqual([
      'All severities',
      'Has critical (2)',
    ])
    await page.keyboard.press('/')
    await page.keyboard.type('payments')
    await page.waitForURL(/search=payments/)
    await entries.nth(1).waitFor({ state: 'detached' })
    await tabs.getByRole('link', { name: 'Needs attention 1', exact: true }).waitFor()
    await tabs.getByRole('link', { name: /^Merged/ }).click()
    await page.getByText('No reviews match your filters').waitFor()
    await page.getByText('A pull request is missing?').getByRole('link').nth(1).waitFor()
    await page.reload()
    await page.getByText('No reviews match your filters').waitFor()
    expect(await page.getByRole('searchbox').inputValue()).toBe('payments')
    await page.goBack()
    await entries.first().waitFor()
    await page.getByLabel('Author').selectOption('alice')
    await page.waitForURL(/author=alice/)
    await page.goBack()
    await page.waitForURL(/reviews\?search=payments$/)
    await page.getByRole('link', { name: 'Clear filters', exact: true }).click()
    await entries.nth(1).waitFor()
    expect(await page.getByRole('searchbox').inputValue()).toBe('')
    await page.goto('/reviews?tab=passed')
    await page.getByText('Nothing has passed').waitFor()
    await page.goto('/reviews?repo=acme/other')
    await page.getByText('No reviews match your filters').waitFor()
    await page.getByRole('link', { name: 'Clear filters', exact: true }).first().click()
    await entries.nth(1).waitFor()
  })

  it('is moved through and opened by keys', async () => {
    await using opened = await openFor('alice')
    const { page, problems } = opened
    await page.goto('/reviews')
    const links = page
      .getByRole('list', { name: 'Reviews', exact: true })
      .locator('a[href^="/reviews/"]')
    await links.nth(1).waitFor()
    const focused = () => page.evaluate("document.activeElement.getAttribute('href')")
    for (const [key, index] of [
      ['j', 0],
      ['j', 1],
      ['k', 0],
    ] as const) {
      await page.keyboard.press(key)
      await expect.poll(focused).toBe(await links.nth(index).getAttribute('href'))
    }
    await page.keyboard.press('?')
    await page.getByRole('dialog').getByText('Next review').waitFor()
    expect(await findAccessibilityProblems(page)).toEqual([])
    await page.keyboard.press('Escape')
    await links.first().focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: hostile, exact: true }).waitFor()
    expect(problems).toEqual([])
  })
})

describe('a long list', { timeout: 180_000 }, () => {
  const many = 'acme/many'
  const total = 130
  const entries = (page: Page) =>
    page.getByRole('list', { name: 'Reviews', exact: true }).getByRole('listitem')
  /** The size of the list that screen readers get. */
  const sizeOf = async (page: Page) =>
    Number(await entries(page).first().getAttribute('aria-setsize'))

  beforeAll(async () => {
    const { db } = scene.app
    await sql`
      insert into events (id, event_type, source, repo, pr_number, payload, status)
      overriding system value
      select 5000 - n, 'pull_request.opened', 'github', ${many}, n, '', 'pending'
      from generate_series(1, ${total}::int) as n`.execute(db)
    await sql`
      insert into pull_requests (repo, number, title, search_text, author, branch, base_branch,
        url, head_sha, updated_at, state, state_checked_at, listed_event_id, listed_status)
      select ${many}, n, 'Change ' || n, 'change ' || n, 'zoe', 'topic', 'main',
        '', '', now(), 'merged', '2100-01-01', 5000 - n, 'pending'
      from generate_series(1, ${total}::int) as n`.execute(db)
    await sql`select setval(pg_get_serial_sequence('events', 'id'), 10000)`.execute(db)
  })

  it('loads pages on scroll, and keeps loaded rows after a change', async () => {
    const { session } = await signInWithToken(scene.app, tokenOf('root'))
    await using opened = await openPage(browser, { url: scene.app.url, session })
    const { page, problems } = opened
    await page.goto(`/reviews?tab=all&repo=${many}`)
    await page.getByRole('link', { name: 'Change 1', exact: true }).waitFor()
    expect(await sizeOf(page)).toBe(50)
    const last = page.getByRole('link', { name: `Change ${total}`, exact: true })
    const scrollDown = async () => {
      await page.mouse.wheel(0, 5000)
      return last.count()
    }
    await expect.poll(scrollDown, { timeout: 60_000 }).toBe(1)
    expect(await sizeOf(page)).toBe(total)
    expect(await entries(page).count()).toBeLessThan(50)
    await scene.app.deliver(
      pullRequestPayload({ repo: many, number: total + 1, title: 'The newest' }),
    )
    await expect.poll(() => sizeOf(page), { timeout: 60_000 }).toBe(total + 1)
    await page.evaluate('scrollTo(0, 0)')
    await page.getByRole('link', { name: 'The newest', exact: true }).waitFor()
    expect(problems).toEqual([])
  })

  it('moves through all rows with the Tab key', async () => {
    const { session } = await signInWithToken(scene.app, tokenOf('root'))
    await using opened = await openPage(browser, { url: scene.app.url, session })
    const { page } = opened
    await page.goto(`/reviews?tab=all&repo=${many}`)
    await page.getByRole('link', { name: 'Change 1', exact: true }).focus()
    const pressTab = async () => {
      await page.keyboard.press('Tab')
      return page.evaluate('document.activeElement.textContent')
    }
    await expect.poll(pressTab, { interval: 0, timeout: 60_000 }).toBe('Change 60')
  })
})

describe.each(viewports)('at a width of $width, dark: $dark', (view) => {
  it.each([
    ['sign-in', '/sign-in', false, 'Sign in to Umpire'],
    ['no-reviews', '/reviews?search=nothing-of-the-kind', true, 'No reviews match your filters'],
    ['reviews', '/reviews', true, 'Take payments'],
  ])('the page %s is accessible', async (name, path, isSignedIn, text) => {
    const session = isSignedIn ? (await scene.signIn('alice')).session : undefined
    await using opened = await openPage(browser, {
      url: scene.app.url,
      ...(session && { session }),
      ...view,
    })
    const { page, problems } = opened
    await page.goto(path)
    await page.getByText(text).first().waitFor()
    await saveScreenshot(page, name, view)
    expect(await findAccessibilityProblems(page)).toEqual([])
    expect(problems).toEqual([])
  })
})
