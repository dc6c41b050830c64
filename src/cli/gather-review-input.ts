// Gathers what `umpire review` is to review: from the repository around the working directory, or from the platform.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { pickChildVariables, readGitIndexFile } from '../config/environment.ts'
import type { ReviewContext } from '../context.ts'
import { UmpireError } from '../domain/errors.ts'
import { gitRuntimeFrom } from '../git/run-git.ts'
import type { Access, Platform } from '../platforms/platform.ts'
import { type Change, noEarlierReviews } from '../reviewers/reviewer.ts'
import { UsageError } from './exit-codes.ts'
import type { ComparisonSummary } from './reports/report.ts'
import type { ReviewSource } from './review-options.ts'

/** A change at hand. Dispose of it: it holds processes and a temporary folder. */
export interface ReviewInput extends AsyncDisposable {
  readonly change: Change
  readonly compared: ComparisonSummary
  /** Where it was read from; null for this machine. */
  readonly origin: { readonly platform: Platform; readonly access: Access } | null
}

/** What is being gathered. */
export interface PendingReviewInput {
  readonly input: Promise<ReviewInput>
  /** The paths of the change, which are known before the rest; never where it can't be gathered. */
  readonly paths: Promise<readonly string[]>
}

/** Starts to gather a change of the repository around the working directory. Resolves when git is at work. */
export async function startGatheringLocalChange(
  source: Exclude<ReviewSource, { kind: 'pull_request' }>,
  signal: AbortSignal,
): Promise<PendingReviewInput> {
  const { gatherLocalChange } = await import('../workflows/gather-local-change.ts')
  const { promise: atWork, resolve: onWork } = Promise.withResolvers<void>()
  const { promise: paths, resolve: onPaths } = Promise.withResolvers<readonly string[]>()
  const task = {
    host: gitRuntimeFrom(pickChildVariables()),
    folder: process.cwd(),
    source,
    indexFile: readGitIndexFile(),
  }
  const gathered = gatherLocalChange({ ...task, onWork, onPaths }, signal).then((result) => ({
    change: result.change,
    compared: { ...result.comparison, url: null },
    origin: null,
    [Symbol.asyncDispose]: () => result[Symbol.asyncDispose](),
  }))
  // What goes wrong is told when it is waited for.
  await Promise.race([atWork, gathered.catch(() => undefined)])
  return { input: gathered, paths }
}

/** Gathers a pull request as the service does, but for earlier reviews: nothing here knows of them. */
export async function gatherPullRequest(
  ctx: Pick<ReviewContext, 'config' | 'log' | 'models'>,
  address: string,
  signal: AbortSignal,
): Promise<ReviewInput> {
  const { platform, ref } = await findPullRequest(ctx.config, address)
  const { token } = ctx.config.fallback
  if (token === null)
    throw new UmpireError('no_token', `No token for ${ref.repo}: set PLATFORM_TOKEN.`)
  const access = { repo: ref.repo, token }
  const { gatherChange } = await import('../workflows/gather-change.ts')
  await using stack = new AsyncDisposableStack()
  const dataDir = await mkdtemp(join(tmpdir(), 'umpire-'))
  stack.defer(() => rm(dataDir, { recursive: true, force: true, maxRetries: 3 }))
  const pullRequest = await platform.getPullRequest(access, ref.number, signal)
  const config: Config = { ...ctx.config, dataDir }
  const gather = { pullRequest, earlier: noEarlierReviews }
  const gitHost = gitRuntimeFrom(config.childEnvironment)
  const change = stack.use(
    await gatherChange({ ...ctx, config, platform, gitHost }, access, gather, signal),
  )
  const held = stack.move()
  return {
    change,
    compared: {
      kind: 'pull_request',
      description: `${ref.repo}#${ref.number} (${change.mergeBaseSha.slice(0, 7)}..${change.headSha.slice(0, 7)})`,
      baseSha: change.mergeBaseSha,
      headSha: change.headSha,
      url: pullRequest.url,
    },
    origin: { platform, access },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}

async function findPullRequest(config: Config, address: string) {
  const [{ createPlatform }, { parsePullRequestUrl }] = await Promise.all([
    import('../platforms/index.ts'),
    import('../platforms/parse-pull-request-url.ts'),
  ])
  const ref = parsePullRequestUrl(address, config.platform.url)
  if (ref === undefined)
    throw new UsageError(
      `there are pull requests only at ${config.platform.url}/<owner>/<repo>/pull/<number>`,
    )
  return { platform: createPlatform(config.platform), ref }
}
