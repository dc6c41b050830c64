// Serves the settings that apply to a repository, with the file that each value comes from.
import type { Caller } from '../accounts/tokens.ts'
import type { AppContext, ServiceContext } from '../context.ts'
import * as contract from '../contract/settings-endpoints.ts'
import { PlatformError, RequestError, UmpireError } from '../domain/errors.ts'
import type { RepositoryName } from '../domain/pull-request.ts'
import { startDeadline } from '../platforms/deadline.ts'
import { chooseAccess } from '../workflows/choose-access.ts'
import { formatSetting, type ShownFile, showSettings } from '../workflows/showing/show-settings.ts'
import type { AddRoute } from './add-route.ts'
import { findRequestedRepository } from './find-requested-repository.ts'
import { malformedRepositoryMessage } from './memory-overview-routes.ts'

const timeoutMs = 20_000

export function addRepositorySettingsRoutes(addRoute: AddRoute, ctx: ServiceContext): void {
  addRoute(contract.showRepositorySettings, async (request) => {
    const repo = await findRequestedRepository(ctx, request, malformedRepositoryMessage)
    const { branch, shown } = await readShown(ctx, request.caller, repo).catch(failRequest)
    return {
      repo,
      branch,
      files: shown.files.map(describeFile),
      settings: shown.settings.map((setting) => ({
        ...setting,
        file: setting.file && describeFile(setting.file),
        text: formatSetting(setting),
      })),
      notes: [...shown.notes],
    }
  })
}

/** Reads the settings like for a review, so that they are those in force. */
async function readShown(
  { hosts }: ServiceContext,
  caller: Pick<Caller, 'userId'>,
  repo: RepositoryName,
) {
  const ctx = hosts.of(repo)
  const signal = startDeadline(timeoutMs)
  const access = await chooseAccess(ctx, repo, signal)
  const { defaultBranch: branch } = await ctx.platform.getRepository(access, signal)
  const mayRead = (other: RepositoryName) => mayCallerRead(ctx, caller, other, signal)
  return { branch, shown: await showSettings(ctx, access, branch, signal, mayRead) }
}

function failRequest(cause: unknown): never {
  if (!(cause instanceof UmpireError)) throw cause
  throw new RequestError('platform_failed', `The settings could not be read: ${cause.message}`, {
    cause,
  })
}

function describeFile({ isVisible: visible, ...file }: ShownFile) {
  return { ...file, visible, problems: [...file.problems], withheld: [...file.withheld] }
}

/** Asks the platform with the caller's own token. */
async function mayCallerRead(
  { platform, userTokens }: AppContext,
  { userId }: Pick<Caller, 'userId'>,
  repo: RepositoryName,
  signal: AbortSignal,
): Promise<boolean> {
  const token = await userTokens.read(userId)
  if (token === undefined) return false
  try {
    await platform.getRepository({ repo, token }, signal)
    return true
  } catch (error) {
    if (error instanceof PlatformError) return false
    throw error
  }
}
