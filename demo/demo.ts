// Demo: runs the service with a local code host and reviews pull requests, some with real bugs.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startForge } from '../test/fakes/forge/forge.ts'
import { hoursOf, moveToPast, startInPast } from './past.ts'
import { playChange } from './play-change.ts'
import { createShop, repo, reviewer, sampleChanges } from './sample-shop.ts'
import { createTeamChanges, createTeamRepositories } from './sample-team.ts'
import { createServiceEnvironment, findFreePort } from './service-environment.ts'
import { type Session, signIn, startService } from './start-service.ts'
import { createStepPrinter, printDetail, printFindings } from './terminal.ts'

/** The model to use if the environment has the key of a provider but no MODEL. */
const defaultModels = {
  ANTHROPIC_API_KEY: 'anthropic:claude-haiku-4-5',
  OPENAI_API_KEY: 'openai:gpt-5-mini',
  GOOGLE_GENERATIVE_AI_API_KEY: 'google:gemini-2.5-flash',
} as const

/** Which code host is played, and a token in its form. */
const hosts = {
  github: { name: 'GitHub', token: 'token-of-the-demo-reviewer' },
  gitea: { name: 'Gitea', token: 'de30de30de30de30de30de30de30de30de30de30' },
  forgejo: { name: 'Forgejo', token: 'de30de30de30de30de30de30de30de30de30de30' },
  gitlab: { name: 'GitLab', token: 'glpat-demo-demo-demo-demo-de' },
} as const
type Host = keyof typeof hosts

const usage = `Usage: npm run demo -- [--platform <name>] [--team] [--once]

Runs the service with a local code host, and reviews pull requests. Both keep running until Ctrl-C.
The service listens on port 8484 and the code host on port 8485, or on free ports if they are taken.

  --platform   the code host that is played: ${Object.keys(hosts).join(', ')} (github by default)
  --team       three more repositories with 25 pull requests, for a page with more on it
  --once       exit after the reviews`

const options = readOptions()
const host = hosts[options.platform]
const step = createStepPrinter()
const folder = mkdtempSync(join(tmpdir(), 'umpire-demo-'))
const interrupted = new Promise<void>((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
})

try {
  await runDemo()
} catch (error) {
  console.error(`\nThe demo failed: ${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function runDemo(): Promise<void> {
  const dialect = options.platform
  printDetail('starting a local code host and Umpire …')
  const teamChanges = options.team ? createTeamChanges() : []
  const changes = [...teamChanges, ...sampleChanges]
  const past = options.team && { clock: startInPast(changes.length) }
  await using forge = await startForge({ dialect, port: await findFreePort(8485), ...past })
  await createShop(forge, host.token)
  const others = options.team ? await createTeamRepositories(forge) : []
  step(`A local code host like ${host.name} runs at ${forge.url}, with the repository ${repo}`)

  const model = chooseModel()
  const logFile = join(folder, 'umpire.log')
  const place = { platform: dialect, folder, model, port: 8484 }
  const environment = await createServiceEnvironment(forge, place)
  await using first = await startService(environment, logFile)
  step(`Umpire runs at ${first.url}, ${model === null ? 'without a model' : `with ${model}`}`)

  const umpire = await signIn(first.url, host.token)
  await umpire.send('POST', `/api/v1/repos/${repo}/install`)
  await waitForScan(umpire)
  step(`${reviewer} connected ${repo}, and Umpire scanned it`)
  for (const name of others) {
    await umpire.send('POST', `/api/v1/repos/${name}/install`)
    step(`${reviewer} connected ${name}`)
  }

  let url = ''
  const { failed } = first
  const stage = { forge, umpire, failed, step, detail: printDetail, showFindings: printFindings }
  const quiet = { ...stage, detail: () => {}, showFindings: () => {} }
  for (const [index, change] of changes.entries()) {
    const isQuiet = index < teamChanges.length
    url = await playChange(isQuiet ? quiet : stage, change, past ? hoursOf(index) : 0)
  }
  if (options.once) return
  if (past) {
    await first[Symbol.asyncDispose]()
    await moveToPast(folder)
  }
  await using service = past ? await startService(environment, logFile) : first

  printDetail(`log: ${logFile}`)
  console.log('\nOpen (Ctrl-C stops the demo and deletes its data):')
  console.log(`  the pull request               ${url}`)
  forge.signInAs(reviewer)
  console.log(`  Umpire, which signs you in     ${service.url}/auth/login`)
  await Promise.race([interrupted, service.failed])
}

/** Exits after the usage if it was requested or the arguments are wrong. */
function readOptions(): {
  readonly once: boolean
  readonly team: boolean
  readonly platform: Host
} {
  try {
    const { values } = parseArgs({
      options: {
        platform: { type: 'string', default: 'github' },
        team: { type: 'boolean', default: false },
        once: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
    const { once, team, platform } = values
    if (!isHost(platform)) throw new Error(`There is no platform ${JSON.stringify(platform)}.`)
    if (!values.help) return { once, team, platform }
    console.log(usage)
    process.exit(0)
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`)
    process.exit(2)
  }
}

function isHost(name: string): name is Host {
  return Object.hasOwn(hosts, name)
}

/** Waits until the repository is scanned. */
async function waitForScan(umpire: Session): Promise<void> {
  const query = `repo=${encodeURIComponent(repo)}`
  let scan: { status: string } = { status: 'none' }
  while (scan.status !== 'completed') {
    await setTimeout(100)
    scan = (await umpire.send('GET', `/api/v1/memory/scan?${query}`)) as typeof scan
    if (scan.status === 'failed') throw new Error(`The scan failed: ${JSON.stringify(scan)}`)
  }
}

/** MODEL, or the default model of a provider with a key, or null. */
function chooseModel(): string | null {
  if (process.env.MODEL) return process.env.MODEL
  const provider = (Object.keys(defaultModels) as (keyof typeof defaultModels)[]).find(
    (name) => process.env[name],
  )
  return provider === undefined ? null : defaultModels[provider]
}
