// Tests of the code tab in a browser: graph, list, treemap and navigation.
import { sql } from 'kysely'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { tokenOf } from '../connect-scenario.ts'
import { insertFindingSamples } from '../pull-request-samples.ts'
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

/** Enough files that the map of the repository groups them by directory. */
const many = Array.from({ length: 220 }, (_, index) => [
  `src/${index % 2 ? 'db' : 'http'}/part-${index}.json`,
  '{}\n',
])
const files: Readonly<Record<string, string>> = {
  'src/http/server.ts':
    "import { route } from './routes.ts'\nimport { Pool } from '../db/pool.ts'\n\n" +
    'export function serve(pool: Pool) {\n  if (pool.open()) route(pool)\n' +
    '  return route(pool)\n}\n',
  'src/http/routes.ts':
    "import type { Pool } from '../db/pool.ts'\n\n" +
    'export function route(pool: Pool) {\n  return pool.open()\n}\n',
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
  await storeReview(1, ['src/http/server.ts', 'src/db/pool.ts'])
  await storeReview(2, ['src/http/server.ts'])
  await insertFindingSamples(scene.app.db, [
    { repo, number: 2, outcome: 'open', rule: null, path: 'src/http/server.ts' },
  ])
})
afterAll(async () => {
  await browser?.close()
  await scene?.[Symbol.asyncDispose]()
})

/** Stores the rows that the review of a pull request would store. */
async function storeReview(number: number, paths: readonly string[]): Promise<void> {
  const { db } = scene.app
  await sql`
    insert into pull_requests
      (repo, number, title, author, branch, base_branch, url, state, head_sha, updated_at)
    values (${repo}, ${number}, '', 'alice', 'b', 'main', '', 'open', '', now())`.execute(db)
  await sql`
    with run as (
      insert into workflow_runs (workflow_type, repo, pr_number, status)
      values ('pr_review', ${repo}, ${number}, 'completed') returning id
    ), reviewed as (
      update pull_requests set reviewed_run_id = run.id from run
      where repo = ${repo} and number = ${number}
    )
    insert into pull_request_files (run_id, repo, pr_number, author, latest, requested_changes,
      path, status, additions, deletions)
    select id, ${repo}, ${number}, 'alice', true, ${number === 1}, path, 'modified', 1, 0
    from run, unnest(${paths}::text[]) as path`.execute(db)
}

async function open(view?: Viewport, path = `/repositories/${repo}?tab=code`) {
  const opened = await openPage(browser, { url: scene.app.url, session: alice.session, ...view })
  await opened.page.goto(path)
  return opened
}

interface LabelCounts {
  readonly labels: number
  /** Pairs of labels that cover each other. */
  readonly overlapping: number
}

/** Records the texts that canvases show. */
const recordLabels = `
  const drawn = new Map()
  const { fillText, clearRect } = CanvasRenderingContext2D.prototype
  CanvasRenderingContext2D.prototype.clearRect = function (...rect) {
    drawn.delete(this.canvas)
    return clearRect.apply(this, rect)
  }
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
    const { width } = this.measureText(text)
    drawn.set(this.canvas, [...(drawn.get(this.canvas) ?? []), { x, y, width }])
    return fillText.call(this, text, x, y)
  }
  window.countLabels = () => {
    const labels = [...drawn.values()].flat()
    const overlapping = labels.flatMap((one, index) =>
      labels.slice(index + 1).filter((other) =>
        Math.abs(one.y - other.y) < 12 &&
        one.x < other.x + other.width && other.x < one.x + one.width))
    return { labels: labels.length, overlapping: overlapping.length }
  }`

const list = (page: Page) =>
  page.getByRole('region', { name: 'Directories and files', exact: true })
const rows = (page: Page) => list(page).locator('> ul > li')
const pathOf = (page: Page) => new URL(page.url()).searchParams.get('path')

