// Serves the settings that apply to a repository, with the file that each value comes from.
import type { Caller } from '../accounts/tokens.ts'
import type { AppContext, ServiceContext } from '../context.ts'
import * as contract from '../contract/settings-endpoints.ts'
import { PlatformError, RequestError, UmpireError } from '../domain/errors.ts'
import type { RepositoryName } from '../domain/pull-request.ts'
import { maxSettingsBytes } from '../domain/repository-settings.ts'
import { startDeadline } from '../platforms/deadline.ts'
import { chooseAccess } from '../workflows/choose-access.ts'
import type { SettingsFile } from '../workflows/gathering/read-settings.ts'
import {
  type InspectedSettings,
  inspectPasted,
  readSettingsText,
} from '../workflows/showing/inspect-settings-file.ts'
import {
  describeFiles,
  formatSetting,
  type ShownFile,
  type ShownSettings,
  showSettings,
} from '../workflows/showing/show-settings.ts'
import type { AddRoute } from './add-route.ts'
import { findRequestedRepository } from './find-requested-repository.ts'
import { malformedRepositoryMessage } from './memory-overview-routes.ts'

const timeoutMs = 20_000
/** A file of the maximum size fits, with its lines escaped as JSON. */
const maxCheckBytes = 4 * maxSettingsBytes

export function addRepositorySettingsRoutes(addRoute: AddRoute, ctx: ServiceContext): void {
  addRoute(contract.showRepositorySettings, async (request) => {
    const repo = await findRequestedRepository(ctx, request, malformedRepositoryMessage)
    const { branch, shown } = await readShown(ctx, request.caller, repo).catch(failRequest)
    return { repo, branch, ...describeShown(shown) }
  })

  addRoute(
    contract.checkSettingsFile,
    async ({ caller, body: { text = null, repo, directory } }) => {
      const file = { text, directory }
      if (repo === undefined) {
        const inspected = inspectPasted({ ...file, text: text ?? '' })
        return { repo: null, ...describeInspected(inspected, describeFiles([inspected.file], [])) }
      }
      const request = { caller, query: { repo: ctx.hosts.shorten(repo) } }
      const connected = await findRequestedRepository(ctx, request, malformedRepositoryMessage)
      return checkFile(ctx, caller, connected, file).catch(failRequest)
    },
    { bodyLimit: maxCheckBytes },
  )
}

/** Reads the settings like for a review, so that they are those in force. */
async function readShown(ctx: ServiceContext, caller: Reader, repo: RepositoryName) {
  const { branch, show } = await openBranch(ctx, caller, repo)
  return { branch, shown: await show(null) }
}

/** Checks a pasted file, or the one of the default branch, with what the repository inherits. */
async function checkFile(
  ctx: ServiceContext,
  caller: Reader,
  repo: RepositoryName,
  { text, directory }: { text: string | null; directory: string },
) {
  const { readText, show } = await openBranch(ctx, caller, repo)
  const pasted = { text: text ?? (await readText(directory)), directory }
  const inspected = inspectPasted(pasted)
  return { repo, ...describeInspected(inspected, await show(inspected.file)) }
}

type Reader = Pick<Caller, 'userId'>

/** Opens the default branch, with a function that shows its settings. */
async function openBranch({ hosts }: ServiceContext, caller: Reader, repo: RepositoryName) {
  const ctx = hosts.of(repo)
  const signal = startDeadline(timeoutMs)
  const access = await chooseAccess(ctx, repo, signal)
  const { defaultBranch: branch } = await ctx.platform.getRepository(access, signal)
  const mayRead = (other: RepositoryName) => mayCallerRead(ctx, caller, other, signal)
  return {
    branch,
    readText: (directory: string) =>
      readSettingsText({ platform: ctx.platform, access, ref: branch }, directory, signal),
    show: (replacement: SettingsFile | null) =>
      showSettings(ctx, access, branch, signal, { mayRead, replacement }),
  }
}

function describeShown({ files, settings, notes }: ShownSettings) {
  return {
    files: files.map(describeFile),
    settings: settings.map((setting) => ({
      ...setting,
      file: setting.file && describeFile(setting.file),
      text: formatSetting(setting),
    })),
    notes: [...notes],
  }
}

function describeInspected({ text, problems, file }: InspectedSettings, shown: ShownSettings) {
  return { text, path: file.path, problems: [...problems], ...describeShown(shown) }
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
