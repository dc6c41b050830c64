// The repositories in the browser: connected, scanned and disconnected, and what is known of one.
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
  known = await scene.createScannedRepository({ ...readSample('main'), 'AGENTS.md': rules })
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

it('connects a repository, shows how its scan goes on, and disconnects it', async () => {
  const repo = await scene.createRepositoryWith(readSample('main'))
  await using opened = await open('/repositories', bob)
  const { page } = opened
  await page.getByLabel('Search by name').fill(repo)
  await page.getByRole('button', { name: `Connect ${repo}` }).click()
  await page.getByRole('link', { name: repo }).waitFor()
  // Told by the live stream: nobody asks again.
  await row(page, repo).getByText('Scanned').waitFor()
  expect(scene.forge.webhooks(repo)).toHaveLength(1)
  await page.getByRole('button', { name: `Disconnect ${repo}` }).click()
  const question = page.getByRole('alertdialog', { name: `Disconnect ${repo}?` })
  await question.getByRole('button', { name: 'Disconnect' }).click()
  await page.getByRole('link', { name: repo }).waitFor({ state: 'detached' })
  // The platform is asked after it has gone here.
  await expect.poll(() => scene.forge.webhooks(repo)).toEqual([])
})

it('says why a repository could not be connected, and connects it once it can be', async () => {
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

it('scans again and shows it', async () => {
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
  await using opened = await open(`/repositories/${known}`, alice)
  const { page } = opened
  const src = page.getByRole('button', { name: 'src' })
  await src.waitFor()
  const below = page.getByRole('code').filter({ hasText: 'database.ts' })
  expect(await below.count()).toBe(0)
  await src.press('Enter')
  await below.waitFor()
  await page.getByLabel(/Search \d+ entries/).fill('connection DATABASE')
  await page.getByText('1 found').waitFor()
  await page.getByText('src/database.ts').waitFor()
})

it('adds a memory, finds it, says it in other words, and dismisses it', async () => {
  await using opened = await open(`/repositories/${known}?tab=memories`, alice)
  const { page } = opened
  await page.getByRole('button', { name: 'Add a memory' }).click()
  const form = page.getByRole('form', { name: 'Add a memory' })
  await form.getByLabel('What reviews are to know').fill('Parcels are <b>weighed</b> in grams.')
  await form.getByLabel(/File or directory/).fill('src/parcels')
  await form.getByRole('button', { name: 'Add' }).click()
  await page.getByLabel('Search').fill('weighed parcel')
  // The list is another one from then on.
  await page.getByText('what comes closest first').waitFor()
  const memory = page.getByRole('article').filter({ hasText: 'src/parcels' })
  await memory.getByText('Parcels are <b>weighed</b> in grams.').waitFor()
  await memory.getByText('by a person').waitFor()
  await memory.getByRole('button', { name: 'Edit' }).click()
  await memory.getByLabel('In your words').fill('Parcels are weighed in ounces.')
  await memory.getByRole('button', { name: 'Save' }).click()
  await memory.getByText('Parcels are weighed in ounces.').waitFor()
  await memory.getByRole('button', { name: 'History' }).click()
  await memory.getByText('Parcels are <b>weighed</b> in grams.').waitFor()
  await memory.getByRole('button', { name: 'Dismiss' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Dismiss' }).click()
  await page.getByText('Nothing of that kind is remembered').waitFor()
})

it('tells where a memory comes from', async () => {
  await using opened = await open(`/repositories/${known}?tab=memories`, alice)
  const { page } = opened
  const rule = page
    .getByRole('article', { name: /Count in cents/ })
    .filter({ hasText: 'AGENTS.md:3' })
  await rule.getByText('from the repository').waitFor()
})

it('says what to do where nothing is connected', async () => {
  await using opened = await open(
    '/repositories',
    await signInWithToken(scene.app, tokenOf('carol')),
  )
  await opened.page.getByText('Nothing is connected yet').waitFor()
  // Carol administers none.
  await opened.page.getByText('There is no other repository').waitFor()
})

it('shows nobody a repository that is not theirs', async () => {
  await using opened = await open(`/repositories/${known}`, bob)
  const { page } = opened
  await page.getByText('This repository is not connected to your account').waitFor()
  expect(await page.getByRole('tab').count()).toBe(0)
})

/** A person doesn't notice less. */
const leastJump = 0.02

describe('as answers arrive', () => {
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
  )('nothing jumps, $first first, $width wide', async ({ width, first, second }) => {
    const other = await scene.createRepository()
    await using opened = await openPage(browser, {
      url: scene.app.url,
      session: alice.session,
      width,
    })
    const { page } = opened
    await observeLayoutShifts(page)
    const letGo = {
      connected: await holdRequests(page, lists.connected),
      others: await holdRequests(page, lists.others),
    }
    const asked = Promise.all([
      page.waitForRequest(lists.connected),
      page.waitForRequest(lists.others),
    ])
    await page.goto('/repositories')
    await asked
    await waitForFrames(page)
    const answered = page.waitForResponse(lists[first])
    letGo[first]()
    await (await answered).finished()
    await waitForFrames(page)
    letGo[second]()
    await page.getByText('Scanned').first().waitFor()
    await page.getByRole('button', { name: `Connect ${other}` }).waitFor()
    expect(await readLayoutShift(page)).toBeLessThanOrEqual(leastJump)
  })
})

/** What shows that a tab has what it asked for. */
const shownIn = {
  'Project map': 'AGENTS.md',
  Memories: 'Count in cents',
  Code: 'Untouched files',
  People: 'Where people work',
}

it.each(viewports)('is for everybody to read, %o', async (view) => {
  await using opened = await open('/repositories', alice, view)
  const { page, problems: complaints } = opened
  await page.getByText('Scanned').waitFor()
  await page.getByRole('heading', { name: 'Connect another' }).waitFor()
  expect(await findAccessibilityProblems(page)).toEqual([])
  await saveScreenshot(page, 'repositories', view)
  await page.getByRole('button', { name: `Disconnect ${known}` }).click()
  await page.getByRole('alertdialog').waitFor()
  expect(await findAccessibilityProblems(page)).toEqual([])
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('link', { name: known }).click()
  for (const [tab, text] of Object.entries(shownIn)) {
    await page.getByRole('tab', { name: tab }).click()
    await page.getByRole('tabpanel').getByText(text).first().waitFor()
    expect(await findAccessibilityProblems(page)).toEqual([])
    await saveScreenshot(page, `repository-${tab}`, view)
  }
  expect(complaints).toEqual([])
})
