// Measures loading, scrolling and navigation of the reviews list with 10,000 reviews.
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import type { CDPSession, Page } from 'playwright-core'
import { openDatabase } from '../src/db/database.ts'
import { runMigrations } from '../src/db/run-migrations.ts'
import { changesChannel } from '../src/events/listing.ts'
import { findPostgresql, startPostgresql } from '../test/fakes/postgresql-server.ts'
import { setup as buildPage } from '../test/page/build-page.ts'
import { openPage, startBrowser } from '../test/page/open-page.ts'
import { issueCredentials } from './issue-credentials.ts'
import { seedDatabase } from './seed-database.ts'
import { startUmpireServer } from './start-umpire-server.ts'

const { values } = parseArgs({
  options: {
    reviews: { type: 'string', default: '10000' },
    rows: { type: 'string', default: '50,1000,2500' },
    frames: { type: 'string', default: '200' },
  },
})
const secretKey = 'k'.repeat(32)
const quietLog = {
  info() {},
  warn() {},
  error: (fields: object, message: string) => console.error(message, fields),
}

const pageScripts = {
  /** All rows of the list, rendered or not. */
  rows: `Number(document.querySelector('[aria-label=Reviews] > li')?.ariaSetSize ?? 0)`,
  /** Waits two frames, until the current content is painted. */
  drawn: 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))',
}

const folder = mkdtempSync(join(tmpdir(), 'umpire-bench-'))
try {
  await run()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function run(): Promise<void> {
  buildPage()
  const programs = findPostgresql()
  if (programs === null) throw new Error('PostgreSQL was not found. Install it.')
  await using server = await startPostgresql(programs)
  const client = new pg.Client({ connectionString: server.url })
  await using stack = new AsyncDisposableStack()
  await client.connect()
  stack.defer(() => client.end())
  await fillDatabase(server.url, client)
  await using umpire = await startUmpireServer({
    DATABASE_URL: server.url,
    SECRET_KEY: secretKey,
    PUBLIC_URL: 'http://umpire.example',
    DATA_DIR: folder,
    RATE_LIMIT_PER_MINUTE: '1000000',
    // Nothing listens there, so requests to the platform fail at once.
    PLATFORM_URL: 'http://127.0.0.1:9',
    PLATFORM_API_URL: 'http://127.0.0.1:9',
  })
  const { cookie } = await issueCredentials(
    { url: server.url, secretKey, publicUrl: 'http://umpire.example' },
    1,
  )
  const browser = await startBrowser()
  try {
    await using opened = await openPage(browser, {
      url: `http://127.0.0.1:${umpire.port}`,
      session: cookie,
    })
    await measure(opened.page, client)
  } finally {
    await browser.close()
  }
}

/** Seeds ten events per pull request in 1,000 repositories. */
async function fillDatabase(url: string, client: pg.Client): Promise<void> {
  await using database = await openDatabase({ engine: 'postgresql', url, poolSize: 2 }, quietLog)
  await runMigrations(database, quietLog)
  await seedDatabase(client, { events: Number(values.reviews) * 10, repositories: 1000 })
}

async function measure(page: Page, client: pg.Client): Promise<void> {
  const clock = await createCpuTimer(await page.context().newCDPSession(page))
  const opening = await clock(async () => {
    await page.goto('/reviews')
    await countRows(page, 1)
  })
  const load = loadavg()[0]?.toFixed(1)
  console.log(`\nThe list of ${values.reviews} reviews; ${cpus().length} cores, load ${load}`)
  console.log(`Opening the page: ${opening.toFixed(0)} ms of the main thread\n`)
  console.log(
    '| rows loaded | a frame of scrolling, mean | worst gap between frames | refreshing | ' +
      'coming back from a review |',
  )
  console.log('|---|---|---|---|---|')
  for (const rows of values.rows.split(',').map(Number)) {
    await loadRows(page, rows)
    const { perFrame, worst } = await scroll(page, clock)
    const refreshing = await clock(() => refresh(page, client))
    await openReview(page)
    const back = await clock(async () => {
      await page.goBack()
      await countRows(page, rows)
    })
    const cells = [perFrame, worst, refreshing, back].map((ms) => `${ms.toFixed(1)} ms`)
    console.log(`| ${await countRows(page, 1)} | ${cells.join(' | ')} |`)
  }
}

/** Creates a function that measures the main-thread CPU of some work in milliseconds. */
async function createCpuTimer(
  session: CDPSession,
): Promise<(work: () => Promise<unknown>) => Promise<number>> {
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const read = async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1000
  }
  return async (work) => {
    const before = await read()
    await work()
    return (await read()) - before
  }
}

async function countRows(page: Page, least: number): Promise<number> {
  for (;;) {
    await page.evaluate(pageScripts.drawn)
    const rows = (await page.evaluate(pageScripts.rows)) as number
    if (rows >= least) return rows
  }
}

/** Scrolls to the end until the list has this many rows. */
async function loadRows(page: Page, rows: number): Promise<void> {
  for (let loaded = await countRows(page, 1); loaded < rows; ) {
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
    loaded = await countRows(page, Math.min(rows, loaded + 1))
  }
}

/** Scrolls from the top by 150 pixels per frame, without loading more rows. */
async function scroll(page: Page, clock: Awaited<ReturnType<typeof createCpuTimer>>) {
  await page.evaluate('scrollTo(0, 0)')
  await page.evaluate(pageScripts.drawn)
  let gaps: number[] = []
  const total = await clock(async () => {
    gaps = (await page.evaluate(`new Promise((done) => {
      const gaps = []
      let last = performance.now()
      const step = () => {
        const now = performance.now()
        gaps.push(now - last)
        last = now
        if (gaps.length >= ${values.frames}) return done(gaps)
        const end = document.documentElement.scrollHeight - 3 * innerHeight
        scrollTo(0, scrollY < end ? scrollY + 150 : 0)
        requestAnimationFrame(step)
      }
      requestAnimationFrame(step)
    })`)) as number[]
  })
  return { perFrame: total / gaps.length, worst: Math.max(...gaps) }
}

/** Triggers a refetch of the newest page. */
async function refresh(page: Page, client: pg.Client): Promise<void> {
  const answered = page.waitForResponse(/api\/v1\/reviews\?/)
  await client.query(
    `select pg_notify($1, row_to_json(changed)::text) from (
      select repo, number, listed_event_id as event, listed_status as status
      from pull_requests limit 1) as changed`,
    [changesChannel],
  )
  await answered
  await page.evaluate(pageScripts.drawn)
}

async function openReview(page: Page): Promise<void> {
  await page.evaluate('scrollBy(0, 3000)')
  await page.evaluate(pageScripts.drawn)
  await page.evaluate(
    'document.elementFromPoint(200, 400).closest("li").querySelector("a").click()',
  )
  await page.getByRole('heading', { name: /^Outcome/ }).waitFor()
}
