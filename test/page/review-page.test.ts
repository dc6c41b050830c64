// Tests of the review page in a browser: outcome, findings in the diff, live updates, safety.
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readSample } from '../../demo/read-sample.ts'
import { hold, replyWith } from '../fakes/forge/forge.ts'
import { type ModelServer, startModelServer } from '../fakes/models/model-server.ts'
import { confirmAll, isVerificationRequest } from '../fakes/models/verification.ts'
import { repo, type Scenario, startScenario } from '../review-scenario.ts'
import { signInWithToken } from '../sign-in.ts'
import {
  findAccessibilityProblems,
  openPage,
  saveScreenshot,
  startBrowser,
  type Viewport,
  viewports,
} from './open-page.ts'

const hostile = '</script><script>alert(1)</script><img src=x onerror=alert(1)>'
const path = 'src/discount.ts'
const discount = `// Discounts.
export function discountOf(count: number): number {
  // Ten and more get a tenth off. \u202e${hostile}
  if (count > 10) {
    return 0.1
  }
  return 0
}
`
const finding = {
  path,
  side: 'RIGHT',
  start_line: 4,
  end_line: 4,
  quote: 'if (count > 10) {',
  severity: 'moderate',
  category: 'correctness',
  title: 'Exactly `ten` articles get no discount',
  body: 'When `count` is **ten**, then the discount is 0.',
  suggestion: '  if (count >= 10) { // Ten and more, as the comment above the condition says',
  evidence: [{ path, line: 3, note: 'ten and more' }],
  confidence: 0.9,
}

let server: ModelServer
let scenario: Scenario
let browser: Browser
let session: string
/** A review of three files: the first is long, the second has one finding. */
let id: number

beforeAll(async () => {
  browser = await startBrowser()
  server = await startModelServer({ protocol: 'anthropic', script: answerWith(finding) })
  const env = {
    MODEL: 'anthropic:claude-opus-5-5',
    MODEL_BASE_URL: server.url,
    ANTHROPIC_API_KEY: 'sk-test-0123456789',
  }
  scenario = await startScenario({ env })
  session = (await signInWithToken(scenario.app, 'ghp_token_of_alice')).session
  // The sample contains a direction mark on purpose, so the rule that reports it is off.
  const settings = 'rules: { disable: [bidirectional-text] }\nreviews: { drafts: skip }\n'
  await scenario.forge.push(repo, 'main', { '.umpire.yml': settings }, { author: 'alice' })
  const long = Array.from(
    { length: 5000 },
    (_, index) => `export const value${index} = ${index}\n`,
  ).join('')
  await scenario.openPullRequest(
    { [path]: discount, 'lib/long.ts': long, 'logo.bin': 'a\0b' },
    { title: 'Give discounts' },
  )
  await scenario.waitUntilSettled()
  id = await newestReview()
})
afterAll(async () => {
  await browser?.close()
  await scenario?.[Symbol.asyncDispose]()
  await server?.[Symbol.asyncDispose]()
})

function answerWith(claim: object) {
  return (request: Parameters<typeof isVerificationRequest>[0]) =>
    isVerificationRequest(request)
      ? confirmAll(request)
      : { json: { summary: 'It adds discounts.', findings: [claim] } }
}

async function newestReview(): Promise<number> {
  const events = await scenario.app.events()
  return Math.max(...events.map((event) => event.id))
}

const open = (view: Partial<Viewport> = {}) =>
  openPage(browser, { url: scenario.app.url, session, ...view })
const fileOf = (page: Page, name: string) =>
  page.locator('#diff details').filter({ has: page.locator('summary', { hasText: name }) })
const panelOf = (page: Page, name: string) =>
  page.locator('section').filter({ has: page.getByRole('heading', { name }) })

async function unfold(card: Locator): Promise<void> {
  await card.locator('[aria-expanded]').waitFor()
  const folded = card.getByRole('button', { expanded: false })
  if ((await folded.count()) > 0) await folded.click()
}

