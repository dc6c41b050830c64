// The code of a repository in the browser: its map as picture, list and treemap, the way into directories and back.
import { sql } from 'kysely'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { tokenOf } from '../connect-scenario.ts'
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

/** So many files that the map of the whole shows directories. */
const many = Array.from({ length: 220 }, (_, index) => [
  `src/${index % 2 ? 'db' : 'http'}/part-${index}.json`,
  '{}\n',
])
const files: Readonly<Record<string, string>> = {
  'src/http/server.ts': `import { route } from './routes.ts'\nimport { Pool } from '../db/pool.ts'\n\nexport function serve(pool: Pool) {\n  if (pool.open()) route(pool)\n  return route(pool)\n}\n`,
  'src/http/routes.ts': `import type { Pool } from '../db/pool.ts'\n\nexport function route(pool: Pool) {\n  return pool.open()\n}\n`,
  'src/db/pool.ts': 'export class Pool {\n  open() {\n    return true\n  }\n}\n',
  'src/db/<b>bold.ts': 'export const bold = 1\n',
  'tools/count.py': 'def count():\n    return 1\n',
  ...Object.fromEntries(many),
}

let scene: ScanScenario
let browser: Browser
let alice: SignedInUser
let repo: string
beforeAll(async () => {
  browser = await startBrowser()
  scene = await startScanScenario()
  repo = await scene.createScannedRepository(files)
  alice = await signInWithToken(scene.app, tokenOf('alice'))
  await touch(1, ['src/http/server.ts', 'src/db/pool.ts'])
  await touch(2, ['src/http/server.ts'])
})
afterAll(async () => {
  await browser?.close()
  await scene?.[Symbol.asyncDispose]()
})

/** Leaves behind what the review of a pull request would. */
async function touch(number: number, paths: readonly string[]): Promise<void> {
  const { db } = scene.app
  await sql`
    insert into pull_requests (repo, number, title, author, branch, base_branch, url, state, head_sha, updated_at)
    values (${repo}, ${number}, '', 'alice', 'b', 'main', '', 'open', '', now())`.execute(db)
  await sql`
    with run as (
      insert into workflow_runs (workflow_type, repo, pr_number, status)
      values ('pr_review', ${repo}, ${number}, 'completed') returning id
    )
    insert into pull_request_files (run_id, repo, pr_number, author, latest, requested_changes, path, status, additions,
      deletions)
    select id, ${repo}, ${number}, 'alice', true, ${number === 1}, path, 'modified', 1, 0
    from run, unnest(${paths}::text[]) as path`.execute(db)
}

async function open(view?: Viewport, path = `/repositories/${repo}?tab=code`) {
  const opened = await openPage(browser, { url: scene.app.url, session: alice.session, ...view })
  await opened.page.goto(path)
  return opened
}

const list = (page: Page) => page.getByRole('region', { name: 'Directories and files' })
const rows = (page: Page) => list(page).locator('> ul > li')
const pathOf = (page: Page) => new URL(page.url()).searchParams.get('path')

describe('the map of the code', () => {
  it('is a picture, and a list of the same', async () => {
    await using opened = await open()
    const { page, problems: complaints } = opened
    await rows(page).first().waitFor()
    expect(
      await rows(page).evaluateAll((found) =>
        found.map((row) => (row as unknown as Named).innerText),
      ),
    ).toEqual([
      expect.stringMatching(
        /^▸\s*src\/http\/\s.*uses 1, used by 0\s.*122 lines, 112 files, JSON$/s,
      ),
      expect.stringMatching(/^▸\s*src\/db\/\s.*uses 0, used by 1\s.*116 lines, 112 files, JSON$/s),
      expect.stringMatching(/tools\/count\.py\s.*2 lines, Python$/s),
    ])
    await page.locator('canvas').first().waitFor()
    await page.getByRole('button', { name: 'What has to do with src/http' }).press('Enter')
    await list(page).getByRole('heading', { name: 'Uses' }).waitFor()
    await list(page)
      .getByText(/src\/db\s+\d imports?, \d uses?/)
      .waitFor()
    expect(complaints).toEqual([])
  })

  it('leads into a directory by keys, and back by the way above it or by the browser', async () => {
    await using opened = await open()
    const { page } = opened
    await list(page).getByRole('link', { name: 'src/http/' }).press('Enter')
    await list(page).getByText('server.ts').first().waitFor()
    expect(pathOf(page)).toBe('src/http')
    // Who came by keys goes on from where they are now.
    const here = page.getByRole('navigation', { name: 'Directory' }).locator('[aria-current]')
    expect(await here.textContent()).toBe('http')
    await expect
      .poll(() => here.evaluate((element) => element === element.ownerDocument.activeElement))
      .toBe(true)
    await page.reload()
    await list(page).getByText('server.ts').first().waitFor()
    await page.getByRole('button', { name: 'What has to do with server.ts' }).click()
    await list(page).getByText('something that is not shown here').waitFor()
    await page.getByRole('navigation', { name: 'Directory' }).getByRole('link').first().click()
    await list(page).getByRole('link', { name: 'src/http/' }).waitFor()
    expect(pathOf(page)).toBeNull()
    await page.goBack()
    await list(page).getByText('server.ts').first().waitFor()
  })

  it('is the list alone where nothing can be drawn, and says so', async () => {
    await using opened = await openPage(browser, { url: scene.app.url, session: alice.session })
    const { page, problems: complaints } = opened
    await page.addInitScript('HTMLCanvasElement.prototype.getContext = () => null')
    await page.goto(`/repositories/${repo}?tab=code`)
    await page.getByText('This browser draws no picture of it').waitFor()
    await list(page).getByRole('link', { name: 'src/http/' }).waitFor()
    expect(await page.locator('canvas').count()).toBe(0)
    expect(await findAccessibilityProblems(page)).toEqual([])
    expect(complaints).toEqual([])
  })

  it('says what there is not', async () => {
    await using opened = await open(undefined, `/repositories/${repo}?tab=code&path=nowhere`)
    const { page } = opened
    await page.getByText('There is nothing below this directory').waitFor()
    await page.getByRole('link', { name: 'Show the whole repository' }).click()
    await rows(page).first().waitFor()
  })

  it('shows names of files as they are', async () => {
    await using opened = await open(undefined, `/repositories/${repo}?tab=code&path=src/db`)
    const { page, problems: complaints } = opened
    await list(page).getByText('<b>bold.ts').waitFor()
    expect(complaints).toEqual([])
  })
})

