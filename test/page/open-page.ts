// Opens pages in a real browser and collects console messages and accessibility problems.
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'

/** The shell without a window takes half the processor time. */
const chromiumPaths = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

const headlessFlags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
]
const isolationFlags = ['--disable-component-update', '--disable-sync', '--disable-dev-shm-usage']

export async function startBrowser(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM ?? chromiumPaths.find((path) => existsSync(path))
  if (executablePath === undefined) {
    throw new Error(
      'Chromium was not found. Install it (Debian: apt-get install chromium-headless-shell), ' +
        'or set CHROMIUM to its path.',
    )
  }
  return chromium.launch({ executablePath, args: [...headlessFlags, ...isolationFlags] })
}

export interface Viewport {
  readonly width: number
  readonly dark: boolean
}

/** Desktop in both themes, and a phone in the dark theme. */
export const viewports: readonly Viewport[] = [
  { width: 1280, dark: false },
  { width: 1280, dark: true },
  { width: 360, dark: true },
]

export interface OpenPage extends AsyncDisposable {
  readonly page: Page
  /** Console errors, warnings and policy violations so far. */
  readonly problems: readonly string[]
}

/**
 * Opens an empty page in a new browser context.
 *
 * @param url of the service
 * @param session the JWT of a signed-in user
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
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('dialog', (dialog) => {
    problems.push(`Dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('console', (message) => {
    // The browser logs every failed request. The page handles 401 responses.
    const isUnauthorized = /^Failed to load resource: .* 401 /.test(message.text())
    // Without a graphics card the driver warns about slow drawing.
    const isDriverWarning = /GL Driver Message \(OpenGL, Performance,/.test(message.text())
    if (!['error', 'warning'].includes(message.type())) return
    if (isUnauthorized || isDriverWarning) return
    problems.push(message.text())
  })
  return { page, problems, [Symbol.asyncDispose]: () => context.close() }
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const describeViolations = `
  axe.run().then(({ violations }) =>
    violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) =>
        id + ': ' + html.slice(0, 200) + ' ' + failureSummary)))`

/** The width of the page or of its widest card, some of which scroll on their own. */
const measureWidth = `Math.max(
  document.documentElement.scrollWidth,
  ...[...document.querySelectorAll('article')].map(({ offsetWidth }) => offsetWidth))`

/** Accessibility violations, and whether the page or a card is wider than the screen. */
export async function findAccessibilityProblems(page: Page): Promise<string[]> {
  const violations = (await page.evaluate(`${axe}; ${describeViolations}`)) as string[]
  const [pageWidth, screenWidth] = (await page.evaluate(`[${measureWidth}, innerWidth]`)) as [
    number,
    number,
  ]
  if (pageWidth <= screenWidth) return violations
  return [...violations, `The page is ${pageWidth} wide on a screen of ${screenWidth}`]
}

/** Starts recording layout shifts. Call it before loading the page. */
export async function observeLayoutShifts(page: Page): Promise<void> {
  await page.addInitScript(`
    window.layoutShifts = []
    const store = (entries) =>
      window.layoutShifts.push(...entries.filter((entry) => !entry.hadRecentInput))
    const observer = new PerformanceObserver((list) => store(list.getEntries()))
    observer.observe({ type: 'layout-shift', buffered: true })
    window.takeLayoutShifts = () => store(observer.takeRecords())`)
}

/** The sum of the layout shift scores so far. */
export async function readLayoutShift(page: Page): Promise<number> {
  await waitForFrames(page)
  return (await page.evaluate(
    'window.takeLayoutShifts(); window.layoutShifts.reduce((sum, { value }) => sum + value, 0)',
  )) as number
}

/** Waits until the current content is painted. */
export async function waitForFrames(page: Page): Promise<void> {
  await page.evaluate(
    'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))',
  )
}

/** Holds matching requests until the returned function is called. */
export async function holdRequests(page: Page, pattern: RegExp): Promise<() => void> {
  const gate = Promise.withResolvers<void>()
  await page.route(pattern, async (route) => {
    await gate.promise
    await route.continue()
  })
  return gate.resolve
}

/** Saves a screenshot in the folder PAGE_PICTURES, if it is set. */
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
