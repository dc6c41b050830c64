// Tests of the repository pages in a browser.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readSample } from '../../demo/read-sample.ts'
import { tokenOf } from '../connect-scenario.ts'
import { replyWith, type SeenRequest } from '../fakes/forge/forge.ts'
import { type ScanScenario, startScanScenario } from '../scan-scenario.ts'
import { type SignedInUser, signInWithToken } from '../sign-in.ts'
import {
  findAccessibilityProblems,
  holdRequests,
  observeLayoutShifts,
  openPage,
  readLayoutShift,
  saveScreenshot,
  startBrowser,
  type Viewport,
  viewports,
  waitForFrames,
} from './open-page.ts'

const rules = '# Rules\n\n- Count in cents, never in floating point.\n'

let scene: ScanScenario
let browser: Browser
let alice: SignedInUser
let bob: SignedInUser
let known: string
beforeAll(async () => {
  browser = await startBrowser()
  scene = await startScanScenario()
  const organization = { private: true, writers: ['alice'] }
  await scene.forge.createRepository('acme/.github', organization)
  const inherited = { '.umpire.yml': 'language: German\ngate: [incomplete]\nsevirity: minor\n' }
  await scene.forge.push('acme/.github', 'main', inherited, { author: 'alice' })
  known = await scene.createScannedRepository({
    ...readSample('main'),
    'AGENTS.md': rules,
    '.umpire.yml': 'gate: [changes_requested]\n',
    'docs/.umpire.yml': 'severity: critical\n',
  })
  alice = await signInWithToken(scene.app, tokenOf('alice'))
  bob = await signInWithToken(scene.app, tokenOf('bob'))
})
afterAll(async () => {
  await browser?.close()
  await scene?.[Symbol.asyncDispose]()
})

async function open(path: string, { session }: SignedInUser, view?: Viewport) {
  const opened = await openPage(browser, { url: scene.app.url, session, ...view })
  await opened.page.goto(path)
  return opened
}

const row = (page: Page, name: string) => page.getByRole('listitem').filter({ hasText: name })

it('connects a repository, shows its scan, and disconnects it', async () => {
  const repo = await scene.createRepositoryWith(readSample('main'))
  await using opened = await open('/repositories', bob)
  const { page } = opened
  await page.getByLabel('Search by name').fill(repo)
  await page.getByRole('button', { name: `Connect ${repo}` }).click()
  await page.getByRole('link', { name: repo }).waitFor()
  const notice = page.getByRole('status').filter({ hasText: `${repo} is connected.` })
  await notice.getByText('Next: open a pull request').waitFor()
  expect(await notice.evaluate((element) => element.matches(':focus'))).toBe(true)
  // Live updates deliver the status.
  await row(page, repo).getByText('Scanned').waitFor()
  expect(scene.forge.webhooks(repo)).toHaveLength(1)
  await page.getByRole('button', { name: `Disconnect ${repo}` }).click()
  const question = page.getByRole('alertdialog', { name: `Disconnect ${repo}?` })
  await question.getByRole('button', { name: 'Disconnect', exact: true }).click()
  await page.getByRole('link', { name: repo }).waitFor({ state: 'detached' })
  // The webhook is deleted after the repository has disappeared from the page.
  await expect.poll(() => scene.forge.webhooks(repo)).toEqual([])
})

it('says that the sign-in has ended when the code host refuses its token', async () => {
  const { session } = await signInWithToken(scene.app, tokenOf('carol'))
  scene.forge.revokeToken(tokenOf('carol'))
  await using opened = await openPage(browser, { url: scene.app.url, session })
  const { page, problems } = opened
  await page.goto('/repositories')
  await page.getByRole('heading', { name: 'Sign in to Umpire', exact: true }).waitFor()
  const reason = 'Your sign-in has expired or was revoked. Sign in again.'
  expect(await page.getByRole('alert').textContent()).toBe(reason)
  scene.forge.createUser('carol', { token: tokenOf('carol') })
  await page.getByLabel(/Personal access token/).fill(tokenOf('carol'))
  await page.getByRole('button', { name: /Sign in with/ }).click()
  await page.getByRole('heading', { name: 'Repositories', exact: true }).waitFor()
  expect(problems).toEqual([])
})

it('shows why connecting failed, and connects on the next attempt', async () => {
  const repo = await scene.createRepository()
  const isCreation = ({ method, path }: SeenRequest) => method === 'POST' && path.endsWith('/hooks')
  scene.forge.faults.add({
    match: isCreation,
    times: 1,
    action: replyWith(403, 'Must have admin rights'),
  })
  await using opened = await open('/repositories', bob)
  const { page } = opened
  const button = page.getByRole('button', { name: `Connect ${repo}` })
  await button.click()
  await page.getByRole('alert').getByText('Failed to install webhook').waitFor()
  await button.click()
  await page.getByRole('link', { name: repo }).waitFor()
})

