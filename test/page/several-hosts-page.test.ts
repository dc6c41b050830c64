// The page of a service with two code hosts, on which the same repository exists.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { findFreePort } from '../../demo/service-environment.ts'
import { type Forge, startForge } from '../fakes/forge/forge.ts'
import { forgeEnvironment } from '../review-scenario.ts'
import { startTestApp, type TestApp } from '../start-app.ts'
import { findAccessibilityProblems, openPage, startBrowser } from './open-page.ts'

const repo = 'acme/shop'

let stack: AsyncDisposableStack
let browser: Browser
let first: Forge
let work: Forge
let app: TestApp
beforeAll(async () => {
  stack = new AsyncDisposableStack()
  browser = stack.adopt(await startBrowser(), (opened) => opened.close())
  ;[first, work] = [await startShop('first'), await startShop('work')]
  const port = await findFreePort(0)
  const publicUrl = `http://127.0.0.1:${port}`
  const oauth = work.createOAuthApp({ callbackUrl: `${publicUrl}/auth/work/callback` })
  const env = {
    ...forgeEnvironment(first),
    PORT: String(port),
    PUBLIC_URL: publicUrl,
    MEMORY: 'off',
    GRAPH: 'off',
    PLATFORMS: 'github,work=github',
    PLATFORM_URL_WORK: work.url,
    PLATFORM_API_URL_WORK: work.apiUrl,
    OAUTH_CLIENT_ID_WORK: oauth.clientId,
    OAUTH_CLIENT_SECRET_WORK: oauth.clientSecret,
  }
  app = stack.use(await startTestApp({ env }))
})
afterAll(() => stack.disposeAsync())

async function startShop(host: string): Promise<Forge> {
  const forge = stack.use(await startForge())
  forge.createUser('alice', { token: `ghp_of_alice_at_${host}` })
  await forge.createRepository(repo, { admins: ['alice'] })
  await forge.push(repo, 'main', { 'README.md': '# Shop\n' }, { author: 'alice' })
  return forge
}

it('signs in with a token of the chosen host', { timeout: 60_000 }, async () => {
  await using opened = await openPage(browser, { url: app.url })
  const { page, problems } = opened
  await page.goto('/repositories')
  const hostOf = (forge: Forge) => new URL(forge.url).host
  await page.getByLabel('Code host').selectOption({ label: `GitHub (${hostOf(work)})` })
  await page.getByLabel(`Personal access token for ${hostOf(work)}`).fill('ghp_of_alice_at_work')
  expect(await findAccessibilityProblems(page)).toEqual([])
  await page.getByRole('button', { name: 'Sign in with token' }).click()
  await page.getByRole('heading', { name: 'Repositories', exact: true }).waitFor()
  await page.getByText(`${repo} (work)`).first().waitFor()
  expect(first.requests).toEqual([])
  expect(problems).toEqual([])
})

it('offers each host, and opens repositories on their own one', { timeout: 60_000 }, async () => {
  work.signInAs('alice')
  await using opened = await openPage(browser, { url: app.url })
  const { page, problems } = opened
  await page.goto('/repositories')
  await page.getByRole('link', { name: `Sign in with GitHub (${new URL(work.url).host})` }).click()
  await page.getByRole('button', { name: `Connect ${repo} (work)` }).click()
  await page.getByRole('link', { name: `${repo} (work)` }).click()
  await page.getByRole('heading', { name: `${repo} (work)`, exact: true }).waitFor()
  const link = page.getByRole('link', { name: 'Open on GitHub' })
  expect(await link.getAttribute('href')).toBe(`${work.url}/${repo}`)
  expect(decodeURIComponent(new URL(page.url()).pathname)).toBe(`/repositories/${repo}@work`)
  // The link can be opened again.
  await page.reload()
  await page.getByRole('heading', { name: `${repo} (work)`, exact: true }).waitFor()
  expect(await findAccessibilityProblems(page)).toEqual([])
  expect(problems).toEqual([])
})

it('opens a repository of the first host with the id of the host too', {
  timeout: 60_000,
}, async () => {
  first.signInAs('alice')
  await using opened = await openPage(browser, { url: app.url })
  const { page, problems } = opened
  await page.goto('/repositories')
  await page.getByLabel('Code host').selectOption({ label: `GitHub (${new URL(first.url).host})` })
  await page
    .getByLabel(`Personal access token for ${new URL(first.url).host}`)
    .fill('ghp_of_alice_at_first')
  await page.getByRole('button', { name: 'Sign in with token' }).click()
  await page.getByRole('button', { name: `Connect ${repo}` }).click()
  await page.getByRole('link', { name: repo }).waitFor()
  await page.goto(`/repositories/${repo}@github`)
  await page.getByRole('heading', { name: repo, exact: true }).waitFor()
  const link = page.getByRole('link', { name: 'Open on GitHub' })
  expect(await link.getAttribute('href')).toBe(`${first.url}/${repo}`)
  await page.getByRole('tab', { name: 'People' }).click()
  expect(problems).toEqual([])
})
