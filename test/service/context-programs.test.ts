// Trackers that are programs: whatever they do, reviews go on, and nothing of them is left behind.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { isRunning } from '../is-running.ts'
import { ownComments, repo, type Scenario, startScenario } from '../review-scenario.ts'

const program = fileURLToPath(new URL('../fakes/mcp/context-program.js', import.meta.url))
const secret = 'tracker-token-0123456789'
let folder: string
let scenario: Scenario
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'umpire-programs-'))
  const common = {
    kind: 'tickets',
    look_up: { tools: ['get_issue'], arguments: { id: '{key}' } },
    timeout_seconds: 3,
  }
  const sources = [
    {
      ...common,
      name: 'tracker',
      command: process.execPath,
      args: [program, pidFile()],
      env: { TOKEN: `\${TOKEN}` },
    },
    { ...common, name: 'absent', command: join(folder, 'no-such-program') },
    {
      ...common,
      name: 'elsewhere',
      command: join(folder, 'no-such-program'),
      repositories: ['other/*', '!acme/shop'],
    },
  ]
  writeFileSync(join(folder, 'sources.json'), JSON.stringify({ sources }))
  scenario = await startScenario({
    env: { CONTEXT_SOURCES: join(folder, 'sources.json'), TOKEN: secret },
  })
  scenario.forge.setPrivate(repo, true)
})
afterAll(async () => {
  await scenario[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

function pidFile(): string {
  return join(folder, 'pids.json')
}

function started(): { pids: number[]; environment: string[] } {
  return JSON.parse(readFileSync(pidFile(), 'utf8'))
}

/** What is posted about changes that name a key each, reviewed side by side. */
async function reviewAll(...titles: string[]): Promise<string[]> {
  const numbers: number[] = []
  for (const title of titles) {
    const branch = `topic_${title.toLowerCase().replaceAll('-', '_')}`
    numbers.push(
      await scenario.openPullRequest(
        { 'src/orders.ts': `export const ${branch} = 1\n` },
        { title, branch },
      ),
    )
  }
  await scenario.waitUntilSettled()
  return numbers.map(
    (number) => ownComments(scenario.forge.pullRequest(repo, number)).summaries[0]?.body ?? '',
  )
}

const isGone = (pid: number) => !isRunning(pid)

it('is asked though it has hundreds of tools, and gets no environment but its own', async () => {
  const [text] = await reviewAll('SHOP-12')
  expect(text).toContain('- tracker: Known as SHOP-12')
  expect(started().environment).toContain('TOKEN')
  const strange = started().environment.filter((name) =>
    /SECRET|PLATFORM|WEBHOOK|CONTEXT|HOME/.test(name),
  )
  expect(strange).toEqual([])
})

it('that can’t be started is missing, and one of other repositories isn’t', async () => {
  const [text] = await reviewAll('SHOP-13')
  expect(text).toContain('- Without absent: its program could not be started')
  expect(text).not.toContain('elsewhere')
})

it('that writes what is no message, or asks back, is refused that and understood all the same', async () => {
  const [noisy, asking] = await reviewAll('NOISE-1', 'BACK-1')
  expect(noisy).toContain('- tracker: NOISE-1: After much noise')
  expect(asking).toContain('- tracker: BACK-1: Refused 3 of 3')
})

it('case 70: that floods or dies is left out, others go on, and the next review gets a new one', async () => {
  const [flooded, gone] = await reviewAll('FLOOD-1', 'GONE-1')
  expect(flooded).toContain('- Without tracker: ')
  expect(gone).toContain('- Without tracker: ')
  const before = started().pids
  const [text] = await reviewAll('SHOP-14')
  expect(text).toContain('- tracker: Known as SHOP-14')
  expect(started().pids).not.toEqual(before)
  await vi.waitFor(() => expect(before.map(isGone)).toEqual([true, true]), { timeout: 10_000 })
})

it('is ended with the service, and what it started with it', async () => {
  const { pids } = started()
  expect(pids.map(isGone)).toEqual([false, false])
  await scenario.app[Symbol.asyncDispose]()
  await vi.waitFor(() => expect(pids.map(isGone)).toEqual([true, true]), { timeout: 10_000 })
})
