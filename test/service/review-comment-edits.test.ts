// A comment is edited so that it stays true of the head that the summary names.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cloneRepository, type WorkingCopy } from '../fakes/working-copy.ts'
import { ownComments, repo, type Scenario, startScenario } from '../review-scenario.ts'
import { waitForScan } from '../scan-scenario.ts'

const users = (parameters: string) =>
  `export function loadUser(${parameters}): string {\n  return \`user \${id}\`\n}\n`
const caller = (name: string, passed: string) =>
  `import { loadUser } from './users.ts'

export function ${name}(id: string): string {
  return loadUser(${passed})
}
`

let scenario: Scenario
let copy: WorkingCopy
let number: number

beforeAll(async () => {
  scenario = await startScenario({ env: { GRAPH: 'on' } })
  const { forge } = scenario
  const files = { 'lib/users.ts': users('id: string'), 'README.md': '# Shop\n' }
  const callers = ['login', 'profile', 'invite'].map((name) => [
    `lib/${name}.ts`,
    caller(name, 'id'),
  ])
  await forge.push(
    repo,
    'main',
    { ...files, ...Object.fromEntries(callers) },
    { author: 'alice', message: 'Add users' },
  )
  // The first review starts the scan.
  await scenario.openPullRequest({ 'docs/plan.md': '# Plan\n' }, { branch: 'plan' })
  await scenario.waitUntilSettled()
  await waitForScan(scenario.app.db, repo, 'completed')
  copy = await cloneRepository(forge.cloneUrl(repo), {
    login: 'alice',
    token: 'ghp_token_of_alice',
  })
  await copy.git('switch', '--quiet', '--create', 'dates')
  await copy.commit({ 'lib/users.ts': users('id: string, at: Date') })
  await copy.push()
  number = await forge.openPullRequest({ repo, head: 'dates', title: 'Dates', author: 'alice' })
  await scenario.waitUntilSettled()
}, 120_000)
afterAll(async () => {
  await copy[Symbol.asyncDispose]()
  await scenario[Symbol.asyncDispose]()
})

async function push(files: Record<string, string>) {
  await copy.commit(files)
  await copy.push()
  await scenario.waitUntilSettled()
}

/** Returns the only finding: its comment, the number of edits, and whether it is open. */
function show() {
  const view = scenario.forge.pullRequest(repo, number)
  const { summaries, inline } = ownComments(view)
  expect(inline).toHaveLength(1)
  const { body, edits } = inline[0]!
  const calls = /and (\d) calls? outside/.exec(body)?.[1]
  // The comment and the summary report the same number of calls.
  const isOpen = view.threads[0]?.resolved === false
  if (isOpen)
    expect(summaries[0]!.body).toContain(`and ${calls} call${calls === '1' ? '' : 's'} outside`)
  return { calls, edits, isOpen, body }
}

describe('a finding that later pushes fix in part', () => {
  it('is posted with all that was found', () => {
    expect(show()).toMatchObject({ calls: '3', edits: 0, isOpen: true })
  })

  it('is updated in the same comment after a push', async () => {
    await push({ 'lib/login.ts': caller('login', 'id, new Date()') })
    const { body, ...shown } = show()
    expect(shown).toEqual({ calls: '2', edits: 1, isOpen: true })
    expect(body).not.toContain('lib/login.ts')
  })

  it('is not edited after a push that does not change it', async () => {
    await push({ 'README.md': '# The shop\n' })
    expect(show()).toMatchObject({ calls: '2', edits: 1, isOpen: true })
  })

  it('is updated after a force push', async () => {
    await copy.git('reset', '--quiet', '--hard', 'origin/main')
    const fixed = {
      'lib/login.ts': caller('login', 'id, new Date()'),
      'lib/invite.ts': caller('invite', 'id, new Date()'),
    }
    await push({ ...fixed, 'lib/users.ts': users('id: string, at: Date') })
    expect(show()).toMatchObject({ calls: '1', edits: 2, isOpen: true })
    await copy.git('commit', '--quiet', '--amend', '--message', 'The same in other words')
    await copy.push()
    await scenario.waitUntilSettled()
    expect(show()).toMatchObject({ calls: '1', edits: 2, isOpen: true })
  })

  it('keeps its last text when it is resolved', async () => {
    await push({ 'lib/profile.ts': caller('profile', 'id, new Date()') })
    expect(show()).toMatchObject({ calls: '1', edits: 2, isOpen: false })
  })
})
