// Tests trackers that run as child processes: failures, isolation and cleanup.
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

function readStarted(): { pids: number[]; environment: string[] } {
  return JSON.parse(readFileSync(pidFile(), 'utf8'))
}

/** Opens one pull request per title, and returns their posted summaries. */
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

const hasExited = (pid: number) => !isRunning(pid)

it('queries a program with hundreds of tools in an environment of its own', async () => {
  const [text] = await reviewAll('SHOP-12')
  expect(text).toContain('- tracker: Known as SHOP-12')
  expect(readStarted().environment).toContain('TOKEN')
  const inherited = readStarted().environment.filter((name) =>
    /SECRET|PLATFORM|WEBHOOK|CONTEXT|HOME/.test(name),
  )
  expect(inherited).toEqual([])
})

it('reports a program that cannot start, but none of other repositories', async () => {
  const [text] = await reviewAll('SHOP-13')
  expect(text).toContain('- Without absent: its program could not be started')
  expect(text).not.toContain('elsewhere')
})

it('ignores invalid messages of a program and refuses its requests', async () => {
  const [noisy, asking] = await reviewAll('NOISE-1', 'BACK-1')
  expect(noisy).toContain('- tracker: NOISE-1: After much noise')
  expect(asking).toContain('- tracker: BACK-1: Refused 3 of 3')
})

it('case 70: restarts a program that floods or dies, for the next review', async () => {
  const [flooded, gone] = await reviewAll('FLOOD-1', 'GONE-1')
  expect(flooded).toContain('- Without tracker: ')
  expect(gone).toContain('- Without tracker: ')
  const before = readStarted().pids
  const [text] = await reviewAll('SHOP-14')
  expect(text).toContain('- tracker: Known as SHOP-14')
  expect(readStarted().pids).not.toEqual(before)
  await vi.waitFor(() => expect(before.map(hasExited)).toEqual([true, true]), { timeout: 10_000 })
})

it('ends the programs and their child processes with the service', async () => {
  const { pids } = readStarted()
  expect(pids.map(hasExited)).toEqual([false, false])
  await scenario.app[Symbol.asyncDispose]()
  await vi.waitFor(() => expect(pids.map(hasExited)).toEqual([true, true]), { timeout: 10_000 })
})
