// Tests of the insights page in a browser.
import { text } from 'node:stream/consumers'
import { sql } from 'kysely'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { definitions } from '../../web/src/pages/insights/definitions.ts'
import { startConnectScenario } from '../connect-scenario.ts'
import type { Forge } from '../fakes/forge/forge.ts'
import {
  insertFindingSamples,
  insertPullRequestSamples,
  type PullRequestSample,
} from '../pull-request-samples.ts'
import { forgeEnvironment, startShopForge } from '../review-scenario.ts'
import { type SignedInUser, signInWithToken } from '../sign-in.ts'
import { startTestApp, type TestApp } from '../start-app.ts'
import {
  findAccessibilityProblems,
  openPage,
  saveScreenshot,
  startBrowser,
  type Viewport,
  viewports,
} from './open-page.ts'

const day = 24
const main = 'anthropic:claude-opus-5-5'
const fast = 'anthropic:claude-haiku-5'

/** Samples of each kind. The authors are not in the order of their activity. */
function makeSamples(): PullRequestSample[] {
  const verdicts = ['APPROVE', 'APPROVE', 'NEEDS_DISCUSSION', 'REQUEST_CHANGES', 'APPROVE'] as const
  const authors = ['zoe', 'zoe', 'mia', 'ben', 'zoe', 'Ann', 'mia']
  const reviewed = Array.from({ length: 36 }, (_, index): PullRequestSample => {
    const hoursAgo = 5 + ((index * 19) % (28 * day))
    const run = { hoursAgo, seconds: 40 + ((index * 37) % 400) }
    const spend =
      index % 9 === 8
        ? []
        : ([
            [main, 0.03 + (index % 7) / 25],
            [fast, index === 4 ? null : 0.004],
          ] as const)
    const first = {
      outcome: 'REQUEST_CHANGES' as const,
      hoursAgo: hoursAgo + 9,
      seconds: 60,
      spend: [[main, 0.2]] as const,
    }
    return {
      runs: [...(index % 4 === 0 ? [first] : []), { ...run, outcome: verdicts[index % 5]!, spend }],
      author: authors[index % 7]!,
      ...(index % 3 === 0
        ? { merged: [hoursAgo + 6 + index, hoursAgo - 3] as const, labeledHoursAgo: hoursAgo - 3 }
        : {}),
      ...{ lines: 5 + ((index * index * 7) % 900), confidence: 1 + ((index * 3) % 5) },
      findings: [index % 6 === 3 ? 1 : 0, index % 3, (index * 2) % 5],
    }
  })
  const failed = [3, 3.5, 200].map((hoursAgo): PullRequestSample => {
    return {
      runs: [{ outcome: 'failed', hoursAgo, seconds: 9, spend: [[main, 0.11]] }],
      author: 'ben',
    }
  })
  return [
    ...reviewed,
    ...failed,
    { runs: [{ outcome: 'skipped', hoursAgo: 40 }] },
    { pendingHoursAgo: 1 },
    { labeledHoursAgo: 2 },
  ]
}

let forge: Forge
let app: TestApp
let browser: Browser
let root: SignedInUser
let nobody: SignedInUser

