// A scenario with scanned repositories that returns the graph context of a pull request.

import { type Change, noEarlierReviews } from '../src/domain/change.ts'
import type { ChangeGraph } from '../src/domain/change-graph.ts'
import { requestScan } from '../src/work/scans.ts'
import { gatherChange } from '../src/workflows/gather-change.ts'
import { gatherGraph } from '../src/workflows/gathering/gather-graph.ts'
import type { Forge } from './fakes/forge/forge.ts'
import type { PushedFile } from './fakes/forge/pushes.ts'
import {
  forgeEnvironment,
  reviewerLogin,
  reviewerToken,
  startShopForge,
} from './review-scenario.ts'
import { type StartOptions, startTestApp, type TestApp } from './start-app.ts'

type Files = Readonly<Record<string, PushedFile>>
type Context = TestApp['app']['context']

export interface ChangeGraphScenario extends AsyncDisposable {
  readonly forge: Forge
  readonly app: TestApp
  /** Makes a repository with these files on its default branch and scans it. Returns its name. */
  createRepository(files: Files, options?: { scanned?: boolean }): Promise<string>
  scan(repo: string): Promise<void>
  /** Opens a pull request from a new branch without a review. Returns its number. */
  propose(repo: string, files: Files, options?: { parent?: string }): Promise<number>
  /** Returns the context that a review would get; `change` overrides parts of its environment. */
  readChangeGraph(
    repo: string,
    number: number,
    change?: (context: Context) => Partial<Context>,
  ): Promise<ChangeGraph | null>
}

/** Starts the forge and Umpire. No deliveries are sent, so no review starts on its own. */
export async function startChangeGraphScenario(
  options: StartOptions = {},
): Promise<ChangeGraphScenario> {
  await using stack = new AsyncDisposableStack()
  const forge = stack.use(await startShopForge())
  const app = stack.use(
    await startTestApp({ ...options, env: { ...forgeEnvironment(forge), ...options.env } }),
  )
  const { context } = app.app
  let repositories = 0
  let branches = 0
  const scan = async (repo: string) => {
    await requestScan(app.db, repo)
    await waitUntilScanned(app, repo)
  }
  const resources = stack.move()
  return {
    forge,
    app,
    scan,
    async createRepository(files, { scanned = true } = {}) {
      const repo = `acme/graph-${++repositories}`
      await forge.createRepository(repo, { writers: ['alice', reviewerLogin] })
      await forge.push(repo, 'main', files, { author: 'alice' })
      if (scanned) await scan(repo)
      return repo
    },
    async propose(repo, files, how = {}) {
      const branch = `change-${++branches}`
      await forge.push(repo, branch, files, { author: 'alice', ...how })
      return forge.openPullRequest({ repo, head: branch, title: 'A change', author: 'alice' })
    },
    async readChangeGraph(repo, number, change = () => ({})) {
      await using gathered = await gather(context, repo, number)
      return gatherGraph({ ...context, ...change(context) }, gathered, AbortSignal.timeout(60_000))
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

async function gather(
  context: Context,
  repo: string,
  number: number,
): Promise<Change & AsyncDisposable> {
  const access = { repo, token: reviewerToken }
  const signal = AbortSignal.timeout(60_000)
  const pullRequest = await context.platform.getPullRequest(access, number, signal)
  return gatherChange(context, access, { pullRequest, earlier: noEarlierReviews }, signal)
}

async function waitUntilScanned({ db }: TestApp, repo: string, timeoutMs = 60_000): Promise<void> {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    const row = await db
      .selectFrom('scans')
      .select(['status', 'error'])
      .where('repo', '=', repo)
      .executeTakeFirst()
    if (row?.status === 'completed') return
    if (row?.status === 'failed') throw new Error(`The scan of ${repo} failed: ${row.error}`)
    if (performance.now() > deadline) throw new Error(`The scan of ${repo} has not ended`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
