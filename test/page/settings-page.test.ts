// Tests of the settings page in a browser.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ConnectScenario, startConnectScenario, tokenOf } from '../connect-scenario.ts'
import { startChatServer } from '../fakes/chat-server.ts'
import { startMailServer } from '../fakes/mail-server.ts'
import { type ContextServer, startContextServer } from '../fakes/mcp/context-server.ts'
import { signInWithToken } from '../sign-in.ts'
import {
  findAccessibilityProblems,
  openPage,
  saveScreenshot,
  startBrowser,
  type Viewport,
  viewports,
} from './open-page.ts'

let tracker: ContextServer
let chat: Awaited<ReturnType<typeof startChatServer>>
let mail: Awaited<ReturnType<typeof startMailServer>>
let scene: ConnectScenario
let browser: Browser
let session: string
let administrator: string
beforeAll(async () => {
  browser = await startBrowser()
  tracker = await startContextServer({ tools: { get_issue: () => 'nothing' } })
  chat = await startChatServer()
  mail = await startMailServer()
  const env = {
    SMTP_URL: mail.url,
    SMTP_FROM: 'umpire@example.com',
    NOTIFICATION_HOSTS: '127.0.0.1',
    LINEAR_MCP_URL: tracker.url,
    LINEAR_API_KEY: 'lin_api_0123456789',
    MCP_ACCESS: 'token',
  }
  scene = await startConnectScenario({ env, parts: { web: true, worker: false } })
  session = (await scene.signIn('alice')).session
  administrator = (await signInWithToken(scene.app, tokenOf('root'))).session
})
afterAll(async () => {
  await browser?.close()
  await scene?.[Symbol.asyncDispose]()
  for (const server of [tracker, chat, mail]) await server?.[Symbol.asyncDispose]()
})

async function open(path: string, view?: Viewport, as = session) {
  const opened = await openPage(browser, { url: scene.app.url, session: as, ...view })
  await opened.page.goto(path)
  return opened
}

async function statusOf(token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` }
  return (await fetch(`${scene.app.url}/api/v1/reviews`, { headers })).status
}

it('creates a token that is shown once, and revokes it', async () => {
  await using opened = await open('/settings')
  const { page } = opened
  await page.getByText('No tokens').waitFor()
  await page.getByLabel('Token name').fill('nightly <i>job</i>')
  await page.getByLabel('Expires in').selectOption('7 days')
  await page.getByRole('button', { name: 'Create token', exact: true }).click()
  const token = (await page.getByRole('region', { name: 'Token', exact: true }).textContent()) ?? ''
  expect(await statusOf(token)).toBe(200)
  await page.getByRole('button', { name: 'Revoke nightly <i>job</i>', exact: true }).waitFor()

  await page.reload()
  await page.getByRole('button', { name: 'Revoke nightly <i>job</i>', exact: true }).click()
  expect(await page.content()).not.toContain(token)
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke', exact: true }).click()
  await page.getByText('No tokens').waitFor()
  expect(await statusOf(token)).toBe(401)

  await page.getByRole('tab', { name: 'Audit log', exact: true }).click()
  const entries = page.getByRole('tabpanel').getByRole('listitem')
  await entries.first().waitFor()
  expect(await entries.nth(0).textContent()).toContain('alicetoken revokednightly <i>job</i>')
  expect(await entries.nth(1).textContent()).toContain('alicetoken creatednightly <i>job</i>')
})

it('shows configuration snippets for agents', async () => {
  await using opened = await open('/settings?tab=agents')
  const { page } = opened
  const { publicUrl } = scene.app.app.context.config.http
  const snippet = async (agent: string) =>
    (await page
      .getByRole('region', { name: `Configuration for ${agent}`, exact: true })
      .textContent()) ?? ''
  expect(await snippet('Claude Code')).toBe(
    `claude mcp add --transport http umpire ${publicUrl}/mcp ` +
      '--header "Authorization: Bearer $UMPIRE_TOKEN"',
  )
  const headers = { Authorization: `Bearer \${env:UMPIRE_TOKEN}` }
  expect(JSON.parse(await snippet('Cursor'))).toEqual({
    mcpServers: { umpire: { url: `${publicUrl}/mcp`, headers } },
  })
})

it('shows the setup and which sources are connected', async () => {
  await using opened = await open('/settings?tab=set-up')
  const { page } = opened
  await page.getByText('none: no code is sent to a model').waitFor()
  await page.getByText('token required').waitFor()
  await page.getByRole('listitem').filter({ hasText: 'linear' }).getByText('Connected').waitFor()
  expect(await page.content()).not.toContain('lin_api')
})

it('adds a chat and an email address, which has to be confirmed', async () => {
  await using opened = await open('/settings?tab=notifications')
  const { page } = opened
  await page.getByText('No channels').waitFor()
  const add = page.getByRole('button', { name: 'Add channel', exact: true })
  await page.getByLabel('Webhook URL').fill('https://10.0.0.1/hook')
  await add.click()
  await page.getByRole('alert').getByText('The chat has an address in a private network').waitFor()

  await page.getByLabel('Webhook URL').fill(`http://127.0.0.1:${chat.port}/hook`)
  await add.click()
  await page.getByRole('listitem').filter({ hasText: 'Chat, all repositories, at once' }).waitFor()
  expect(chat.messages).toEqual(['umpire will post new critical findings here.'])

  await page.getByLabel('Send to').selectOption('Email')
  await page.getByLabel('Email address').fill('alice@example.com')
  await page.getByLabel('When').selectOption('Daily at 09:00')
  await add.click()
  const row = page.getByRole('listitem').filter({ hasText: 'alice@example.com' })
  await row.getByText('Email, all repositories, daily at').waitFor()
  await row.getByLabel('Code from the email').fill('0')
  await row.getByRole('button', { name: 'Confirm', exact: true }).click()
  await row.getByRole('alert').getByText('The code is wrong').waitFor()
  const code = /(\d{8})/.exec(mail.mails.at(-1)!.subject)![1]!
  await row.getByLabel('Code from the email').fill(code)
  await row.getByRole('button', { name: 'Confirm', exact: true }).click()
  await row.getByLabel('Code from the email').waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'Remove 127.0.0.1', exact: true }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove', exact: true }).click()
  await page.getByRole('listitem').filter({ hasText: 'Chat' }).waitFor({ state: 'detached' })
})

