// Demo: runs the service with a local code host and reviews a pull request with real bugs.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Forge, type PullRequestView, startForge } from '../test/fakes/forge/forge.ts'
import { readSample } from './read-sample.ts'
import { createServiceEnvironment, findFreePort } from './service-environment.ts'
import { type RunningService, type Session, signIn, startService } from './start-service.ts'
import { createStepPrinter, printDetail, printReview } from './terminal.ts'

const repo = 'acme/shop'
const branch = 'cancel-and-pay'
const title = 'Cancel orders, pay them, and import several at once'
const reviewerLogin = 'umpire-bot'
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

Runs the service with a local code host, and reviews a pull request. Both keep running until Ctrl-C.
The service listens on port 8484 and the code host on port 8485, or on free ports if they are taken.

  --platform   the code host that is played: ${Object.keys(hosts).join(', ')} (github by default)
  --once       exit after the reviews`

const options = readOptions()
const host = hosts[options.platform]
const reviewer = { login: reviewerLogin, token: host.token }
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
  step(`A local code host with the API of ${host.name} runs at ${forge.url}`)
  forge.createUser('alice')
  forge.createUser(reviewer.login, { token: reviewer.token })
  await forge.createRepository(repo)
  forge.setPermission(repo, 'alice', 'admin')
  // Creating the webhook requires admin access. Reviews alone need only write access.
  forge.setPermission(repo, reviewer.login, 'admin')
  await forge.push(repo, 'main', readSample('main'), { author: 'alice', message: 'Start the shop' })
  printDetail(`alice pushed ${repo}: orders, stock and mail of a small shop`)

  const model = chooseModel()
  const logFile = join(folder, 'umpire.log')
  await using service = await startService(
    await createServiceEnvironment(forge, { platform: dialect, folder, model, port: 8484 }),
    logFile,
  )
  step(`Umpire runs at ${service.url} with its embedded database`)
  printDetail(
    model === null ? 'no model is configured: only the built-in rules review' : `model: ${model}`,
  )

  const umpire = await signIn(service.url, reviewer.token)
  const connected = await umpire.send('POST', `/api/v1/repos/${repo}/install`)
  step(`${reviewer.login} signs in with a personal access token and connects ${repo}`)
  printDetail(`Umpire responds ${JSON.stringify(connected)}`)
  printDetail(`the code host has a webhook to ${forge.webhooks(repo)[0]?.url}`)

  await waitForScan(umpire)

  const topic = readSample('topic')
  await forge.push(repo, branch, topic, { author: 'alice', message: 'Cancel and pay orders' })
  const number = await forge.openPullRequest({ repo, head: branch, title, author: 'alice' })
  step(`alice opens pull request #${number}: ${title}`)
  await waitForReview(forge, service, number)
  printReview(forge.pullRequest(repo, number), topic)

  const fixed = { 'src/payments.ts': fixPayments(topic['src/payments.ts'] ?? '') }
  await forge.push(repo, branch, fixed, {
    author: 'alice',
    message: 'Wait for the payment, keep the key out of the code',
  })
  step(
    'alice fixes two of the findings. The finding about the key stays open, because the key ' +
      'must still be revoked',
  )
  await waitForReview(forge, service, number)
  printOutcome(forge.pullRequest(repo, number))
  step('The API returns the same results')
  printReviews(await umpire.send('GET', '/api/v1/reviews'))

  if (options.once) return
  console.log('\nNext, open:')
  printDetail(`the pull request   ${forge.pullRequest(repo, number).url}`)
  printDetail(`Umpire's page      ${service.url}/ (sign in with the token ${reviewer.token})`)
  printDetail(`Umpire's API       ${service.url}/docs`)
  printDetail(`Umpire's log       ${logFile}`)
  if (dialect === 'github') printDetail('a GitHub App       docs/github.md, "Try it with the demo"')
  console.log('Press Ctrl-C to stop the demo and delete its data.')
  await Promise.race([interrupted, service.failed])
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

/** Waits until the repository is scanned, and prints its project map. */
async function waitForScan(umpire: Session): Promise<void> {
  const query = `repo=${encodeURIComponent(repo)}`
  let scan: { status: string } = { status: 'none' }
  while (scan.status !== 'completed') {
    await setTimeout(100)
    scan = (await umpire.send('GET', `/api/v1/memory/scan?${query}`)) as typeof scan
    if (scan.status === 'failed') throw new Error(`The scan failed: ${JSON.stringify(scan)}`)
  }
  step('Umpire has scanned the repository')
  const { memories } = (await umpire.send(
    'GET',
    `/api/v1/memory/project-map?${query}`,
  )) as ProjectMap
  for (const { memory, metadata } of memories)
    printDetail(`${metadata.path} (${metadata.component_type}): ${memory}`)
}

interface ProjectMap {
  readonly memories: readonly {
    memory: string
    metadata: { path: string; component_type: string }
  }[]
}

/** Waits for the review of the newest commit, and prints its progress. */
async function waitForReview(forge: Forge, service: RunningService, number: number): Promise<void> {
  const startedAt = performance.now()
  const { headSha } = forge.pullRequest(repo, number)
  const delivery = await forge.waitForDelivery(
    ({ status, payload }) => status !== null && headShaOf(payload) === headSha,
  )
  const body = delivery.attempts.at(-1)?.responseBody
  const response = `${delivery.status} ${body}`
  printDetail(`webhook ${delivery.event}.${delivery.action}: Umpire responds ${response}`)
  const finalStatus = () => {
    const status = forge.pullRequest(repo, number).statuses[headSha]?.at(-1)
    return status && status.state !== 'pending' ? status : null
  }
  const status = await Promise.race([forge.waitFor(finalStatus, reviewTimeout), service.failed])
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  step(`Umpire posted the review after ${seconds} s. Commit status: ${status.description}`)
}

function printOutcome(view: PullRequestView): void {
  const summary = view.comments.find((comment) => comment.author === reviewer.login)
  const resolved = view.threads.filter((thread) => thread.resolved).length
  const edits = summary?.edits ?? 0
  printDetail(`summary edited in place: ${view.comments.length} comment, ${edits} edit(s)`)
  printDetail(`${view.threads.length} threads without duplicates; ${resolved} resolved by the fix`)
}

function printReviews(reviews: unknown): void {
  for (const review of reviews as Record<string, unknown>[]) {
    const [verdict, confidence] = String(review.ai_summary).split('\n')
    printDetail(`${review.repo_name}#${review.pr_number} ${review.pr_title}`)
    const status = `${review.status}, the pull request is ${review.pr_status}`
    printDetail(`${status}: ${verdict}, ${confidence?.toLowerCase()}`)
  }
}

interface DeliveredPullRequest {
  readonly pull_request?: { readonly head?: { readonly sha?: string } }
  /** It is a merge request of GitLab. */
  readonly object_attributes?: { readonly last_commit?: { readonly id?: string } }
}

function headShaOf(payload: DeliveredPullRequest): string | undefined {
  return payload.pull_request?.head?.sha ?? payload.object_attributes?.last_commit?.id
}

/** MODEL, or the default model of a provider with a key, or null. */
function chooseModel(): string | null {
  if (process.env.MODEL) return process.env.MODEL
  const provider = (Object.keys(defaultModels) as (keyof typeof defaultModels)[]).find(
    (name) => process.env[name],
  )
  return provider === undefined ? null : defaultModels[provider]
}

function fixPayments(source: string): string {
  return source
    .replace(/^const providerKey = .*$/m, "const providerKey = process.env.PROVIDER_KEY ?? ''")
    .replace('    charge(order, cents)', '    await charge(order, cents)')
}