describe('a review', () => {
  it('shows the finding below its line, with outcome, coverage and cost', async () => {
    await using opened = await open()
    const { page, problems } = opened
    await page.goto(`/reviews/${id}`)
    const card = page.getByRole('article', { name: /^Finding: Exactly/ })
    await card.getByText('count >= 10').waitFor()
    const text = await card.textContent()
    for (const part of [
      'moderate',
      'correctness',
      'Exactly ten articles',
      'src/discount.ts:3 ten and more',
      '90% confidence',
    ]) {
      expect(text).toContain(part)
    }
    // A suggestion shows what it removes and what it adds.
    expect(await card.locator('del').allTextContents()).toEqual(['  if (count > 10) {'])
    expect(await card.locator('ins').allTextContents()).toEqual([finding.suggestion])
    const cited = card.getByRole('link', { name: 'src/discount.ts:3' })
    expect(await cited.getAttribute('href')).toMatch(/\/acme\/shop\/blob\/\w{40}\/.*#L3$/)
    await card.getByRole('link', { name: /^Ask or reply on GitHub/ }).waitFor()
    // Each finding is on the page once, and the list next to the diff links to it.
    expect(await page.getByRole('article').count()).toBe(1)
    const line = fileOf(page, path).locator('tr:has(+ tr article)')
    expect(await line.textContent()).toMatch(/^4\s*if \(count > 10\) \{$/)
    const outcome = await panelOf(page, 'Outcome').textContent()
    expect(outcome).toContain('Needs a person')
    expect(outcome).toContain(
      '1 moderate finding is open, and part of the change was not reviewed. ' +
        'A person decides whether moderate findings have to be fixed.' +
        'Coverage lists what is missing and why. When the cause is gone, select Review again. ' +
        'The check fails until it is fixed or dismissed and all that matters is reviewed. ' +
        'Where the check is required, this blocks merging.',
    )
    expect(outcome).toMatch(/Confidence \d of 5: the whole change|Confidence \d of 5: \w+/)
    expect(outcome).not.toContain('NEEDS_DISCUSSION')
    await panelOf(page, 'Outcome').getByRole('link', { name: 'Coverage' }).click()
    await page.waitForURL('**#coverage')
    const coverage = await panelOf(page, 'Coverage').innerText()
    expect(coverage).toMatch(/2 of 3 files reviewed.*incomplete/)
    expect(coverage).toMatch(/1 file skipped\n.*needs review\s+\S+$/)
    expect(await panelOf(page, 'Time and cost').textContent()).toMatch(
      /Read change.*Total.*\$\d.* model calls/,
    )
    expect(await panelOf(page, 'History').getByRole('listitem').allTextContents()).toEqual([
      expect.stringMatching(/^Incompletethis review.*Opened.*1 new$/),
    ])
    expect(problems).toEqual([])
  })

  it('links from the list to the line, even in a collapsed file', async () => {
    await using opened = await open()
    const { page } = opened
    await page.goto(`/reviews/${id}`)
    const file = fileOf(page, path)
    await file.getByRole('article').waitFor()
    await file.locator('summary').click()
    await file.getByRole('article').waitFor({ state: 'hidden' })
    const outline = page.getByRole('navigation', { name: 'Findings by file', exact: true })
    await outline.getByRole('link', { name: /Exactly ten articles/ }).press('Enter')
    await file.getByRole('article').waitFor()
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('ARTICLE')
    // The address links to the finding.
    const linked = page.url()
    expect(linked).toMatch(/#finding-\w{32}$/)
    await using again = await open()
    await again.page.goto(linked)
    await again.page.getByRole('article').waitFor()
    await expect.poll(() => again.page.evaluate('document.activeElement.tagName')).toBe('ARTICLE')
  })

  it('filters by severity, folds findings and lists its keys', async () => {
    await using opened = await open()
    const { page, problems } = opened
    await page.goto(`/reviews/${id}`)
    const card = page.getByRole('article', { name: /^Finding: Exactly/ })
    await card.locator('.markdown').waitFor()
    await card.getByRole('button', { expanded: true }).click()
    await card.locator('.markdown').waitFor({ state: 'detached' })
    const filter = page.getByRole('button', { name: '1 moderate', exact: true })
    await fileOf(page, 'lib/long.ts').waitFor()
    await filter.click()
    expect(await filter.getAttribute('aria-pressed')).toBe('true')
    await fileOf(page, 'lib/long.ts').waitFor({ state: 'hidden' })
    expect(await card.isVisible()).toBe(true)
    await page.keyboard.press('?')
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts', exact: true })
    await help.getByText('Go to the next finding').waitFor()
    expect(await findAccessibilityProblems(page)).toEqual([])
    await page.keyboard.press('Escape')
    await help.waitFor({ state: 'hidden' })
    expect(problems).toEqual([])
  })

  it('goes to findings with the keys n and p, but not while someone types', async () => {
    await using opened = await open()
    const { page, problems } = opened
    await page.goto(`/reviews/${id}`)
    const card = page.getByRole('article', { name: /^Finding: Exactly/ })
    await card.waitFor()
    for (const key of ['n', 'p']) {
      await page.locator('h1').click()
      await page.keyboard.press(key)
      await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('ARTICLE')
    }
    const list = page.getByRole('navigation', { name: 'Findings by file', exact: true })
    expect(await list.locator('[aria-current=location]').textContent()).toContain('Exactly ten')
    expect(problems).toEqual([])
  })

  it('collapses a long file, and shows all its lines when it is opened', async () => {
    await using opened = await open()
    const { page, problems } = opened
    await page.goto(`/reviews/${id}`)
    const file = fileOf(page, 'lib/long.ts')
    await file.waitFor()
    expect(await file.locator('tr').count()).toBe(0)
    await file.locator('summary').click()
    const last = file.locator('tr').nth(4999)
    await last.waitFor({ state: 'attached' })
    expect(await file.locator('tr').count()).toBe(5000)
    await last.scrollIntoViewIfNeeded()
    await last.waitFor()
    expect(problems).toEqual([])
  })

  it('highlights code and stores the choice of a split view', async () => {
    await using opened = await open()
    const { page, problems } = opened
    await page.goto(`/reviews/${id}`)
    await fileOf(page, path).locator('.code-token-keyword', { hasText: 'return' }).first().waitFor()
    await page.getByRole('button', { name: 'Split', exact: true }).click()
    await fileOf(page, path).locator('table.diff-split').first().waitFor()
    await page.reload()
    await fileOf(page, path).locator('table.diff-split').first().waitFor()
    await fileOf(page, path).getByRole('article').waitFor()
    expect(problems).toEqual([])
  })

  it('shows an error for an unknown review', async () => {
    await using opened = await open()
    await opened.page.goto('/reviews/999999')
    await opened.page.getByRole('alert').filter({ hasText: 'Review not found' }).waitFor()
  })
})

it('updates live after a push and after a manual review', async () => {
  await scenario.openPullRequest(
    { 'src/a.ts': 'export const a = 1\n' },
    { branch: 'live', title: 'Live' },
  )
  await scenario.waitUntilSettled()
  await using opened = await open()
  const { page, problems } = opened
  await page.goto(`/reviews/${await newestReview()}`)
  await panelOf(page, 'Coverage').waitFor()
  await page.evaluate('window.sameDocument = true')
  const held = hold()
  scenario.forge.faults.add({
    match: ({ path: requestPath }) => requestPath.includes(`/repos/${repo}/compare/`),
    times: 1,
    action: held,
  })
  await scenario.forge.push(
    repo,
    'live',
    { 'src/b.ts': 'export const b = 2\n' },
    { author: 'alice', message: 'More' },
  )
  await page.getByRole('link', { name: 'View newer review', exact: true }).click()
  await page.getByText('The result appears here automatically').waitFor()
  held.release()
  await panelOf(page, 'Coverage').waitFor()
  await fileOf(page, 'src/b.ts').waitFor()
  await page.getByRole('button', { name: 'Review again', exact: true }).click()
  await panelOf(page, 'History').getByText('Review requested').waitFor()
  await panelOf(page, 'Coverage').waitFor()
  expect(await page.evaluate('window.sameDocument')).toBe(true)
  expect(problems).toEqual([])
})

it('keeps the findings of the last review while another one runs', async () => {
  await scenario.openPullRequest(
    { [path]: discount },
    { branch: 'again', title: 'Give discounts again' },
  )
  await scenario.waitUntilSettled()
  await using opened = await open()
  const { page, problems } = opened
  await page.goto(`/reviews/${await newestReview()}`)
  await panelOf(page, 'Coverage').waitFor()
  const held = hold()
  scenario.forge.faults.add({
    match: ({ path: requestPath }) => requestPath.includes(`/repos/${repo}/`),
    times: 1,
    action: held,
  })
  await page.getByRole('button', { name: 'Review again', exact: true }).click()
  await held.arrived
  const note = page.getByText('A new review is in progress')
  await note.waitFor()
  await page.getByRole('article', { name: /^Finding: Exactly/ }).waitFor()
  expect(await page.getByRole('link', { name: 'View newer review' }).count()).toBe(0)
  await saveScreenshot(page, 'review-again', viewports[0]!)
  expect(await findAccessibilityProblems(page)).toEqual([])
  held.release()
  await note.waitFor({ state: 'detached' })
  await panelOf(page, 'Coverage').waitFor()
  await page.getByRole('article', { name: /^Finding: Exactly/ }).waitFor()
  expect(problems).toEqual([])
})

it('shows the outcome of a review that completes while the page loads it', async () => {
  await using opened = await open()
  const { page, problems } = opened
  const streamReady = Promise.withResolvers<void>()
  const completion = Promise.withResolvers<void>()
  await page.exposeFunction('reportLiveEvent', (event: string, data: string) => {
    if (event === 'ready') streamReady.resolve()
    if (event === 'review' && data.includes('"completed"')) completion.resolve()
  })
  await page.addInitScript(reportLiveEvents)
  // The review is held for a short time only, because its request has a deadline.
  const held = hold()
  scenario.forge.faults.add({
    match: ({ path: requestPath }) => requestPath.includes(`/repos/${repo}/compare/`),
    times: 1,
    action: held,
  })
  await scenario.openPullRequest(
    { 'src/c.ts': 'export const c = 1\n' },
    { branch: 'loading', title: 'Loading' },
  )
  await held.arrived
  const loadingId = await newestReview()
  // Delivers the response from before the review completed after the event that announces it.
  let isFirst = true
  await page.route(`**/api/v1/reviews/${loadingId}`, async (route) => {
    if (!isFirst) return route.continue()
    isFirst = false
    const response = await route.fetch()
    await streamReady.promise
    held.release()
    await completion.promise
    await route.fulfill({ response })
  })
  await page.goto(`/reviews/${loadingId}`)
  await panelOf(page, 'Coverage').waitFor()
  expect(problems).toEqual([])
})

it('case 76: dismisses a finding with a reason and shows the updated verdict', async () => {
  const number = await scenario.openPullRequest(
    { [path]: discount },
    { branch: 'dismissed', title: 'Give more discounts' },
  )
  await scenario.waitUntilSettled()
  await using opened = await open()
  const { page, problems } = opened
  await page.goto(`/reviews/${await newestReview()}`)
  // Text above the finding moves it when it is rendered, and a click must not miss it.
  await panelOf(page, 'Outcome').locator('.markdown').waitFor()
  await page.getByRole('button', { name: /^Dismiss “Exactly/ }).click()
  const form = page.getByRole('form', { name: 'Dismiss finding', exact: true })
  await form.getByLabel('Reason for dismissal').fill('Sold by the <b>dozen</b>.')
  const kind = form.getByLabel('Kind')
  expect(await kind.inputValue()).toBe('')
  await kind.selectOption({ label: 'False positive: the finding is wrong' })
  expect(await findAccessibilityProblems(page)).toEqual([])
  const unreachable = scenario.forge.faults.add({
    match: ({ path: requestPath }) => requestPath.endsWith(`/repos/${repo}`),
    action: replyWith(503, { message: 'Unavailable' }),
  })
  await form.getByRole('button', { name: 'Dismiss', exact: true }).click()
  await form.getByRole('alert').filter({ hasText: 'could not be checked' }).waitFor()
  unreachable()
  await form.getByRole('button', { name: 'Dismiss', exact: true }).click()
  await panelOf(page, 'History').getByText('Finding dismissed', { exact: true }).waitFor()
  await panelOf(page, 'History').getByText('1 dismissed', { exact: true }).waitFor()
  await page.getByRole('heading', { name: 'Findings: 0 open, 1 dismissed', exact: true }).waitFor()
  expect(await page.getByRole('button', { name: '1 moderate' }).count()).toBe(0)
  const closed = page.getByRole('article', { name: /^Finding: Exactly/ })
  await closed
    .getByText('Dismissed by alice (False positive): Sold by the <b>dozen</b>.', { exact: true })
    .waitFor()
  expect(await page.getByRole('button', { name: /^Dismiss/ }).count()).toBe(0)
  expect(await panelOf(page, 'Outcome').textContent()).toMatch(
    /Passed.*Nothing is left to fix or decide\.The check passes\..*Confidence \d of 5/s,
  )
  await fileOf(page, path).getByText('Findings: 0 open, 1 dismissed', { exact: true }).waitFor()
  // The verdict was only computed again: the model was used before.
  expect(await panelOf(page, 'Time and cost').textContent()).toMatch(
    /Read change.*Total.*\$\d.* model calls.*Measured in the review of this commit\./,
  )
  const [summary] = scenario.forge.pullRequest(repo, number).comments
  expect(summary?.body).toContain(
    'Dismissed by `alice`, the author of this pull request: 1 moderate.',
  )
  await closed.getByRole('button', { name: /^Undo “Exactly/ }).click()
  await page.getByRole('heading', { name: 'Findings: 1 open', exact: true }).waitFor()
  await panelOf(page, 'Outcome').getByText('Needs a person').first().waitFor()
  // The former reviews keep what they left, whatever people do with the findings.
  await panelOf(page, 'History').getByRole('link', { name: 'Passed', exact: true }).click()
  await panelOf(page, 'Outcome').getByText('It left 0 open findings.').waitFor()
  await panelOf(page, 'History').getByText('Finding reopened', { exact: true }).waitFor()
  await panelOf(page, 'History').getByText('1 dismissed', { exact: true }).waitFor()
  expect(problems.filter((problem) => !problem.includes('502'))).toEqual([])
})

it('gives a reason for a finding whose thread was resolved on the code host', async () => {
  const number = await scenario.openPullRequest(
    { [path]: discount },
    { branch: 'resolved', title: 'Give resolved discounts' },
  )
  await scenario.waitUntilSettled()
  const reviewed = await newestReview()
  const [comment] = scenario.forge.pullRequest(repo, number).inlineComments
  scenario.forge.resolveThread(repo, number, comment!.id, 'alice')
  const { db } = scenario.app
  await db
    .updateTable('pullRequests')
    .set({ threadsCheckedAt: null })
    .where('number', '=', number)
    .execute()
  await expect.poll(newestReview).not.toBe(reviewed)
  await scenario.waitUntilSettled()
  await using opened = await open()
  const { page, problems } = opened
  await page.goto(`/reviews/${await newestReview()}`)
  const card = page.getByRole('article', { name: /^Finding: Exactly/ })
  await unfold(card)
  await card.getByText('Dismissed by alice', { exact: true }).waitFor()
  await card.getByRole('button', { name: /^Give a reason “Exactly/ }).click()
  const form = page.getByRole('form', { name: 'Dismiss finding', exact: true })
  await form.getByLabel('Reason for dismissal').fill('Ten is sold as one.')
  await form.getByLabel('Kind').selectOption('false_positive')
  await form.getByRole('button', { name: 'Dismiss', exact: true }).click()
  await card
    .getByText('Dismissed by alice (False positive): Ten is sold as one.', { exact: true })
    .waitFor()
  await page.getByRole('heading', { name: 'Findings: 0 open, 1 dismissed', exact: true }).waitFor()
  expect(problems).toEqual([])
})

it('stays where the reader is when findings are dismissed one after the other', async () => {
  const stop = `export function stop() {\n  debugger\n}\n${'// Wait.\n'.repeat(30)}`
  const names = ['one', 'two', 'three']
  await scenario.openPullRequest(
    { [path]: discount, ...Object.fromEntries(names.map((name) => [`src/${name}.ts`, stop])) },
    { branch: 'in-place', title: 'Give discounts in place' },
  )
  await scenario.waitUntilSettled()
  await using opened = await open()
  const { page, problems } = opened
  const reviewed = await newestReview()
  await page.goto(`/reviews/${reviewed}`)
  await panelOf(page, 'Outcome').locator('.markdown').waitFor()
  const cardOf = (name: string) => fileOf(page, `src/${name}.ts`).getByRole('article')
  const card = cardOf('three')
  const next = cardOf('two')
  await unfold(card)
  await card.getByRole('button', { name: /^Dismiss “/ }).click()
  const form = page.getByRole('form', { name: 'Dismiss finding', exact: true })
  const reason = form.getByLabel('Reason for dismissal')
  expect(await reason.and(page.locator(':focus')).count()).toBe(1)
  const [formBox, height] = [await form.boundingBox(), page.viewportSize()!.height]
  expect(formBox!.y).toBeGreaterThanOrEqual(0)
  expect(formBox!.y + formBox!.height).toBeLessThanOrEqual(height)
  await reason.fill('Removed next week.')
  await form.getByLabel('Kind').selectOption('accepted')
  const top = (await card.boundingBox())!.y
  const entries = await page.evaluate('history.length')
  await form.getByRole('button', { name: 'Dismiss', exact: true }).click()
  await page.waitForURL(/reviews\/\d+$/)
  await expect.poll(() => page.url()).not.toContain(`/reviews/${reviewed}`)
  await card
    .getByText("Dismissed by alice (Won't fix): Removed next week.", { exact: true })
    .waitFor()
  await card.getByRole('button', { name: /^Undo “/ }).waitFor()
  expect(Math.abs((await card.boundingBox())!.y - top)).toBeLessThan(2)
  expect(await page.evaluate('history.length')).toBe(entries)
  const focused = () => page.evaluate(`document.activeElement?.closest('article')?.id`)
  expect(await focused()).toBe(await next.getAttribute('id'))
  expect(await panelOf(page, 'Outcome').textContent()).toContain('1 moderate and 2 minor')
  await card.getByRole('button', { name: /^Undo “/ }).click()
  await card.getByRole('button', { name: /^Dismiss “/ }).waitFor()
  expect(await focused()).toBe(await card.getAttribute('id'))
  expect(problems).toEqual([])
})

it('says why a draft was skipped, and that a merge starts no review', async () => {
  const { forge } = scenario
  await forge.push(repo, 'drafted', { [path]: '// Later.\n' }, { author: 'alice' })
  const draft = { repo, head: 'drafted', title: 'Discounts, later', author: 'alice', draft: true }
  const number = await forge.openPullRequest(draft)
  await scenario.waitUntilSettled()
  await using opened = await open()
  const { page, problems } = opened
  const skipped = await newestReview()
  await page.goto(`/reviews/${skipped}`)
  await page.getByText('Draft', { exact: true }).waitFor()
  const outcome = panelOf(page, 'Outcome')
  await outcome.locator('code', { hasText: 'reviews.drafts' }).waitFor()
  expect(await outcome.textContent()).toMatch(
    /Skipped.*Reason: it is a draft.*select Review\.The check fails until it is reviewed\./s,
  )
  await page.getByRole('button', { name: 'Review', exact: true }).waitFor()
  await page.goto('/reviews?tab=all')
  const row = page.getByRole('listitem').filter({ hasText: draft.title })
  await row.getByText('it is a draft', { exact: true }).waitFor()
  await forge.mergePullRequest(repo, number, 'alice')
  await scenario.waitUntilSettled()
  await page.goto(`/reviews/${await newestReview()}`)
  await outcome.getByText('This delivery starts no review.').waitFor()
  await panelOf(page, 'History').getByRole('link', { name: 'Skipped' }).click()
  await page.waitForURL(`**/reviews/${skipped}`)
  expect(problems).toEqual([])
})

it('case 90: shows what an answer conceded, beside the button that dismisses', async () => {
  await scenario.openPullRequest(
    { [path]: discount },
    { branch: 'conceded', title: 'Give even more discounts' },
  )
  await scenario.waitUntilSettled()
  const conceded = await newestReview()
  const { db } = scenario.app
  const found = await db
    .selectFrom('findings')
    .select(['prNumber', 'fingerprint', 'reopened'])
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow()
  await db
    .insertInto('answers')
    .values({
      ...found,
      repo,
      commentId: '1',
      isInline: true,
      requester: 'alice',
      position: 'concedes',
      answeredAt: new Date(),
    })
    .execute()
  await using opened = await open()
  const { page, problems } = opened
  await page.goto(`/reviews/${conceded}`)
  await panelOf(page, 'Outcome').locator('.markdown').waitFor()
  const findings = page.getByRole('article', { name: /^Finding: Exactly/ })
  await findings.getByText('the model conceded that this finding is wrong').waitFor()
  expect(await findings.getByRole('button', { name: /^Dismiss “Exactly/ }).count()).toBe(1)
  expect(await panelOf(page, 'Outcome').textContent()).toContain('Needs a person')
  expect(problems).toEqual([])
})

it('names the findings that decide the verdict', async () => {
  await scenario.openPullRequest(
    { [path]: discount, 'src/stop.ts': 'export function stop() {\n  debugger\n}\n' },
    { branch: 'decides', title: 'Give discounts and stop' },
  )
  await scenario.waitUntilSettled()
  await using opened = await open()
  const { page } = opened
  await page.goto(`/reviews/${await newestReview()}`)
  await panelOf(page, 'Outcome')
    .getByText(
      'The check fails until the moderate finding is fixed or dismissed. ' +
        'Where the check is required, this blocks merging.',
      { exact: true },
    )
    .waitFor()
})

it('says that the settings let a review pass that needs a person', async () => {
  const file = '.umpire.yml'
  const settings = 'rules: { disable: [bidirectional-text] }\nreviews: { drafts: skip }\n'
  const gate = 'gate: [changes_requested, incomplete]\n'
  await scenario.forge.push(repo, 'main', { [file]: settings + gate }, { author: 'alice' })
  await scenario.openPullRequest(
    { [path]: discount },
    { branch: 'let-pass', title: 'Give discounts that pass' },
  )
  await scenario.waitUntilSettled()
  await scenario.forge.push(repo, 'main', { [file]: settings }, { author: 'alice' })
  await using opened = await open()
  const { page } = opened
  await page.goto(`/reviews/${await newestReview()}`)
  const reason = 'because the gate setting does not list needs_person.'
  await panelOf(page, 'Outcome').getByText(`The check does not block merging, ${reason}`).waitFor()
})

it('shows a secret that was removed apart from the code that replaced it', async () => {
  const config = (key: string) => ({ 'src/config.ts': `export const key = ${key}\n` })
  const secret = "'sk_live_51Hq2eKLmV9wXyZ8rT4uBnC7dPfGjA3sQ'"
  server.respondWith(() => ({ json: { summary: 'It adds a key.', findings: [] } }))
  await scenario.openPullRequest(config(secret), { branch: 'keys', title: 'Add a key' })
  await scenario.waitUntilSettled()
  const first = await newestReview()
  await scenario.forge.push(repo, 'keys', config('process.env.KEY'), { author: 'alice' })
  await scenario.waitUntilSettled()
  server.respondWith(answerWith(finding))
  await using opened = await open()
  const { page, problems } = opened
  await page.goto(`/reviews/${await newestReview()}`)
  const card = page.getByRole('article', { name: 'Finding: A live Stripe key is hardcoded' })
  await card.getByText('removed from the code; revoke it', { exact: true }).waitFor()
  await fileOf(page, 'src/config.ts').getByText('process').waitFor()
  expect(await fileOf(page, 'src/config.ts').getByRole('article').count()).toBe(0)
  expect(await page.locator('main').textContent()).not.toContain('sk_live')
  await card.getByRole('link', { name: 'See the removed line of src/config.ts' }).click()
  await page.waitForURL(`**/reviews/${first}#finding-*`)
  const line = fileOf(page, 'src/config.ts').locator('tr:has(+ tr article)')
  await line.getByText('sk_live').waitFor()
  expect(problems).toEqual([])
})

it('shows why a review failed', async () => {
  const fault = scenario.forge.faults.add({
    match: ({ path: requestPath }) => requestPath.includes(`/repos/${repo}/pulls/`),
    action: {
      kind: 'answer',
      response: { status: 404, headers: {}, body: '{"message":"Not Found"}' },
    },
  })
  await scenario.openPullRequest(
    { 'src/c.ts': 'export const c = 1\n' },
    { branch: 'failing', title: 'Failing' },
  )
  await scenario.waitUntilSettled()
  fault()
  await using opened = await open()
  await opened.page.goto(`/reviews/${await newestReview()}`)
  await opened.page.getByText('The review failed after 1 attempt.').waitFor()
  await opened.page.getByRole('button', { name: 'Review again', exact: true }).waitFor()
})

it('case 31: renders hostile titles, branches, code and Markdown inert', async () => {
  const markdown = [
    `${hostile} <svg onload=alert(1)></svg> <iframe src=javascript:alert(1)></iframe>`,
    '![pixel](https://evil.example/p.png) [one](javascript:alert(1)) ' +
      '[two](data:text/html,<script>alert(1)</script>)',
    '[three](https://evil.example/x) <a href="javascript:alert(1)" onclick="alert(1)">four</a>',
    '<form action="https://evil.example"><input name=q></form> <style>*{display:none}</style>',
  ].join('\n\n')
  server.respondWith(
    answerWith({
      ...finding,
      title: hostile,
      body: markdown,
      evidence: [{ path, line: 3, note: hostile }],
      suggestion: `  ${hostile}`,
    }),
  )
  await scenario.openPullRequest(
    { [path]: discount, ...readSample('topic') },
    { branch: 'topic<img-src=x-onerror=alert(1)>', title: hostile, body: markdown },
  )
  await scenario.waitUntilSettled()
  await using opened = await open()
  const { page, problems } = opened
  const requests: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  await page.goto(`/reviews/${await newestReview()}`)
  await page.getByRole('heading', { name: hostile, exact: true }).waitFor()
  await page.getByText('topic<img-src=x-onerror=alert(1)>').first().waitFor()
  await unfold(page.getByRole('article', { name: `Finding: ${hostile}` }))
  const card = page.getByRole('article', { name: `Finding: ${hostile}` })
  await card.locator('.markdown').waitFor()
  expect(await card.textContent()).toContain(`src/discount.ts:3 ${hostile}`)
  // Direction marks are shown as code points.
  await page.getByText(`⟨U+202E⟩${hostile}`).first().waitFor({ state: 'attached' })
  const foreign =
    'main :is(img, script, svg:not([aria-hidden="true"]), iframe, form, style, object, [onclick], [onerror], [onload])'
  expect(await page.locator(foreign).count()).toBe(0)
  const links = await card
    .locator('a')
    .evaluateAll((anchors) =>
      anchors.map((anchor) => [anchor.getAttribute('href'), anchor.getAttribute('rel')]),
    )
  expect(links.filter(([href]) => href !== null && !/^https?:/.test(href))).toEqual([])
  expect(links).toContainEqual(['https://evil.example/x', 'noreferrer nofollow'])
  expect(requests.filter((address) => !address.startsWith(scenario.app.url))).toEqual([])
  expect(problems).toEqual([])
})

describe.each(viewports)('at a width of $width, dark: $dark', (view) => {
  it('is accessible', async () => {
    await using opened = await open(view)
    const { page, problems } = opened
    await page.goto(`/reviews/${id}`)
    await fileOf(page, path).locator('.code-token-keyword').first().waitFor()
    await fileOf(page, path).locator('.markdown').waitFor()
    // The check needs chunks that the browser would lay out only near the viewport.
    await page.evaluate(
      "for (const chunk of document.querySelectorAll('.diff-chunk'))" +
        " chunk.style.contentVisibility = 'visible'",
    )
    await saveScreenshot(page, 'review', view)
    expect(await findAccessibilityProblems(page)).toEqual([])
    expect(problems).toEqual([])
  })
})

/** Runs in the browser. Reports what the page receives from the stream of live updates. */
const reportLiveEvents = `
  window.EventSource = class extends EventSource {
    constructor(url) {
      super(url)
      for (const event of ['ready', 'review'])
        this.addEventListener(event, ({ data }) => window.reportLiveEvent(event, data))
    }
  }
`