beforeAll(async () => {
  browser = await startBrowser()
  forge = await startShopForge()
  app = await startTestApp({ env: forgeEnvironment(forge), parts: { web: true, worker: false } })
  for (const login of ['root', 'nobody'])
    forge.createUser(login, { token: `ghp_token_of_${login}` })
  // The first user becomes the administrator.
  root = await signInWithToken(app, 'ghp_token_of_root')
  nobody = await signInWithToken(app, 'ghp_token_of_nobody')
  const old = {
    runs: [{ outcome: 'APPROVE', hoursAgo: 50 * day, seconds: 7, spend: [[main, 3]] }],
    author: 'old',
  } as const
  const other = {
    runs: [{ outcome: 'APPROVE', hoursAgo: 30, seconds: 12 }],
    author: 'mia',
    lines: 3,
  } as const
  await insertPullRequestSamples(
    app.db,
    { 'acme/shop': [...makeSamples(), old], 'acme/web-client': [other] },
    [[0.25, 3]],
  )
  // The first, the fourth and the seventh pull request were merged in the last days.
  const shop = { repo: 'acme/shop', rule: 'sql-injection' }
  await insertFindingSamples(app.db, [
    { ...shop, number: 1, outcome: 'fixed', title: 'Orders are joined' },
    { ...shop, number: 1, outcome: 'fixed' },
    { ...shop, number: 1, outcome: 'open', rule: null, severity: 'critical' },
    { ...shop, number: 4, outcome: 'dismissed', reason: 'Test code' },
    { ...shop, number: 4, outcome: 'fixed' },
    { ...shop, number: 7, outcome: 'replaced' },
    { ...shop, number: 7, outcome: 'fixed' },
    { ...shop, number: 7, outcome: 'suppressed', severity: 'minor' },
    { ...shop, number: 2, outcome: 'dismissed', reason: '' },
  ])
  for (const [number, seconds] of [
    [1, 60],
    [4, 180],
  ])
    await sql`update pull_requests set first_reviewed_at = now() - interval '1 hour',
        first_requested_at = now() - interval '1 hour' - make_interval(secs => ${seconds}::float8)
      where repo = 'acme/shop' and number = ${number}`.execute(app.db)
})
afterAll(async () => {
  await browser?.close()
  await app?.[Symbol.asyncDispose]()
  await forge?.[Symbol.asyncDispose]()
})

function openAs({ session }: SignedInUser, view: Viewport = viewports[0]!) {
  return openPage(browser, { url: app.url, session, ...view })
}

/** Reads metrics from the API as an administrator. */
// biome-ignore lint/suspicious/noExplicitAny: JSON that the tests check
async function readMetrics(name: 'insights' | 'reviewing', query = ''): Promise<any> {
  return (
    await fetch(`${app.url}/api/v1/analytics/${name}${query}`, { headers: root.cookie })
  ).json()
}

/** The body rows of a table, each as a list of cells. */
function readTable(page: Page, caption: string): Promise<string[][]> {
  const rows = page.getByRole('table', { name: caption, exact: true }).locator('tbody tr')
  return rows.evaluateAll((all) =>
    all.map((row) => [...row.querySelectorAll('th, td')].map((cell) => cell.textContent ?? '')),
  )
}

async function expectFindings(page: Page, count: number): Promise<void> {
  await expect.poll(() => readTable(page, 'Findings')).toHaveLength(count)
}

const money = (dollars: number) => `$${dollars.toFixed(dollars > 0 && dollars < 0.1 ? 4 : 2)}`

describe('outcomes', () => {
  it('are shown first, with their definitions', async () => {
    await using opened = await openAs(root)
    const { page, problems } = opened
    await page.goto('/insights')
    const figure = (name: string) => page.getByRole('region', { name, exact: true })
    const texts = {
      [definitions.fixed.name]: ['57%', '4 of 7 findings in 12 merged pull requests.'],
      [definitions.dismissed.name]: [
        '2',
        'In open, merged and closed pull requests: 1 with a reason, 1 without.',
      ],
      [definitions.openCritical.name]: ['1', 'of 12 reviewed and merged pull requests.'],
      [definitions.firstReview.name]: ['2 min', /^Median of 2 pull requests\.$/],
    }
    for (const [name, [value, details]] of Object.entries(texts)) {
      await figure(name).getByText(value!, { exact: true }).waitFor()
      await figure(name).getByText(details!).waitFor()
    }
    const summary = figure(definitions.fixed.name).getByText('Definition', { exact: true })
    await summary.focus()
    await page.keyboard.press('Enter')
    await figure(definitions.fixed.name).getByText(definitions.fixed.excluded).waitFor()

    const rules = await readTable(page, 'Findings by rule')
    expect(rules).toEqual([
      ['sql-injection', '57%', '7', '4', '2', '2', '1'],
      ['Model: correctness', '0%', '1', '0', '0', '0', '1'],
    ])
    expect(await readTable(page, 'Dismissals by reason')).toEqual([
      ['No reason given', '1'],
      ['Test code', '1'],
    ])
    await page.getByRole('link', { name: 'Show the list', exact: true }).click()
    await page.waitForURL('**/insights#open-critical')
    const [entry] = await readTable(page, 'Open critical findings at merge')
    expect(entry?.slice(0, 3)).toEqual(['Change 1 acme/shop#1 by zoe', '1', 'Reviewed'])
    expect(problems).toEqual([])
  })

  it('say nothing about cost where no model was used', async () => {
    await using opened = await openAs(root)
    const { page } = opened
    await page.goto('/insights?repo=acme/web-client')
    await page.getByText('No pull request with findings was merged').waitFor()
    await page.getByText('No pull request was merged.').waitFor()
    expect(await page.getByText(/cost|\$0/i).count()).toBe(0)
  })
})

