// Adds results of context sources to a change for `umpire review --context`.
import type { ReviewContext } from '../context.ts'
import type { Change } from '../domain/change.ts'
import {
  type ContextSources,
  createContextSources,
  type RequestingRepository,
} from '../tools/sources/context-sources.ts'
import { createMemoryPinStore } from '../tools/sources/pin-store.ts'
import {
  deriveErrorQueries,
  deriveSourceQueries,
} from '../workflows/gathering/derive-source-queries.ts'
import { findRequestingRepository } from '../workflows/gathering/gather-live-context.ts'
import type { ReviewInput } from './gather-review-input.ts'

/**
 * Opens the configured sources. For a local change, their rules about repositories don't apply:
 * nothing is posted, and the person who configured the sources runs the command.
 */
export function openContextSources(
  { config, secrets }: Pick<ReviewContext, 'config' | 'secrets'>,
  isLocal: boolean,
): ContextSources {
  const noRules = { repositories: ['**'], publicRepositories: true, forkPullRequests: true }
  const sources = config.contextSources.map((source) =>
    isLocal ? { ...source, ...noRules } : source,
  )
  return createContextSources(sources, {
    log: silentLog,
    secrets,
    pins: createMemoryPinStore(),
    environment: config.childEnvironment,
  })
}

/** Adds the results to the change, and a note for each source without a result. */
export async function querySources(
  ctx: Pick<ReviewContext, 'log'>,
  sources: ContextSources,
  { change, compared, origin }: Pick<ReviewInput, 'change' | 'compared' | 'origin'>,
  signal: AbortSignal,
): Promise<Change> {
  const { pullRequest, commits, files } = change
  const requester: RequestingRepository =
    origin === null
      ? { repo: pullRequest.repo, isPublic: false, isFork: false }
      : await findRequestingRepository(
          { ...ctx, platform: origin.platform },
          origin.access,
          pullRequest,
          signal,
        )
  // Uncommitted changes have no title that describes them.
  const isUncommitted = compared.kind === 'staged' || compared.kind === 'uncommitted'
  const title = isUncommitted ? '' : pullRequest.title
  const questions = [
    ...deriveSourceQueries({ pullRequest: { ...pullRequest, title }, commits }),
    // The changed definitions are not known here: there is no code graph.
    ...deriveErrorQueries(files, []),
  ]
  const liveContext = await sources.query(requester, questions, signal)
  const allowedNames = sources.listAllowed(requester)
  const excludedNames = sources.names.filter((name) => !allowedNames.includes(name))
  const exclusionReason = 'its rules exclude this pull request, see docs/context-sources.md'
  const missing = [
    ...liveContext.missing,
    ...excludedNames.map((source) => ({ source, reason: exclusionReason })),
  ]
  const missingNotes = missing.map(({ source, reason }) => `Without ${source}: ${reason}.`)
  return {
    ...change,
    liveContext,
    remoteTools: sources.tools(requester),
    notes: [...change.notes, ...missingNotes],
  }
}

/** The report lists what is missing, so nothing is logged. */
const silentLog = { warn: () => undefined }