describe('the map of the code', () => {
  it('shows a graph and a list', async () => {
    await using opened = await open()
    const { page, problems } = opened
    await rows(page).first().waitFor()
    expect(
      await rows(page).evaluateAll((found) =>
        found.map((row) => (row as unknown as ElementWithText).innerText),
      ),
    ).toEqual([
      expect.stringMatching(
        /^▸\s*src\/http\/\s.*uses 1, used by 0\s.*122 lines, 112 files, JSON$/s,
      ),
      expect.stringMatching(/^▸\s*src\/db\/\s.*uses 0, used by 1\s.*116 lines, 112 files, JSON$/s),
      expect.stringMatching(/tools\/count\.py\s.*2 lines, Python$/s),
    ])
    await page.locator('canvas').first().waitFor()
    await page.getByRole('button', { name: 'Connections of src/http', exact: true }).press('Enter')
    await list(page).getByRole('heading', { name: 'Uses', exact: true }).waitFor()
    await list(page)
      .getByText(/src\/db\s+\d imports?, \d uses?/)
      .waitFor()
    expect(problems).toEqual([])
  })

  it('draws labels that do not overlap', async () => {
    // Files of about the same size, so that each could have a label.
    const lines = 'export const value = 1\n'.repeat(40)
    const names = Array.from({ length: 150 }, (_, index) => `src/a-long-name-of-file-${index}.ts`)
    const crowded = await scene.createScannedRepository(
      Object.fromEntries(names.map((name, index) => [name, lines.repeat(1 + (index % 5))])),
    )
    await using opened = await openPage(browser, { url: scene.app.url, session: alice.session })
    const { page } = opened
    await page.addInitScript(recordLabels)
    await page.goto(`/repositories/${crowded}?tab=code&path=src`)
    await page.locator('canvas').first().waitFor()
    const readLabels = async () => (await page.evaluate('window.countLabels()')) as LabelCounts
    await expect.poll(async () => (await readLabels()).labels).toBeGreaterThan(10)
    expect(await readLabels()).toMatchObject({ overlapping: 0 })
    await page.getByRole('button', { name: 'Zoom in', exact: true }).click()
    await waitForFrames(page)
    expect(await readLabels()).toMatchObject({ overlapping: 0 })
  })

  it('opens a directory by keyboard, and returns by breadcrumbs or the Back button', async () => {
    await using opened = await open()
    const { page } = opened
    await list(page).getByRole('link', { name: 'src/http/', exact: true }).press('Enter')
    await list(page).getByText('server.ts').first().waitFor()
    expect(pathOf(page)).toBe('src/http')
    // The focus moves to the current directory.
    const here = page
      .getByRole('navigation', { name: 'Directory', exact: true })
      .locator('[aria-current]')
    expect(await here.textContent()).toBe('http')
    await expect
      .poll(() => here.evaluate((element) => element === element.ownerDocument.activeElement))
      .toBe(true)
    await page.reload()
    await list(page).getByText('server.ts').first().waitFor()
    await page.getByRole('button', { name: 'Connections of server.ts', exact: true }).click()
    await list(page).getByText('outside of this view').waitFor()
    await page
      .getByRole('navigation', { name: 'Directory', exact: true })
      .getByRole('link')
      .first()
      .click()
    await list(page).getByRole('link', { name: 'src/http/', exact: true }).waitFor()
    expect(pathOf(page)).toBeNull()
    await page.goBack()
    await list(page).getByText('server.ts').first().waitFor()
  })

  it('shows only the list without WebGL', async () => {
    await using opened = await openPage(browser, { url: scene.app.url, session: alice.session })
    const { page, problems } = opened
    await page.addInitScript('HTMLCanvasElement.prototype.getContext = () => null')
    await page.goto(`/repositories/${repo}?tab=code`)
    await page.getByText('Your browser can’t draw the graph').waitFor()
    await list(page).getByRole('link', { name: 'src/http/', exact: true }).waitFor()
    expect(await page.locator('canvas').count()).toBe(0)
    expect(await findAccessibilityProblems(page)).toEqual([])
    expect(problems).toEqual([])
  })

  it('shows a message for an unknown directory', async () => {
    await using opened = await open(undefined, `/repositories/${repo}?tab=code&path=nowhere`)
    const { page } = opened
    await page.getByText('This directory is empty or does not exist').waitFor()
    await page.getByRole('link', { name: 'Show the whole repository', exact: true }).click()
    await rows(page).first().waitFor()
  })

  it('escapes file names', async () => {
    await using opened = await open(undefined, `/repositories/${repo}?tab=code&path=src/db`)
    const { page, problems } = opened
    await list(page).getByText('<b>bold.ts').waitFor()
    expect(problems).toEqual([])
  })
})

describe('hot spots', () => {
  it('color tiles by pull requests, with the numbers in a table', async () => {
    await using opened = await open()
    const { page } = opened
    await page.getByText('Most changed: src/http (2 pull requests).').waitFor()
    const table = page.getByRole('table', { name: 'Hot spots', exact: true })
    expect(await table.getByRole('row').allInnerTexts()).toEqual([
      'Path\tLines\tPull requests\tFindings',
      'src/http/\t122\t2\t1',
      'src/db/\t116\t1\t0',
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

/** Smaller layout shifts are not noticeable. */
const maxLayoutShift = 0.02

const responses = { map: /\/memory\/code-map\?/, statistics: /\/analytics\/graph\?/ }

it.each(
  [1280, 360].flatMap((width) => [
    { width, first: 'map' as const },
    { width, first: 'statistics' as const },
  ]),
)('does not shift while responses arrive, $first first, $width wide', async ({ width, first }) => {
  await using opened = await openPage(browser, {
    url: scene.app.url,
    session: alice.session,
    width,
  })
  const { page } = opened
  await observeLayoutShifts(page)
  const release = {
    map: await holdRequests(page, responses.map),
    statistics: await holdRequests(page, responses.statistics),
  }
  const requested = Promise.all([
    page.waitForRequest(responses.map),
    page.waitForRequest(responses.statistics),
  ])
  await page.goto(`/repositories/${repo}?tab=code`)
  await requested
  await waitForFrames(page)
  release[first]()
  await (first === 'map' ? rows(page).first() : page.getByText('Unchanged files')).waitFor()
  await waitForFrames(page)
  release[first === 'map' ? 'statistics' : 'map']()
  await page.getByText('Unchanged files').waitFor()
  await page.locator('canvas').first().waitFor()
  expect(await readLayoutShift(page)).toBeLessThanOrEqual(maxLayoutShift)
})

interface ElementWithText {
  readonly innerText: string
}

/** Runs in the browser. */
function readFill(element: object): string {
  // biome-ignore lint/suspicious/noExplicitAny: the tests have no browser types
  return (globalThis as any).getComputedStyle(element).fill
}

it.each(viewports)('is accessible, %o', async (view) => {
  await using opened = await open(view)
  const { page, problems } = opened
  await rows(page).first().waitFor()
  await page.locator('canvas').first().waitFor()
  await page.getByText('Unchanged files').waitFor()
  expect(await findAccessibilityProblems(page)).toEqual([])
  await saveScreenshot(page, 'code', view)
  await page.getByRole('button', { name: 'Connections of src/http', exact: true }).click()
  expect(await findAccessibilityProblems(page)).toEqual([])
  await saveScreenshot(page, 'code-chosen', view)
  expect(problems).toEqual([])
})
