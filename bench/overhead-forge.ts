// The forge of the benchmark of reviews: real changes as open pull requests, whose deliveries wait to be sent.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Forge, startForge } from '../test/fakes/forge/forge.ts'
import { git } from '../test/fakes/forge/git.ts'
import type { RealChange } from './overhead-changes.ts'

/** A change as an open pull request. */
export interface OpenPullRequest {
  /** Of this run's pull requests; its title ends with `[change <key>]`. */
  readonly key: number
  readonly repo: string
  readonly number: number
}

export interface BenchForge extends AsyncDisposable {
  /** What Umpire's environment says about it. */
  readonly environment: Readonly<Record<string, string>>
  openPullRequests(changes: readonly RealChange[], signal: AbortSignal): Promise<OpenPullRequest[]>
  /** Sends the delivery that says that the pull request was opened. Resolves with the time of sending. */
  deliver(pull: OpenPullRequest, umpireUrl: string): Promise<number>
  /** When the review was posted: the summary, or the comments on lines after it. */
  postedAt(pull: OpenPullRequest): number
  /** Whether a summary stands there, and a status that is not pending. */
  isReviewed(pull: OpenPullRequest): boolean
  /** Calls of its API so far. */
  countApiCalls(): number
}

interface HostedRepository {
  readonly repo: string
  readonly directory: string
}

const reviewer = { login: 'umpire-bot', token: 'token-of-the-reviewer' }
const webhookSecret = 'secret of the benchmark'
/** Nothing listens there: the deliveries are made, and sent when their time has come. */
const unreachableUrl = 'http://127.0.0.1:9/'

/** Starts a forge that hosts these git directories; it borrows their objects, so that nothing is copied. */
export async function startBenchForge(sources: readonly string[]): Promise<BenchForge> {
  await using stack = new AsyncDisposableStack()
  const dataDir = mkdtempSync(join(tmpdir(), 'umpire-bench-forge-'))
  stack.defer(() => rmSync(dataDir, { recursive: true, force: true, maxRetries: 3 }))
  const forge = stack.use(await startForge({ dataDir }))
  forge.createUser('alice')
  forge.createUser(reviewer.login, { token: reviewer.token })
  const hosted = new Map<string, HostedRepository>()
  for (const [at, source] of sources.entries())
    hosted.set(source, await hostRepository(forge, dataDir, source, at))
  const posted = recordPostTimes(forge)
  const bodies = new Map<number, { headers: Readonly<Record<string, string>>; body: string }>()
  let nextKey = 1

  const openOne = async (
    { repo, directory }: HostedRepository,
    { base, head, subject }: RealChange,
    key: number,
  ) => {
    const refs = `create refs/heads/change-${key} ${head}\ncreate refs/heads/base-${key} ${base}\n`
    await git(directory, ['update-ref', '--stdin'], { input: refs })
    const title = `${subject} [change ${key}]`
    const number = await forge.openPullRequest({
      repo,
      head: `change-${key}`,
      base: `base-${key}`,
      title,
      author: 'alice',
    })
    const delivery = forge.deliveries.findLast(
      (one) => one.repo === repo && one.payload.number === number,
    )
    bodies.set(key, delivery!.request)
    return { key, repo, number }
  }
  const held = stack.move()
  return {
    environment: {
      PLATFORM_URL: forge.url,
      PLATFORM_API_URL: forge.apiUrl,
      PLATFORM_TOKEN: reviewer.token,
      WEBHOOK_SECRET: webhookSecret,
    },
    async openPullRequests(changes, signal) {
      const opened: OpenPullRequest[] = []
      const bySource = Map.groupBy(changes.entries(), ([, { source }]) => source)
      const first = nextKey
      nextKey += changes.length
      await Promise.all(
        [...bySource].map(async ([source, entries]) => {
          for (const [at, change] of entries) {
            signal.throwIfAborted()
            opened[at] = await openOne(hosted.get(source)!, change, first + at)
          }
        }),
      )
      return opened
    },
    async deliver({ key }, umpireUrl) {
      const sentAt = performance.now()
      const response = await fetch(`${umpireUrl}/api/v1/webhooks/host`, {
        method: 'POST',
        ...bodies.get(key)!,
      })
      if (response.status !== 200)
        throw new Error(`A delivery was answered with ${response.status}.`)
      await response.body?.cancel()
      return sentAt
    },
    postedAt: ({ repo, number }) => posted.get(`${repo}#${number}`) ?? Number.NaN,
    isReviewed({ repo, number }) {
      const { comments, statuses, headSha } = forge.pullRequest(repo, number)
      return (
        comments.some(({ author }) => author === reviewer.login) &&
        statuses[headSha]?.at(-1)?.state !== 'pending'
      )
    },
    countApiCalls: () => forge.requests.filter(({ path }) => path.startsWith('/api/')).length,
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}

async function hostRepository(
  forge: Forge,
  dataDir: string,
  source: string,
  at: number,
): Promise<HostedRepository> {
  const repo = `owner-${at}/repository`
  const before = new Set(readdirSync(dataDir))
  await forge.createRepository(repo)
  const directory = join(dataDir, readdirSync(dataDir).find((name) => !before.has(name))!)
  writeFileSync(join(directory, 'objects', 'info', 'alternates'), `${join(source, 'objects')}\n`)
  forge.setPermission(repo, reviewer.login, 'write')
  forge.addWebhook(repo, { url: unreachableUrl, secret: webhookSecret, events: ['pull_request'] })
  return { repo, directory }
}

/** The time at which something was said on each pull request last. A rule that meets no request sees them all. */
function recordPostTimes(forge: Forge): Map<string, number> {
  const posted = new Map<string, number>()
  const post =
    /^\/api\/v3\/repos\/([^/]+\/[^/]+)\/(?:issues\/(\d+)\/comments|pulls\/(\d+)\/reviews)$/
  forge.faults.add({
    match: ({ method, path }) => {
      const [, repo, issue, pull] = (method === 'POST' && post.exec(path)) || []
      if (repo !== undefined) posted.set(`${repo}#${issue ?? pull}`, performance.now())
      return false
    },
    action: { kind: 'cut' },
  })
  return posted
}
