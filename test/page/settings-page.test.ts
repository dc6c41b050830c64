// The settings in the browser: tokens for programs, agents, what is set up, what was done.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ConnectScenario, startConnectScenario } from '../connect-scenario.ts'
import { type ContextServer, startContextServer } from '../fakes/mcp/context-server.ts'
import {
  findAccessibilityProblems,
  openPage,
  saveScreenshot,
  startBrowser,
  type Viewport,
  viewports,
} from './open-page.ts'

let tracker: ContextServer
let scene: ConnectScenario
let browser: Browser
let session: string
beforeAll(async () => {
  browser = await startBrowser()
  tracker = await startContextServer({ tools: { get_issue: () => 'nothing' } })
  const env = {
    LINEAR_MCP_URL: tracker.url,
    LINEAR_API_KEY: 'lin_api_0123456789',
    MCP_ACCESS: 'token',
  }
  scene = await startConnectScenario({ env, parts: { web: true, worker: false } })
  session = (await scene.signIn('alice')).session
})
afterAll(async () => {
  await browser?.close()
  await scene?.[Symbol.asyncDispose]()
  await tracker?.[Symbol.asyncDispose]()
})

async function open(path: string, view?: Viewport) {
  const opened = await openPage(browser, { url: scene.app.url, session, ...view })
  await opened.page.goto(path)
  return opened
}

async function statusOf(token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` }
  return (await fetch(`${scene.app.url}/api/v1/reviews`, { headers })).status
}

it('makes a token that is shown once, and revokes it', async () => {
  await using opened = await open('/settings')
  const { page } = opened
  await page.getByText('There is no token').waitFor()
  await page.getByLabel('What it is for').fill('nightly <i>job</i>')
  await page.getByLabel('Counts for').selectOption('7 days')
  await page.getByRole('button', { name: 'Make a token' }).click()
  const token = (await page.getByRole('region', { name: 'The token' }).textContent()) ?? ''
  expect(await statusOf(token)).toBe(200)
  await page.getByRole('button', { name: 'Revoke nightly <i>job</i>' }).waitFor()

  await page.reload()
  await page.getByRole('button', { name: 'Revoke nightly <i>job</i>' }).click()
  expect(await page.content()).not.toContain(token)
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('There is no token').waitFor()
  expect(await statusOf(token)).toBe(401)

  await page.getByRole('tab', { name: 'Audit log' }).click()
  const entries = page.getByRole('tabpanel').getByRole('listitem')
  await entries.first().waitFor()
  expect(await entries.nth(0).textContent()).toContain('alicetoken revokednightly <i>job</i>')
  expect(await entries.nth(1).textContent()).toContain('alicetoken creatednightly <i>job</i>')
})

it('gives what agents need to ask this service', async () => {
  await using opened = await open('/settings?tab=agents')
  const { page } = opened
  const { publicUrl } = scene.app.app.context.config.http
  const snippet = async (agent: string) =>
    (await page.getByRole('region', { name: `For ${agent}`, exact: true }).textContent()) ?? ''
  expect(await snippet('Claude Code')).toBe(
    `claude mcp add --transport http umpire ${publicUrl}/mcp --header "Authorization: Bearer $UMPIRE_TOKEN"`,
  )
  const headers = { Authorization: `Bearer \${env:UMPIRE_TOKEN}` }
  expect(JSON.parse(await snippet('Cursor'))).toEqual({
    mcpServers: { umpire: { url: `${publicUrl}/mcp`, headers } },
  })
})

it('shows what is set up and which sources answer', async () => {
  await using opened = await open('/settings?tab=set-up')
  const { page } = opened
  await page.getByText('none: no code is shown to a model').waitFor()
  await page.getByText('asks for a token').waitFor()
  await page.getByRole('listitem').filter({ hasText: 'linear' }).getByText('Answers').waitFor()
  expect(await page.content()).not.toContain('lin_api')
})

/** What shows that a tab has what it asked for. */
const shownIn = {
  'API tokens': 'There is no token',
  Agents: 'Codex',
  'Set-up': 'Answers',
  'Audit log': 'signed in',
}

it.each(viewports)('is for everybody to read, %o', async (view) => {
  await using opened = await open('/settings', view)
  const { page, problems: complaints } = opened
  for (const [tab, text] of Object.entries(shownIn)) {
    await page.getByRole('tab', { name: tab }).click()
    await page.getByRole('tabpanel').getByText(text).first().waitFor()
    expect(await findAccessibilityProblems(page)).toEqual([])
    await saveScreenshot(page, `settings-${tab}`, view)
  }
  expect(complaints).toEqual([])
})
