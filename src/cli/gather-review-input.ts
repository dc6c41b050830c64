// Gathers the change for `umpire review` from the local repository or the platform.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pickChildVariables, readGitIndexFile } from '../config/environment.ts'
import type { Config, ReviewContext } from '../context.ts'
import { toHostPath } from '../contract/repository-name.ts'
import { type Change, noEarlierReviews } from '../domain/change.ts'
import { PlatformError, type PlatformErrorCode, UmpireError } from '../domain/errors.ts'
import type { PullRequestRef } from '../domain/pull-request.ts'
import { gitRuntimeFrom } from '../git/run-git.ts'
import { hostVariable } from '../platforms/code-hosts.ts'
import type { Access, Platform } from '../platforms/platform.ts'
import { UsageError } from './exit-codes.ts'
import type { ComparisonSummary } from './reports/report.ts'
import type { ReviewSource } from './review-options.ts'

/** A gathered change. It holds processes and a temporary folder until it is disposed. */
export interface ReviewInput extends AsyncDisposable {
  readonly change: Change
  readonly compared: ComparisonSummary
  /** The platform that the change was read from, or null for a local change. */
  readonly origin: { readonly platform: Platform; readonly access: Access } | null
}

interface PendingReviewInput {
  readonly input: Promise<ReviewInput>
  /** Resolves with the paths of the change before `input` does. Stays pending if that fails. */
  readonly paths: Promise<readonly string[]>
}

/** Starts to gather a change of the local repository. Resolves when git has started. */
export async function startGatheringLocalChange(
  source: Exclude<ReviewSource, { kind: 'pull_request' }>,
  signal: AbortSignal,
): Promise<PendingReviewInput> {
  const { gatherLocalChange } = await import('../workflows/gather-local-change.ts')
  const { promise: gitStarted, resolve: onWork } = Promise.withResolvers<void>()
  const { promise: paths, resolve: onPaths } = Promise.withResolvers<readonly string[]>()
  const task = {
    gitRuntime: gitRuntimeFrom(pickChildVariables()),
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
  // An error is thrown when the caller awaits the input.
  await Promise.race([gitStarted, gathered.catch(() => undefined)])
  return { input: gathered, paths }
}

/** Gathers a pull request like the service does, but without its earlier reviews. */
export async function gatherPullRequest(
  ctx: Pick<ReviewContext, 'config' | 'log' | 'models'>,
  url: string,
  signal: AbortSignal,
): Promise<ReviewInput> {
  const { platform, ref, settings } = await findPullRequest(ctx.config, url)
  const { token } = settings.fallback
  const variable = hostVariable('PLATFORM_TOKEN', settings.platform)
  if (token === null) {
    const missing = `No token for ${toHostPath(ref.repo)}: set ${variable}.`
    throw new UmpireError('no_token', `${missing} ${platform.terms.tokenHelp}`)
  }
  const access = { repo: ref.repo, token }
  const [{ gatherChange }, { createOrganizationSettings }] = await Promise.all([
    import('../workflows/gather-change.ts'),
    import('../workflows/gathering/organization-settings.ts'),
  ])
  await using stack = new AsyncDisposableStack()
  const dataDir = await mkdtemp(join(tmpdir(), 'umpire-'))
  stack.defer(() => rm(dataDir, { recursive: true, force: true, maxRetries: 3 }))
  const explain = (error: unknown): never => {
    throw explainRefusal(error, { platform, ref, variable, url: settings.platform.url })
  }
  const pullRequest = await platform.getPullRequest(access, ref.number, signal).catch(explain)
  const config: Config = { ...ctx.config, ...settings, dataDir }
  const gather = { pullRequest, earlier: noEarlierReviews }
  const openSibling = async (from: Access, repo: string) => ({ ...from, repo })
  const organizationSettings = createOrganizationSettings({ platform, openSibling })
  const gitRuntime = gitRuntimeFrom(config.childEnvironment)
  const change = stack.use(
    await gatherChange(
      { ...ctx, config, platform, gitRuntime, organizationSettings },
      access,
      gather,
      signal,
    ).catch(explain),
  )
  const shortBase = change.mergeBaseSha.slice(0, 7)
  const shortHead = change.headSha.slice(0, 7)
  const resources = stack.move()
  return {
    change,
    compared: {
      kind: 'pull_request',
      description: `${toHostPath(ref.repo)}#${ref.number} (${shortBase}..${shortHead})`,
      baseSha: change.mergeBaseSha,
      headSha: change.headSha,
      url: pullRequest.url,
    },
    origin: { platform, access },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

interface RefusedCall {
  readonly platform: Platform
  readonly ref: PullRequestRef
  /** The variable that the token is of. */
  readonly variable: string
  /** The address of the host. */
  readonly url: string
}

/** Says which token the host refused, and what one must permit. Other errors stay as they are. */
function explainRefusal(error: unknown, { platform, ref, variable, url }: RefusedCall): unknown {
  if (!(error instanceof PlatformError)) return error
  const { terms } = platform
  const repo = toHostPath(ref.repo)
  const token = `the token of ${variable}`
  const refusals: Partial<Record<PlatformErrorCode, string>> = {
    platform_unauthorized: `${terms.platform} rejects ${token}`,
    platform_forbidden: `${terms.platform} doesn't let ${token} read ${repo}`,
    // Hosts also answer this where a token can't read.
    platform_not_found:
      `${terms.platform} shows ${token} no ${terms.pullRequest} ${ref.number} in ${repo}: ` +
      `it is not there, the token may not read it, or ${url} is no ${terms.platform}`,
  }
  const refusal = refusals[error.code]
  if (refusal === undefined) return error
  const answer = error.message.replace(/\.$/, '')
  return new UmpireError(error.code, `${refusal} (${answer}). ${terms.tokenHelp}`)
}

async function findPullRequest(config: Config, url: string) {
  const [{ createCodeHost }, { parsePullRequestUrl }, kinds] = await Promise.all([
    import('../platforms/create-code-host.ts'),
    import('../platforms/parse-pull-request-url.ts'),
    import('../platforms/platform-config.ts'),
  ])
  const addressOf = ({ platform: { url, kind } }: Config['hosts'][number]) => {
    const { pullRequestPath } = kinds.hosts[kind]
    return { url, pullRequestPath }
  }
  for (const settings of config.hosts) {
    const ref = parsePullRequestUrl(url, addressOf(settings))
    // One host is all that this command knows, so names don't need it.
    const platform = createCodeHost({ ...settings.platform, name: null })
    if (ref !== undefined) return { platform, ref, settings }
  }
  const forms = config.hosts
    .map(addressOf)
    .map((host) => `${host.url}/<owner>/<repo>/${host.pullRequestPath}/<number>`)
  const form = `the URL of a pull request must have the form ${forms.join(' or ')}`
  throw new UsageError(`${form}; PLATFORM and PLATFORM_URL, or PLATFORMS, name other code hosts`)
}
