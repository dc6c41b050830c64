// Forge of the overhead benchmark. Serves real changes as pull requests and sends deliveries.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Forge, startForge } from '../test/fakes/forge/forge.ts'
import { git } from '../test/fakes/forge/git.ts'
import type { RealChange } from './overhead-changes.ts'

export interface OpenPullRequest {
  /** Identifies the pull request in this run; its title ends with `[change <key>]`. */
  readonly key: number
  readonly repo: string
  readonly number: number
}

export interface BenchForge extends AsyncDisposable {
  /** Environment variables for Umpire. */
  readonly environment: Readonly<Record<string, string>>
  openPullRequests(changes: readonly RealChange[], signal: AbortSignal): Promise<OpenPullRequest[]>
  /** Sends the `opened` delivery. Resolves with the time of sending. */
  deliver(pull: OpenPullRequest, umpireUrl: string): Promise<number>
  /** Time of the last post of the review. */
  postedAt(pull: OpenPullRequest): number
  /** Whether the pull request has a summary and a final status. */
  isReviewed(pull: OpenPullRequest): boolean
  /** Number of API calls so far. */
  countApiCalls(): number
}

interface HostedRepository {
  readonly repo: string
  readonly directory: string
}

const reviewer = { login: 'umpire-bot', token: 'token-of-the-reviewer' }
const webhookSecret = 'secret of the benchmark'
/** Nothing listens there, because the benchmark sends the deliveries itself. */
const unreachableUrl = 'http://127.0.0.1:9/'

/** Starts a forge for git directories. It borrows their objects instead of copying them. */
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
      PLATFORM_WRITES_PER_MINUTE: '0',
      PLATFORM_NOTICES_PER_HOUR: '0',
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
        throw new Error(`Unexpected status ${response.status} for a delivery.`)
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

/** Records the last post per pull request, with a rule that observes requests without a match. */
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