describe('list of findings', () => {
  it('opens from a figure with the same number of findings', async () => {
    await using opened = await openAs(root)
    const { page, problems } = opened
    await page.goto('/insights')
    await page.getByRole('link', { name: 'Open at merge', exact: true }).click()
    await page.waitForURL('**/insights/findings?outcome=open%2Csuppressed&period=m30')
    await page.getByRole('heading', { name: 'Findings', exact: true }).waitFor()
    await expectFindings(page, 2)
    await page.getByRole('button', { name: 'Clear filters', exact: true }).click()
    await expectFindings(page, 9)
    expect(problems).toEqual([])
  })

  it('is searched and filtered, and links reviews and threads', async () => {
    await using opened = await openAs(root)
    const { page, problems } = opened
    await page.goto('/insights/findings')
    await page.getByLabel('Severity', { exact: true }).selectOption('critical')
    await page.waitForURL('**/insights/findings?severity=critical')
    await expectFindings(page, 1)
    await page.getByLabel('Severity', { exact: true }).selectOption('')
    await page.getByRole('searchbox').fill('ORDERS')
    await page.waitForURL('**/insights/findings?search=ORDERS')
    await expectFindings(page, 1)
    const title = page.getByRole('link', { name: 'Orders are joined', exact: true })
    expect(await title.getAttribute('href')).toMatch(/\/reviews\/\d+#finding-[0-9a-f]{32}$/)
    const thread = page.getByRole('link', { name: /^Thread of “Orders are joined”/ })
    expect(await thread.getAttribute('href')).toMatch(/^https:\/\/forge\.example\//)
    await page.getByRole('searchbox').fill('no such finding')
    await page.getByText('No findings match your filters').waitFor()
    await page.getByRole('link', { name: 'Clear filters', exact: true }).click()
    await expectFindings(page, 9)
    expect(problems).toEqual([])
  })

  it('offers and counts all values that the other filters leave', async () => {
    await using opened = await openAs(root)
    const { page } = opened
    const optionsOf = (label: string) =>
      page.getByLabel(label, { exact: true }).locator('option').allTextContents()
    await page.goto('/insights/findings')
    const models = ['All findings of models (1)']
    const all = ['All rules', ...models, 'sql-injection (8)', 'Model: correctness (1)']
    await expect.poll(() => optionsOf('Rule')).toEqual(all)
    expect(await optionsOf('Severity')).toEqual([
      'All severities',
      ...['critical (1)', 'moderate (7)', 'minor (1)'],
    ])
    // Nobody merged the pull request of this dismissal.
    await page.goto('/insights/findings?outcome=dismissed&kind=model')
    await expect
      .poll(() => optionsOf('Rule'))
      .toEqual(['All rules', 'sql-injection (2)', 'model (0)'])
    expect(await optionsOf('Outcome')).toContain('Open (1)')
  })

  it('has cards and one button for the filters on a phone', async () => {
    await using opened = await openAs(root, { width: 390, dark: false })
    const { page } = opened
    await page.goto('/insights/findings')
    const cards = page.getByRole('list', { name: 'Findings', exact: true }).getByRole('listitem')
    await cards.first().waitFor()
    expect(await cards.count()).toBe(9)
    expect(await page.getByRole('table').count()).toBe(0)
    expect(await page.getByRole('combobox').count()).toBe(0)
    await page.getByRole('button', { name: 'Filters', exact: true }).click()
    await page.getByLabel('Severity', { exact: true }).selectOption('critical')
    await page.getByRole('button', { name: 'Filters (1)', exact: true }).click()
    expect(await page.getByRole('combobox').count()).toBe(0)
    await expect.poll(() => cards.count()).toBe(1)
  })

  it('leads to a finding in its review', async () => {
    await using opened = await openAs(root)
    const { page } = opened
    await page.goto('/insights/findings?severity=critical')
    await page.getByRole('link', { name: 'It breaks', exact: true }).click()
    await page.waitForURL(/\/reviews\/\d+#finding-[0-9a-f]{32}$/)
    await page.locator(`id=${new URL(page.url()).hash.slice(1)}`).waitFor()
  })

  it('is exported as it is filtered', async () => {
    await using opened = await openAs(root)
    const { page } = opened
    await page.goto('/insights/findings?outcome=dismissed')
    await expectFindings(page, 2)
    for (const [name, read] of [
      ['CSV', (text: string) => text.trimEnd().split('\r\n').slice(1)],
      ['JSON', (text: string) => JSON.parse(text)],
    ] as const) {
      const download = page.waitForEvent('download')
      await page.getByRole('link', { name: `Export as ${name}`, exact: true }).click()
      const file = await download
      expect(file.suggestedFilename()).toMatch(/^findings-[\d-]+\.(csv|json)$/)
      expect(read(await text(await file.createReadStream()))).toHaveLength(2)
    }
  })
})

describe('insights', () => {
  it('show the metrics of the API', async () => {
    const [outcome, { coverage, reviews, cost }] = await Promise.all([
      readMetrics('insights'),
      readMetrics('reviewing'),
    ])
    await using opened = await openAs(root)
    const { page, problems } = opened
    await page.goto('/reviews')
    await page.getByRole('link', { name: 'Insights', exact: true }).click()
    await page.getByText(`${coverage.reviewed} of ${coverage.pull_requests}`).waitFor()
    expect([coverage.reviewed, coverage.pull_requests]).toEqual([37, 43])
    const count = (rows: string[][]) => rows.map((cells) => [cells[0], cells.at(-1)])
    const { reviewed, under_way: underWay, failed, skipped, not_asked: notAsked } = coverage
    expect(count(await readTable(page, 'Coverage'))).toEqual([
      ['Reviewed', String(reviewed)],
      ['In progress', String(underWay)],
      ['Failed', String(failed)],
      ['Skipped', String(skipped)],
      ['Not requested', String(notAsked)],
    ])
    expect(count(await readTable(page, 'Verdicts'))).toEqual([
      ['Passed', String(outcome.verdicts.APPROVE)],
      ['Needs a person', String(outcome.verdicts.NEEDS_DISCUSSION)],
      ['Changes requested', String(outcome.verdicts.REQUEST_CHANGES)],
    ])
    expect(count(await readTable(page, 'Confidence'))).toEqual(
      [5, 4, 3, 2, 1].map((value) => [`${value} of 5`, String(outcome.confidence_dist[value])]),
    )
    expect(count(await readTable(page, 'Open findings'))).toEqual(
      ['Critical', 'Moderate', 'Minor'].map((name) => [
        name,
        String(outcome.issue_categories[name.toLowerCase()]),
      ]),
    )
    const models = await readTable(page, 'Cost by model')
    expect(models.map((cells) => cells.slice(0, 2))).toEqual([
      [main, money(cost.models[0].cost_usd)],
      [fast, money(cost.models[1].cost_usd)],
    ])
    const sample = `${cost.per_review.count} of ${reviews.posted} posted reviews`
    const known = `The cost of ${sample} is known`
    await page.getByText(`${known}; 1 used a model with an unknown price`).waitFor()
    await page.getByText('cost an additional $0.25').waitFor()
    expect(problems).toEqual([])
  })

  it('draw the same numbers in charts and tables', async () => {
    const { days, reviews } = await readMetrics('reviewing')
    await using opened = await openAs(root)
    const { page } = opened
    await page.goto('/insights')
    const [byReviews, byCost] = [
      page.getByRole('img', { name: /^Reviews by day/ }),
      page.getByRole('img', { name: /^Cost/ }),
    ]
    await byCost.waitFor()
    for (const numbers of await page.getByText('Numbers', { exact: true }).all())
      await numbers.click()
    const costs = await readTable(page, 'Cost by day')
    expect(costs.map(([, cost]) => cost)).toEqual(
      days.map((one: { cost_usd: number }) => money(one.cost_usd)),
    )
    const posted = await readTable(page, 'Reviews by day')
    const sum = posted
      .flatMap((cells) => cells.slice(1, 4).map(Number))
      .reduce((one, other) => one + other, 0)
    expect(sum).toBe(reviews.posted)
    // Heights of the columns, in the order of the days.
    const heights = await byCost
      .locator('g.fill-accent rect')
      .evaluateAll((all) => all.map((rect) => Number(rect.getAttribute('height'))))
    const drawn = days.filter((one: { cost_usd: number }) => one.cost_usd > 0)
    expect(heights).toHaveLength(drawn.length)
    const scale = heights[0]! / drawn[0].cost_usd
    for (const [index, height] of heights.entries())
      expect(height / drawn[index].cost_usd).toBeCloseTo(scale, 5)
    const columns = (fill: string) => byReviews.locator(`g.${fill} rect`).count()
    const daysWith = (column: number) => posted.filter((cells) => cells[column] !== '0').length
    expect(await columns('fill-mark-good')).toBe(daysWith(1))
    expect(await columns('fill-mark-bad')).toBe(daysWith(3))
    expect(await columns('fill-muted')).toBe(daysWith(4))
    const tooltips = await byCost.locator('title').allTextContents()
    expect(tooltips.map((text) => text.replace('\n', ' '))).toEqual(
      costs.map(([date, cost]) => `${date} ${cost === '$0.00' ? 'None' : cost}`),
    )
  })

  it('sort authors by name', async () => {
    const { authors } = await readMetrics('insights')
    const names = authors.map(({ author }: { author: string }) => author)
    expect(names).toEqual(['zoe', 'mia', 'ben', 'Ann', 'ann'])
    await using opened = await openAs(root)
    const { page } = opened
    await page.goto('/insights')
    await page.getByText('Sorted by name.').waitFor()
    const rows = await readTable(page, 'Authors, by name')
    expect(rows.map(([name]) => name)).toEqual(['ann', 'Ann', 'ben', 'mia', 'zoe'])
    for (const [name, ...metrics] of rows) {
      const author = authors.find((one: { author: string }) => one.author === name)
      expect(metrics).toEqual([author.prs, author.merged, author.issues_flagged].map(String))
    }
  })

  it('store the period and the repository in the URL', async () => {
    await using opened = await openAs(root)
    const { page, problems } = opened
    await page.goto('/insights')
    await page.getByText('37 of 43').waitFor()
    await page.getByRole('link', { name: '90 days', exact: true }).click()
    await page.getByText('38 of 44').waitFor()
    await saveScreenshot(page, 'insights-of-90-days', viewports[0]!)
    expect(new URL(page.url()).search).toBe('?days=90')
    await page.getByRole('link', { name: 'acme/web-client', exact: true }).click()
    await page.getByText('1 of 1 pull request with activity').waitFor()
    expect(new URL(page.url()).search).toBe('?days=90&repo=acme%2Fweb-client')
    await page.reload()
    await page.getByText('1 of 1 pull request with activity').waitFor()
    await page.getByRole('button', { name: /Clear repository filter: acme\/web-client/ }).click()
    await page.getByText('38 of 44').waitFor()
    await page.getByRole('link', { name: '30 days', exact: true }).click()
    await page.getByText('37 of 43').waitFor()
    expect(new URL(page.url()).search).toBe('')
    await page.getByRole('link', { name: '7 days', exact: true }).click()
    await page.waitForURL('**/insights?days=7')
    await page.locator('[aria-busy=false]').waitFor()
    await saveScreenshot(page, 'insights-of-7-days', viewports[0]!)
    await page.goto('/insights?days=31')
    await page.getByText('37 of 43').waitFor()
    await page.goto('/insights?repo=acme/other')
    await page.getByText('No reviews in acme/other').waitFor()
    await page.getByRole('link', { name: 'Show all repositories', exact: true }).click()
    await page.getByText('37 of 43').waitFor()
    expect(problems).toEqual([])
  })

  it('offer a retry when requests fail', async () => {
    await using opened = await openAs(root)
    const { page } = opened
    await page.goto('/reviews')
    await page.getByRole('heading', { name: 'Reviews', exact: true }).waitFor()
    await page.route('**/api/v1/analytics/**', (route) => route.abort())
    await page.getByRole('link', { name: 'Insights', exact: true }).click()
    await page
      .getByRole('alert')
      .getByText(/can’t be reached/)
      .waitFor()
    await page.unroute('**/api/v1/analytics/**')
    await page.getByRole('button', { name: 'Try again', exact: true }).click()
    await page.getByText('37 of 43').waitFor()
  })
})

it('insights update after a review without a reload', async () => {
  await using scene = await startConnectScenario({ env: { MEMORY: 'off', GRAPH: 'off' } })
  const repo = await scene.createRepository()
  await scene.forge.push(repo, 'main', { 'README.md': '# Shop\n' }, { author: 'alice' })
  expect(await scene.connect('alice', repo)).toMatchObject({ status: 200 })
  const { session } = await scene.signIn('alice')
  await using opened = await openPage(browser, { url: scene.app.url, session })
  const { page, problems } = opened
  await page.goto('/insights')
  await page.getByText('No reviews in the last 30 days').waitFor()
  await page.evaluate('window.sameDocument = true')
  await scene.forge.push(
    repo,
    'topic',
    { 'src/total.ts': 'export const total = 1\n' },
    { author: 'alice' },
  )
  await scene.forge.openPullRequest({ repo, head: 'topic', author: 'alice', title: 'Count' })
  await page.getByText('1 of 1 pull request with activity').waitFor()
  await page.getByText('Median of 1 pull request').first().waitFor()
  expect(await page.evaluate('window.sameDocument')).toBe(true)
  expect(problems).toEqual([])
})

describe.each(viewports)('at a width of $width, dark: $dark', (view) => {
  it('insights are accessible', async () => {
    await using opened = await openAs(root, view)
    const { page, problems } = opened
    await page.goto('/insights')
    await page.getByText('37 of 43').waitFor()
    await saveScreenshot(page, 'insights', view)
    expect(await findAccessibilityProblems(page)).toEqual([])
    for (const numbers of await page.locator('summary').all()) await numbers.click()
    await page.getByRole('table', { name: 'Cost by day', exact: true }).waitFor()
    await saveScreenshot(page, 'insights-numbers', view)
    expect(await findAccessibilityProblems(page)).toEqual([])
    expect(problems).toEqual([])
  })

  it('the list of findings is accessible and fits', async () => {
    await using opened = await openAs(root, view)
    const { page, problems } = opened
    await page.goto('/insights/findings')
    await page.getByRole('link', { name: 'Orders are joined', exact: true }).waitFor()
    await saveScreenshot(page, 'findings', view)
    expect(await findAccessibilityProblems(page)).toEqual([])
    await page.goto('/insights/findings?author=nobody')
    await page.getByText('No findings match your filters').waitFor()
    expect(await findAccessibilityProblems(page)).toEqual([])
    expect(problems).toEqual([])
  })

  it('empty insights are accessible', async () => {
    await using opened = await openAs(nobody, view)
    const { page, problems } = opened
    await page.goto('/insights?days=7')
    await page.getByText('No reviews in the last 7 days').waitFor()
    await saveScreenshot(page, 'no-insights', view)
    expect(await findAccessibilityProblems(page)).toEqual([])
    expect(problems).toEqual([])
  })
})