it('finds rules and shows their samples', async () => {
  await using opened = await open('/settings?tab=rules')
  const { page, problems } = opened
  const security = page.getByRole('group').filter({ hasText: 'Security' }).first()
  await security.getByText(/^\d+ rules$/).waitFor()
  const rule = page.getByText('sql-injection', { exact: true })
  expect(await rule.isVisible()).toBe(false)
  await page.keyboard.press('/')
  await page.keyboard.type('cwe-89 python')
  await page.getByText(/^1 of \d{3} rules\./).waitFor()
  await rule.click()
  const samples = page.getByRole('region', { name: 'Samples of sql-injection', exact: true })
  await samples.getByText('Not reported:').first().waitFor()
  expect(await samples.textContent()).toContain('◀')
  expect(await findAccessibilityProblems(page)).toEqual([])
  expect(problems).toEqual([])
})

it('checks a settings file and loads that of a repository', async () => {
  const repo = await scene.createRepository()
  const file = { '.umpire.yml': 'severty: moderate\n' }
  await scene.forge.push(repo, 'main', file, { author: 'alice' })
  await scene.connect('alice', repo)
  await using opened = await open('/settings?tab=settings-file')
  const { page, problems } = opened
  const text = page.getByLabel('.umpire.yml')
  await text.fill('rules: { disable: [nan-comparsion] }\nmode: static\n')
  await page.getByRole('button', { name: 'Check', exact: true }).click()
  const problem = page.getByRole('listitem').filter({ hasText: 'line 1, column 20' })
  await problem.getByText('did you mean nan-comparison?').waitFor()
  const settings = page.getByRole('table', { name: 'Settings that would be in force' })
  const mode = settings.getByRole('row').filter({ hasText: /^Review mode/ })
  expect(await mode.textContent()).toBe('Review mode modestatic.umpire.yml')
  expect(await findAccessibilityProblems(page)).toEqual([])

  await page.getByLabel('Repository').selectOption(repo)
  await page.getByRole('button', { name: 'Load its file', exact: true }).click()
  await page.getByText('did you mean severity?').waitFor()
  expect(await text.inputValue()).toBe(file['.umpire.yml'])
  expect(problems).toEqual([])
})

it('lets administrators change and delete people, and shows what a deletion does', async () => {
  await using opened = await open('/settings?tab=people', undefined, administrator)
  const { page, problems } = opened
  const row = (login: string) => page.getByRole('listitem').filter({ hasText: login })
  await page.getByText('Everyone with an account at the code host.').waitFor()
  await row('root').getByText('Became an administrator as the first account').waitFor()
  const confirm = async (label: string, subject: string) => {
    await page.getByRole('button', { name: `${label} ${subject}`, exact: true }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: label, exact: true }).click()
  }
  const onlyOne = row('root').getByText('The only administrator who can sign in')
  const remove = page.getByRole('button', { name: /^Remove as administrator/ })
  await onlyOne.waitFor()
  expect(await remove.count()).toBe(0)
  await confirm('Make administrator', 'bob')
  await row('bob').getByText('Made an administrator by root').waitFor()
  await onlyOne.waitFor({ state: 'detached' })
  expect(await remove.count()).toBe(2)
  await confirm('Remove as administrator', 'bob')
  await onlyOne.waitFor()

  await page.getByRole('button', { name: 'Delete carol', exact: true }).click()
  const dialog = page.getByRole('alertdialog')
  await dialog.getByText('Stays at the code host').waitFor()
  expect(await findAccessibilityProblems(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
  await row('carol').waitFor({ state: 'detached' })
  expect(problems).toEqual([])
})

it.each(viewports)('shows people in an accessible way, %o', async (view) => {
  await using opened = await open('/settings?tab=people', view, administrator)
  await opened.page.getByText('Became an administrator as the first account').waitFor()
  expect(await findAccessibilityProblems(opened.page)).toEqual([])
  await saveScreenshot(opened.page, 'settings-people-administrator', view)
})

/** A text of each tab that appears after its data has loaded. */
const loadedTexts = {
  'API tokens': 'No tokens',
  Notifications: 'Email, all repositories',
  Agents: 'Codex',
  Setup: 'Connected',
  Rules: 'Maintainability',
  'Settings file': 'Nothing is stored.',
  People: 'Your account',
  'Audit log': 'signed in',
}

it.each(viewports)('is accessible, %o', async (view) => {
  await using opened = await open('/settings', view)
  const { page, problems } = opened
  for (const [tab, text] of Object.entries(loadedTexts)) {
    await page.getByRole('tab', { name: tab }).click()
    await page.getByRole('tabpanel').getByText(text).first().waitFor()
    expect(await findAccessibilityProblems(page)).toEqual([])
    await saveScreenshot(page, `settings-${tab}`, view)
  }
  expect(problems).toEqual([])
})