describe('hot spots', () => {
  it('are tiles as warm as pull requests touched them, with their numbers in a table', async () => {
    await using opened = await open()
    const { page } = opened
    await page.getByText('Most touched src/http: 2 pull requests.').waitFor()
    const table = page.getByRole('table', { name: 'Hot spots in figures' })
    expect(await table.getByRole('row').allInnerTexts()).toEqual([
      'Path\tLines\tPull requests\tAt risk',
      'src/http/\t122\t2\t1',
      'src/db/\t116\t1\t1',
      'tools/count.py\t2\t0\t0',
    ])
    const tile = (name: string) => page.locator('svg g', { hasText: name }).locator('rect')
    const shown = async (name: string) => {
      const box = await tile(name).boundingBox()
      return {
        area: (box?.width ?? 0) * (box?.height ?? 0),
        fill: await tile(name).evaluate(readFill),
      }
    }
    const [http, db, tool] = [
      await shown('src/http: 122 lines, 2 pull requests'),
      await shown('src/db: 116 lines, 1 pull request'),
      await shown('tools/count.py: 2 lines, 0 pull requests'),
    ]
    expect(new Set([http.fill, db.fill, tool.fill]).size).toBe(3)
    expect(http.area / db.area).toBeCloseTo(122 / 116, 1)
    expect(http.area).toBeGreaterThan(20 * tool.area)
    await tile('src/http: 122 lines').click()
    await list(page).getByText('server.ts').first().waitFor()
    expect(pathOf(page)).toBe('src/http')
  })
})

/** A person doesn't notice less. */
const leastJump = 0.02

const answers = { map: /\/memory\/code-map\?/, figures: /\/analytics\/graph\?/ }

it.each(
  [1280, 360].flatMap((width) => [
    { width, first: 'map' as const },
    { width, first: 'figures' as const },
  ]),
)('does not jump as answers arrive, $first first, $width wide', async ({ width, first }) => {
  await using opened = await openPage(browser, {
    url: scene.app.url,
    session: alice.session,
    width,
  })
  const { page } = opened
  await observeLayoutShifts(page)
  const letGo = {
    map: await holdRequests(page, answers.map),
    figures: await holdRequests(page, answers.figures),
  }
  const asked = Promise.all([
    page.waitForRequest(answers.map),
    page.waitForRequest(answers.figures),
  ])
  await page.goto(`/repositories/${repo}?tab=code`)
  await asked
  await waitForFrames(page)
  letGo[first]()
  await (first === 'map' ? rows(page).first() : page.getByText('Untouched files')).waitFor()
  await waitForFrames(page)
  letGo[first === 'map' ? 'figures' : 'map']()
  await page.getByText('Untouched files').waitFor()
  await page.locator('canvas').first().waitFor()
  expect(await readLayoutShift(page)).toBeLessThanOrEqual(leastJump)
})

interface Named {
  readonly innerText: string
}

/** Runs in the page. */
function readFill(element: object): string {
  // biome-ignore lint/suspicious/noExplicitAny: the tests have no types of the browser
  return (globalThis as any).getComputedStyle(element).fill
}

it.each(viewports)('is for everybody to read, %o', async (view) => {
  await using opened = await open(view)
  const { page, problems: complaints } = opened
  await rows(page).first().waitFor()
  await page.locator('canvas').first().waitFor()
  await page.getByText('Untouched files').waitFor()
  expect(await findAccessibilityProblems(page)).toEqual([])
  await saveScreenshot(page, 'code', view)
  await page.getByRole('button', { name: 'What has to do with src/http' }).click()
  expect(await findAccessibilityProblems(page)).toEqual([])
  await saveScreenshot(page, 'code-chosen', view)
  expect(complaints).toEqual([])
})
