// Demo: runs the service with a local code host and reviews pull requests, some with real bugs.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Forge, startForge } from '../test/fakes/forge/forge.ts'
import {
  createShop,
  openChange,
  repo,
  reviewer,
  type SampleChange,
  sampleChanges,
} from './sample-shop.ts'
import { createServiceEnvironment, findFreePort } from './service-environment.ts'
import { type RunningService, type Session, signIn, startService } from './start-service.ts'
import { createStepPrinter, printDetail, printFindings } from './terminal.ts'

const reviewTimeout = { timeoutMs: 15 * 60_000, what: 'a review' }

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

const usage = `Usage: npm run demo -- [--platform <name>] [--once]

Runs the service with a local code host, and reviews pull requests. Both keep running until Ctrl-C.
The service listens on port 8484 and the code host on port 8485, or on free ports if they are taken.

  --platform   the code host that is played: ${Object.keys(hosts).join(', ')} (github by default)
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
  await using forge = await startForge({ dialect, port: await findFreePort(8485) })
  await createShop(forge, host.token)
  step(`A local code host like ${host.name} runs at ${forge.url}, with the repository ${repo}`)

  const model = chooseModel()
  const logFile = join(folder, 'umpire.log')
  await using service = await startService(
    await createServiceEnvironment(forge, { platform: dialect, folder, model, port: 8484 }),
    logFile,
  )
  step(`Umpire runs at ${service.url}, ${model === null ? 'without a model' : `with ${model}`}`)

  const umpire = await signIn(service.url, host.token)
  await umpire.send('POST', `/api/v1/repos/${repo}/install`)
  await waitForScan(umpire)
  step(`${reviewer} connected ${repo}, and Umpire scanned it`)

  let url = ''
  for (const change of sampleChanges) url = await playChange({ forge, service }, change)
  if (options.once) return

  printDetail(`log: ${logFile}`)
  console.log('\nOpen (Ctrl-C stops the demo and deletes its data):')
  console.log(`  the pull request               ${url}`)
  forge.signInAs(reviewer)
  console.log(`  Umpire, which signs you in     ${service.url}/auth/login`)
  await Promise.race([interrupted, service.failed])
}

/** Opens the pull request, and fixes or merges it after its review. Returns its URL. */
async function playChange(
  { forge, service }: { readonly forge: Forge; readonly service: RunningService },
  change: SampleChange,
): Promise<string> {
  const { author, title, fix } = change
  const number = await openChange(forge, change)
  step(`${author} opens #${number}: ${title}`)
  await waitForReview(forge, service, number)
  printFindings(forge.pullRequest(repo, number))
  if (fix !== undefined) {
    await forge.push(repo, change.branch, fix.files, { author, message: fix.message })
    step(`${author} pushes a fix: ${fix.message}`)
    await waitForReview(forge, service, number)
    const { threads } = forge.pullRequest(repo, number)
    const resolved = threads.filter((thread) => thread.resolved).length
    printDetail(`resolved threads: ${resolved} of ${threads.length}`)
  }
  if (change.merge) {
    await forge.mergePullRequest(repo, number, author)
    printDetail(`${author} merges it`)
  }
  return forge.pullRequest(repo, number).url
}

/** Exits after the usage if it was requested or the arguments are wrong. */
function readOptions(): { readonly once: boolean; readonly platform: Host } {
  try {
    const { values } = parseArgs({
      options: {
        platform: { type: 'string', default: 'github' },
        once: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
    const { once, platform } = values
    if (!isHost(platform)) throw new Error(`There is no platform ${JSON.stringify(platform)}.`)
    if (!values.help) return { once, platform }
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

/** Waits for the review of the newest commit, and prints its status. */
async function waitForReview(forge: Forge, service: RunningService, number: number): Promise<void> {
  const startedAt = performance.now()
  const { headSha } = forge.pullRequest(repo, number)
  const finalStatus = () => {
    const status = forge.pullRequest(repo, number).statuses[headSha]?.at(-1)
    return status && status.state !== 'pending' ? status : null
  }
  const status = await Promise.race([forge.waitFor(finalStatus, reviewTimeout), service.failed])
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  printDetail(`Umpire, after ${seconds} s: ${status.description}`)
}

/** MODEL, or the default model of a provider with a key, or null. */
function chooseModel(): string | null {
  if (process.env.MODEL) return process.env.MODEL
  const provider = (Object.keys(defaultModels) as (keyof typeof defaultModels)[]).find(
    (name) => process.env[name],
  )
  return provider === undefined ? null : defaultModels[provider]
}
