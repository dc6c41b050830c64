// The setup of the crash tests: a forge, a model, a deployment, and their pull requests.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Forge } from '../fakes/forge/forge.ts'
import {
  type ModelServer,
  type Reply,
  type Script,
  startModelServer,
} from '../fakes/models/model-server.ts'
import { hourMs } from '../fakes/step-database-clock-back.ts'
import { forgeEnvironment, repo, reviewerLogin, startShopForge } from '../review-scenario.ts'
import { webhookSecret } from '../start-app.ts'
import { createDeployment, type Deployment, type DeploymentKind } from './deployment.ts'

/** A pull request and its expected final content. */
export interface TrackedPullRequest {
  readonly number: number
  readonly branch: string
  readonly path: string
  head: string
  /** The names of the flaws in the code of `head`: each must lead to one finding. */
  flaws: readonly string[]
  /** The flaws of all heads: each may have led to a comment. */
  readonly allFlaws: Set<string>
}

export interface CrashScenario extends AsyncDisposable {
  readonly forge: Forge
  readonly model: ModelServer
  readonly deployment: Deployment
  readonly pullRequests: readonly TrackedPullRequest[]
  open(flawCount: number): Promise<TrackedPullRequest>
  /** Pushes a head with `flawCount` new flaws instead of the earlier ones; `keep` keeps those. */
  push(
    pullRequest: TrackedPullRequest,
    flawCount: number,
    options?: { keep?: boolean },
  ): Promise<void>
  /** Redelivers the newest delivery several times at once. Only `settle` waits for the answers. */
  duplicateNewest(copies: number): void
  /** Redelivers unanswered deliveries, as an operator of the platform would. */
  redeliverUnanswered(): Promise<void>
  /** See `Deployment.stepClockBack`; the platform's clock is then ahead of the database's. */
  stepClockBack(): Promise<void>
}

/** Further findings of a review are only listed in its summary, by default. */
const maxComments = 8

/** Returns the answer of the scripted model: one finding for each added flaw in its request. */
export const reviewScript: Script = ({ text }): Reply => {
  const lines = [...text.matchAll(/\+ *(export const (flaw_\w+) = ratio\(\d+\) \/\/ (\S+\.ts))/g)]
  const findings = lines.map(([, quote, name, path]) => ({
    path,
    side: 'RIGHT',
    start_line: 1,
    end_line: 1,
    quote,
    severity: 'moderate',
    category: 'correctness',
    title: `The ratio ${name} is off`,
    body: 'When the total is 0, then the ratio is not a number.',
    suggestion: null,
    evidence: [],
    confidence: 0.9,
  }))
  return { json: { summary: 'It adds ratios.', findings } }
}

/** Starts forge and model, and creates the deployment without starting it. */
export async function createCrashScenario(
  kind: DeploymentKind,
  server: string | null,
): Promise<CrashScenario> {
  await using stack = new AsyncDisposableStack()
  let aheadMs = 0
  const forge = stack.use(await startShopForge({ clock: () => new Date(Date.now() + aheadMs) }))
  const ratio = { 'src/ratio.ts': 'export const ratio = (total: number) => 100 / total\n' }
  await forge.push(repo, 'main', ratio, { author: 'alice', message: 'Compute ratios' })
  const model = stack.use(await startModelServer({ protocol: 'openai-chat', script: reviewScript }))
  const environment = {
    ...forgeEnvironment(forge),
    MODEL: 'compatible:scripted',
    MODEL_BASE_URL: model.url,
  }
  const deployment = stack.use(await createDeployment(kind, { environment, server }))
  forge.addWebhook(repo, { url: `${deployment.url}/api/v1/webhooks/host`, secret: webhookSecret })
  const held = stack.move()
  const pullRequests: TrackedPullRequest[] = []
  const sending = new Set<Promise<unknown>>()
  let counter = 0
  return {
    forge,
    model,
    deployment,
    pullRequests,
    async open(flawCount) {
      const key = ++counter
      const [branch, path] = [`topic-${key}`, `src/ratios-${key}.ts`]
      const flaws = nameFlaws(key, 1, flawCount)
      const head = await forge.push(
        repo,
        branch,
        { [path]: writeCode(path, flaws) },
        { author: 'alice' },
      )
      const number = await forge.openPullRequest({
        repo,
        head: branch,
        title: `Ratios ${key}`,
        author: 'alice',
      })
      const made = { number, branch, path, head, flaws, allFlaws: new Set(flaws) }
      pullRequests.push(made)
      return made
    },
    async push(pullRequest, flawCount, { keep = false } = {}) {
      const { branch, path, allFlaws } = pullRequest
      const added = nameFlaws(pullRequest.number, allFlaws.size + 1001, flawCount)
      const all = [...pullRequest.flaws, ...added]
      const flaws = keep && all.length <= maxComments ? all : added
      pullRequest.flaws = flaws
      for (const flaw of flaws) allFlaws.add(flaw)
      pullRequest.head = await forge.push(
        repo,
        branch,
        { [path]: writeCode(path, flaws) },
        { author: 'alice' },
      )
    },
    duplicateNewest(copies) {
      const newest = forge.deliveries.at(-1)
      for (let copy = 0; newest && copy < copies; copy++) {
        const sent = forge.redeliver(newest.id).finally(() => sending.delete(sent))
        sending.add(sent)
      }
    },
    async stepClockBack() {
      await deployment.stepClockBack()
      if (kind !== 'embedded') aheadMs += hourMs
    },
    async redeliverUnanswered() {
      await Promise.all(sending)
      await forge.waitFor(() => forge.deliveries.every((one) => one.status !== null), {
        description: 'the deliveries end',
      })
      const lost = forge.deliveries.filter(
        (one) => !one.attempts.some(({ status }) => status === 200),
      )
      await Promise.all(lost.map((one) => forge.redeliver(one.id)))
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}

function nameFlaws(key: number, first: number, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `flaw_${key}_${first + index}`)
}

function writeCode(path: string, flaws: readonly string[]): string {
  const lines = flaws.map((name, index) => `export const ${name} = ratio(${index}) // ${path}`)
  return [
    `import { ratio } from './ratio.ts'`,
    // Without flaws, the import would be a finding.
    'export const compute = ratio',
    '',
    ...lines,
    `export const version = ${Date.now()}`,
    '',
  ].join('\n')
}

/** Returns the state of our newest status on a pull request's head. */
export function statusOf(
  scene: Pick<CrashScenario, 'forge'>,
  { number, head }: TrackedPullRequest,
): string | undefined {
  const statuses = scene.forge.pullRequest(repo, number).statuses[head] ?? []
  return statuses.findLast((one) => one.author === reviewerLogin)?.state
}

/** Waits until the forge has a finished review of each pull request's newest head. */
export async function waitUntilReviewed(scene: CrashScenario, timeoutMs = 60_000): Promise<void> {
  const isReviewed = (pullRequest: TrackedPullRequest) => {
    const { comments } = scene.forge.pullRequest(repo, pullRequest.number)
    const isShown = comments.some((one) => one.body.includes(`head=${pullRequest.head} `))
    return isShown && !['pending', undefined].includes(statusOf(scene, pullRequest))
  }
  await scene.forge.waitFor(() => scene.pullRequests.every(isReviewed), {
    timeoutMs,
    description: 'all reviews',
  })
}

/** Waits until no review runs and the forge got no request for a while. */
export async function waitUntilQuiet(scene: CrashScenario): Promise<void> {
  for (
    let seen = -1;
    seen !== scene.forge.requests.length || scene.deployment.busy().length > 0;
    await sleep(300)
  ) {
    seen = scene.forge.requests.length
  }
}
