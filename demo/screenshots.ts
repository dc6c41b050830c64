// Takes the screenshots for the README and stores them in docs/pictures/.
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { startForge } from '../test/fakes/forge/forge.ts'
import { openPage, startBrowser } from '../test/page/open-page.ts'
import { signInWithToken } from '../test/sign-in.ts'
import { hoursOf, moveToPast, startInPast } from './past.ts'
import { playChange } from './play-change.ts'
import { createShop, repo, sampleChanges } from './sample-shop.ts'
import { createTeamChanges, createTeamRepositories } from './sample-team.ts'
import { createServiceEnvironment } from './service-environment.ts'
import { type Session, signIn, startService } from './start-service.ts'

const token = 'token-of-the-demo-reviewer'
const screenshotFolder = fileURLToPath(new URL('../docs/pictures/', import.meta.url))
const maxScreenshotBytes = 200 * 1024

interface Screenshot {
  readonly name: string
  readonly path: string
  readonly height: number
  readonly dark?: boolean
  /** Waits for the content and scrolls it into view. */
  readonly waitUntilReady: (page: Page) => Promise<unknown>
}

const folder = mkdtempSync(join(tmpdir(), 'umpire-pictures-'))
const browser = await startBrowser()
try {
  await takeScreenshots(browser)
} finally {
  await browser.close()
  rmSync(folder, { recursive: true, force: true })
}

async function takeScreenshots(browser: Browser): Promise<void> {
  mkdirSync(screenshotFolder, { recursive: true })
  const changes = [...createTeamChanges(), ...sampleChanges]
  await using forge = await startForge({ clock: startInPast(changes.length) })
  await createShop(forge, token)
  const repositories = [repo, ...(await createTeamRepositories(forge))]
  const environment = await createServiceEnvironment(forge, {
    platform: 'github',
    folder,
    model: null,
    port: 0,
  })
  const logFile = join(folder, 'umpire.log')
  await using first = await startService(environment, logFile)
  const umpire = await signIn(first.url, token)
  for (const name of repositories) await umpire.send('POST', `/api/v1/repos/${name}/install`)
  await waitUntil(
    umpire,
    `/api/v1/memory/scan?repo=${repo}`,
    (scan: { status: string }) => scan.status === 'completed',
  )
  const silence = { step: () => {}, detail: () => {}, showFindings: () => {} }
  const stage = { forge, umpire, failed: first.failed, ...silence }
  for (const [index, change] of changes.entries()) await playChange(stage, change, hoursOf(index))
  const merged = changes.filter(({ merge }) => merge).length
  await waitUntil(
    umpire,
    '/api/v1/inbox/counts',
    ({ tabs }: { tabs: { merged: number } }) => tabs.merged === merged,
  )
  await waitUntil(
    umpire,
    '/api/v1/reviews',
    ([newest]: readonly { status: string }[]) => newest?.status === 'completed',
  )
  const [newest] = (await umpire.send('GET', '/api/v1/reviews')) as [{ id: number }]
  await first[Symbol.asyncDispose]()
  await moveToPast(folder)
  await using service = await startService(environment, logFile)
  const { session } = await signInWithToken(service, token)
  // All screenshots show the same relative times.
  const time = new Date()
  await using posted = await openPage(browser, { url: forge.url })
  await takeScreenshot(posted.page, {
    name: 'posted-review',
    path: `/${repo}/pull/${sampleChanges.length}`,
    height: 900,
    waitUntilReady: (page) => page.getByText('Changes requested').first().waitFor(),
  })
  for (const shot of listScreenshots(newest.id)) {
    await using opened = await openPage(browser, {
      url: service.url,
      session,
      dark: shot.dark ?? false,
    })
    await opened.page.clock.setFixedTime(time)
    await takeScreenshot(opened.page, shot)
    if (opened.problems.length > 0) throw new Error(opened.problems.join('\n'))
  }
}

async function waitUntil<Response>(
  umpire: Session,
  path: string,
  isDone: (response: Response) => boolean,
): Promise<void> {
  const deadline = Date.now() + 120_000
  while (!isDone((await umpire.send('GET', path)) as Response)) {
    if (Date.now() > deadline) throw new Error(`Timed out waiting for ${path}`)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

function listScreenshots(review: number): Screenshot[] {
  const finding = async (page: Page) => {
    const card = page.getByRole('article', { name: /^Finding:/ }).first()
    await page.locator('.code-token-keyword').first().waitFor()
    await card.locator('.markdown').waitFor()
    await page.locator('#diff').evaluate((diff) => diff.scrollIntoView())
    // Below the bar with the filters.
    await page.evaluate('scrollBy(0, -60)')
  }
  const top = (page: Page) => page.locator('.code-token-keyword').first().waitFor()
  return [
    {
      name: 'reviews',
      path: '/reviews?tab=all',
      height: 640,
      waitUntilReady: (page) =>
        page.getByRole('list', { name: 'Reviews' }).getByRole('listitem').nth(6).waitFor(),
    },
    { name: 'review', path: `/reviews/${review}`, height: 900, waitUntilReady: top },
    {
      name: 'finding',
      path: `/reviews/${review}`,
      height: 900,
      dark: true,
      waitUntilReady: finding,
    },
    {
      name: 'code',
      path: `/repositories/${repo}?tab=code`,
      height: 900,
      waitUntilReady: async (page) => {
        await page.getByRole('tabpanel').getByText('Unchanged files').waitFor()
        await page.locator('canvas').first().waitFor()
      },
    },
    {
      name: 'insights',
      path: '/insights',
      height: 900,
      dark: true,
      waitUntilReady: (page) => page.getByRole('heading', { name: 'Insights' }).waitFor(),
    },
  ]
}

async function takeScreenshot(
  page: Page,
  { name, path, height, waitUntilReady }: Screenshot,
): Promise<void> {
  await page.setViewportSize({ width: 1440, height })
  await page.goto(path)
  await waitUntilReady(page)
  // Waits until no placeholder is left.
  await page.locator('.animate-pulse').first().waitFor({ state: 'detached' })
  const file = join(screenshotFolder, `${name}.png`)
  await page.screenshot({ path: file })
  const { size } = statSync(file)
  console.log(`docs/pictures/${name}.png: ${Math.round(size / 1024)} KB`)
  if (size > maxScreenshotBytes)
    throw new Error(`${name}.png is larger than ${maxScreenshotBytes / 1024} KB`)
}
