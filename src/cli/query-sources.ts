// The part of `umpire review --context`: asks trackers and chats about the change at hand.
import type { ReviewContext } from '../context.ts'
import type { Change } from '../reviewers/reviewer.ts'
import {
  type ContextSources,
  createContextSources,
  type RequestingRepository,
} from '../tools/sources/context-sources.ts'
import { createMemoryPinStore } from '../tools/sources/pin-store.ts'
import { deriveErrorQuestions, deriveQuestions } from '../workflows/gathering/derive-questions.ts'
import { findAsking } from '../workflows/gathering/gather-live-context.ts'
import type { ReviewInput } from './gather-review-input.ts'

/**
 * Opens what is set up. About a change on this machine all of it is asked, whatever its rules for repositories: nothing is
 * posted, and who asks is who set it up.
 */
export function openContextSources(
  { config, secrets }: Pick<ReviewContext, 'config' | 'secrets'>,
  isLocal: boolean,
): ContextSources {
  const everywhere = { repositories: ['**'], publicRepositories: true, forkPullRequests: true }
  const sources = config.contextSources.map((source) =>
    isLocal ? { ...source, ...everywhere } : source,
  )
  return createContextSources(sources, {
    ...{ log: silentLog, secrets },
    pins: createMemoryPinStore(),
    environment: config.childEnvironment,
  })
}

/** The change with what they said; which of them said nothing is noted. */
export async function querySources(
  ctx: Pick<ReviewContext, 'log'>,
  sources: ContextSources,
  { change, compared, origin }: Pick<ReviewInput, 'change' | 'compared' | 'origin'>,
  signal: AbortSignal,
): Promise<Change> {
  const { pullRequest, commits, files } = change
  const asking: RequestingRepository =
    origin === null
      ? { repo: pullRequest.repo, isPublic: false, isFork: false }
      : await findAsking({ ...ctx, platform: origin.platform }, origin.access, pullRequest, signal)
  // What isn't committed has no title of its own.
  const title =
    compared.kind === 'staged' || compared.kind === 'uncommitted' ? '' : pullRequest.title
  const questions = [
    ...deriveQuestions({ pullRequest: { ...pullRequest, title }, commits }),
    // Nothing here knows the definitions that a change touches before the reviewers do.
    ...deriveErrorQuestions(files, []),
  ]
  const live = await sources.query(asking, questions, signal)
  const asked = sources.listAllowed(asking)
  const absent = [
    ...live.missing.map(({ source, reason }) => `Without ${source}: ${reason}.`),
    ...sources.names
      .filter((name) => !asked.includes(name))
      .map(
        (name) =>
          `Without ${name}: it is not to be asked about this pull request, see docs/context-sources.md.`,
      ),
  ]
  return {
    ...change,
    liveContext: live,
    remoteTools: sources.tools(asking),
    notes: [...change.notes, ...absent],
  }
}

/** What is missing stands in the report. */
const silentLog = { warn: () => undefined }