it('starts another scan and shows its commit', async () => {
  await using opened = await open(`/repositories/${known}`, alice)
  const { page } = opened
  await page.getByText('Scanned').waitFor()
  const commit = await scene.forge.push(known, 'main', {
    'src/late.ts': 'export const late = true\n',
  })
  await page.getByRole('button', { name: `Scan again ${known}` }).click()
  await page.getByRole('status').getByText(commit.slice(0, 7)).waitFor()
})

it('shows the project map as a tree that can be searched', async () => {
  await using opened = await open(`/repositories/${known}?tab=map`, alice)
  const { page } = opened
  const src = page.getByRole('button', { name: 'src', exact: true })
  await src.waitFor()
  const below = page.getByRole('code').filter({ hasText: 'database.ts' })
  expect(await below.count()).toBe(0)
  await src.press('Enter')
  await below.waitFor()
  await page.getByLabel(/Search \d+ entries/).fill('connection DATABASE')
  await page.getByText('1 found').waitFor()
  await page.getByText('src/database.ts').waitFor()
})

it('adds, finds, edits and dismisses a memory', async () => {
  await using opened = await open(`/repositories/${known}?tab=memories`, alice)
  const { page } = opened
  await page.getByRole('button', { name: 'Add a memory', exact: true }).click()
  const form = page.getByRole('form', { name: 'Add a memory', exact: true })
  await form.getByLabel('What reviews should know').fill('Parcels are <b>weighed</b> in grams.')
  await form.getByLabel(/File or directory/).fill('src/parcels')
  await form.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByLabel('Search').fill('weighed parcel')
  // The search results replace the list.
  await page.getByText('best match first').waitFor()
  const memory = page.getByRole('article').filter({ hasText: 'src/parcels' })
  await memory.getByText('Parcels are <b>weighed</b> in grams.').waitFor()
  await memory.getByText('Written by alice just now.').waitFor()
  await memory.getByRole('button', { name: 'Edit', exact: true }).click()
  await memory.getByLabel('Text').fill('Parcels are weighed in ounces.')
  await memory.getByRole('button', { name: 'Save', exact: true }).click()
  await memory.getByText('Parcels are weighed in ounces.').waitFor()
  await memory.getByRole('button', { name: 'History', exact: true }).click()
  await memory.getByText('Parcels are <b>weighed</b> in grams.').waitFor()
  await memory.getByRole('button', { name: 'Dismiss', exact: true }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Dismiss', exact: true }).click()
  await page.getByText('No matching memories').waitFor()
})

it('shows the source of a memory', async () => {
  await using opened = await open(`/repositories/${known}?tab=memories`, alice)
  const { page } = opened
  const rule = page
    .getByRole('article', { name: /Count in cents/ })
    .filter({ hasText: 'AGENTS.md:3' })
  await rule.getByText(/^Taken from AGENTS\.md:3 at [0-9a-f]{7}, /).waitFor()
})

it('shows what to do without repositories', async () => {
  await using opened = await open(
    '/repositories',
    await signInWithToken(scene.app, tokenOf('carol')),
  )
  await opened.page.getByText('No connected repositories').waitFor()
  // Carol administers no repository.
  await opened.page.getByText('No other repositories').waitFor()
})

it('hides repositories of other accounts', async () => {
  await using opened = await open(`/repositories/${known}`, bob)
  const { page } = opened
  await page.getByText('This repository is not connected to your account').waitFor()
  expect(await page.getByRole('tab').count()).toBe(0)
})

/** Smaller layout shifts are not noticeable. */
const maxLayoutShift = 0.02

describe('while responses arrive', () => {
  const lists = {
    connected: /\/api\/v1\/repos\?connected=true/,
    others: /\/api\/v1\/repos\?connected=false/,
  }
  const orders = [
    ['connected', 'others'],
    ['others', 'connected'],
  ] as const

  it.each(
    [1280, 360].flatMap((width) => orders.map(([first, second]) => ({ width, first, second }))),
  )('the layout does not shift, $first first, $width wide', async ({ width, first, second }) => {
    const other = await scene.createRepository()
    await using opened = await openPage(browser, {
      url: scene.app.url,
      session: alice.session,
      width,
    })
    const { page } = opened
    await observeLayoutShifts(page)
    const release = {
      connected: await holdRequests(page, lists.connected),
      others: await holdRequests(page, lists.others),
    }
    const requested = Promise.all([
      page.waitForRequest(lists.connected),
      page.waitForRequest(lists.others),
    ])
    await page.goto('/repositories')
    await requested
    await waitForFrames(page)
    const response = page.waitForResponse(lists[first])
    release[first]()
    await (await response).finished()
    await waitForFrames(page)
    release[second]()
    await page.getByText('Scanned').first().waitFor()
    await page.getByRole('button', { name: `Connect ${other}` }).waitFor()
    expect(await readLayoutShift(page)).toBeLessThanOrEqual(maxLayoutShift)
  })
})

/** A text of each tab that appears after its data has loaded. */
const loadedTexts = {
  Overview: 'The token of alice works',
  'Project map': 'AGENTS.md',
  Memories: 'Count in cents',
  Code: 'Unchanged files',
  People: 'Changed files',
  Settings: '.umpire.yml of acme/.github',
}

it('opens with an overview of health and settings, and says what to do', async () => {
  const { session } = alice
  await using opened = await openPage(browser, { url: scene.app.url, session })
  const { page, problems } = opened
  await observeLayoutShifts(page)
  await page.goto(`/repositories/${known}`)
  const health = (name: string) => page.getByRole('listitem').filter({ hasText: name })
  await health('Reviewer').getByText('The token of alice works and can post reviews.').waitFor()
  await page.getByText('.umpire.yml of acme/.github', { exact: true }).waitFor()
  await page.getByText('has 1 problem', { exact: true }).waitFor()
  await page.getByText('No findings yet.').waitFor()
  expect(await readLayoutShift(page)).toBeLessThanOrEqual(maxLayoutShift)
  expect(problems).toEqual([])

  scene.forge.faults.add({
    match: ({ path }: SeenRequest) => path.endsWith(`/repos/${known}`),
    times: 10,
    action: replyWith(401, 'Bad credentials'),
  })
  await page.reload()
  await health('Reviewer').getByText('Someone who connected it has to sign in again.').waitFor()
  scene.forge.faults.clear()
})

it('shows the settings of a repository with the files that they come from', async () => {
  await using opened = await open(`/repositories/${known}`, alice)
  const { page } = opened
  await page.getByRole('tab', { name: 'Settings' }).click()
  const rowOf = (setting: string) =>
    page
      .getByRole('row')
      .filter({ has: page.getByRole('rowheader', { name: setting, exact: true }) })
  await rowOf('Outcomes that block merging gate')
    .getByText('changes requested', { exact: true })
    .waitFor()
  expect(await rowOf('Outcomes that block merging gate').textContent()).toBe(
    'Outcomes that block merging gatechanges requested.umpire.yml',
  )
  const language = 'Language languageGerman.umpire.yml of acme/.github'
  expect(await rowOf('Language language').textContent()).toBe(language)
  expect(await rowOf('Skipped labels reviews.skip.labels').textContent()).toMatch(/nonedefault$/)
  const severity = 'Lowest severity severity'
  expect(await rowOf(severity).textContent()).toBe(`${severity}minordefault`)
  const inner = 'Lowest severity docs/: severity'
  expect(await rowOf(inner).textContent()).toBe(`${inner}criticaldocs/.umpire.yml`)
  await page
    .getByText('.umpire.yml of acme/.github: unknown key `sevirity` (did you mean `severity`?).')
    .waitFor()
})

it('scrolls the selected tab into view on a phone', async () => {
  await using opened = await open(`/repositories/${known}?tab=settings`, alice, viewports[2]!)
  const tab = opened.page.getByRole('tab', { name: 'Settings', selected: true })
  const right = async () => {
    const box = await tab.boundingBox()
    return box === null ? Infinity : box.x + box.width
  }
  await expect.poll(right).toBeLessThanOrEqual(viewports[2]!.width)
})

it.each(viewports)('is accessible, %o', async (view) => {
  await using opened = await open('/repositories', alice, view)
  const { page, problems } = opened
  await page.getByText('Scanned').waitFor()
  await page.getByRole('heading', { name: 'Connect another', exact: true }).waitFor()
  expect(await findAccessibilityProblems(page)).toEqual([])
  await saveScreenshot(page, 'repositories', view)
  await page.getByRole('button', { name: `Disconnect ${known}` }).click()
  await page.getByRole('alertdialog').waitFor()
  expect(await findAccessibilityProblems(page)).toEqual([])
  await page.getByRole('button', { name: 'Cancel', exact: true }).click()
  await page.getByRole('link', { name: known }).click()
  for (const [tab, text] of Object.entries(loadedTexts)) {
    await page.getByRole('tab', { name: tab }).click()
    await page.getByRole('tabpanel').getByText(text).first().waitFor()
    expect(await findAccessibilityProblems(page)).toEqual([])
    await saveScreenshot(page, `repository-${tab}`, view)
  }
  expect(problems).toEqual([])
})
