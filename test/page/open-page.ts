// A real browser for tests of the page: what it complains of is kept, and what people with other senses would miss.
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'

/** Where systems put it. */
const chromiumPaths = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

const headlessFlags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
]
const isolationFlags = ['--disable-component-update', '--disable-sync', '--disable-dev-shm-usage']

/** Starts the browser. It fails where there is none, and says what to do. */
export async function startBrowser(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM ?? chromiumPaths.find((place) => existsSync(place))
  if (executablePath === undefined) {
    throw new Error(
      'Tests of the page need Chromium (Debian: apt-get install chromium), or its path in CHROMIUM',
    )
  }
  return chromium.launch({ executablePath, args: [...headlessFlags, ...isolationFlags] })
}

/** How a page is looked at. */
export interface Viewport {
  readonly width: number
  readonly dark: boolean
}

/** A screen in the light and in the dark, and a phone in the dark, whose parts a screen shows in the light too. */
export const viewports: readonly Viewport[] = [
  { width: 1280, dark: false },
  { width: 1280, dark: true },
  { width: 360, dark: true },
]

export interface OpenPage extends AsyncDisposable {
  readonly page: Page
  /** Errors, warnings and reports of the policy so far. */
  readonly problems: readonly string[]
}

/**
 * Opens an empty page of a browser that knows nothing.
 *
 * @param url of the service
 * @param session the JWT of somebody who is signed in
 */
export async function openPage(
  browser: Browser,
  {
    url,
    session,
    width = 1280,
    dark = false,
  }: { url: string; session?: string } & Partial<Viewport>,
): Promise<OpenPage> {
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width, height: width < 600 ? 740 : 900 },
    colorScheme: dark ? 'dark' : 'light',
  })
  if (session !== undefined)
    await context.addCookies([{ name: 'access_token', value: session, url }])
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('dialog', (dialog) => {
    complaints.push(`A dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('console', (message) => {
    // The browser tells by itself of every refusal; the page deals with those of who isn't signed in.
    const isRefusal = /^Failed to load resource: .* 401 /.test(message.text())
    // Nor is it of interest here how fast pictures are drawn without a graphics card.
    const isSlowDrawing = /GL Driver Message \(OpenGL, Performance,/.test(message.text())
    if (!['error', 'warning'].includes(message.type()) || isRefusal || isSlowDrawing) return
    complaints.push(message.text())
  })
  return { page, problems: complaints, [Symbol.asyncDispose]: () => context.close() }
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What keeps people from using the page as it stands: accessibility, and whether it is wider than the screen. */
export async function findAccessibilityProblems(page: Page): Promise<string[]> {
  const barriers =
    (await page.evaluate(`${axe}; axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => id + ': ' + html.slice(0, 200) + ' ' + failureSummary)))`)) as string[]
  const [wide, screen] = (await page.evaluate(
    '[document.documentElement.scrollWidth, innerWidth]',
  )) as [number, number]
  return wide > screen ? [...barriers, `It is ${wide} wide on a screen of ${screen}`] : barriers
}

/** Begins to count how far things jump: before the page is loaded. */
export async function observeLayoutShifts(page: Page): Promise<void> {
  await page.addInitScript(`
    window.jumps = []
    const keep = (entries) => window.jumps.push(...entries.filter((entry) => !entry.hadRecentInput))
    const observer = new PerformanceObserver((list) => keep(list.getEntries()))
    observer.observe({ type: 'layout-shift', buffered: true })
    window.takeJumps = () => keep(observer.takeRecords())`)
}

/** How far things have jumped so far: the sum of the browser's layout-shift scores. */
export async function readLayoutShift(page: Page): Promise<number> {
  await waitForFrames(page)
  return (await page.evaluate(
    'window.takeJumps(); window.jumps.reduce((sum, { value }) => sum + value, 0)',
  )) as number
}

/** Waits until what is there was painted. */
export async function waitForFrames(page: Page): Promise<void> {
  await page.evaluate(
    'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))',
  )
}

/** Holds back requests whose address fits until they are let go. */
export async function holdRequests(page: Page, pattern: RegExp): Promise<() => void> {
  const gate = Promise.withResolvers<void>()
  await page.route(pattern, async (route) => {
    await gate.promise
    await route.continue()
  })
  return gate.resolve
}

/** Keeps a picture in the folder PAGE_PICTURES, where that is set: for people to look at. */
export async function saveScreenshot(
  page: Page,
  name: string,
  { width, dark }: Viewport,
): Promise<void> {
  const folder = process.env.PAGE_PICTURES
  if (folder === undefined) return
  await page.screenshot({
    path: join(folder, `${name}-${width}-${dark ? 'dark' : 'light'}.png`),
    fullPage: true,
  })
}
