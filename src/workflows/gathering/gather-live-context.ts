// Gathers what trackers and chats say about a change.
import type { AppContext } from '../../context.ts'
import type { Access } from '../../platforms/platform.ts'
import { type Change, noOutsideContext } from '../../reviewers/reviewer.ts'
import { deriveQuestions } from './derive-questions.ts'

/** Never fails a review: a source that doesn't answer is named as missing. Throws the reason of an aborted signal. */
export async function gatherLiveContext(
  ctx: Pick<AppContext, 'sources' | 'platform' | 'log'>,
  access: Access,
  change: Pick<Change, 'pullRequest' | 'commits' | 'files'>,
  signal: AbortSignal,
): Promise<Pick<Change, 'live' | 'remoteTools'>> {
  if (ctx.sources.names.length === 0) return noOutsideContext
  const { head, repo } = change.pullRequest
  const isFork = head.repo?.toLowerCase() !== repo.toLowerCase()
  const asking = { repo: access.repo, isPublic: await isPublic(ctx, access, signal), isFork }
  const live = await ctx.sources.ask(asking, deriveQuestions(change), signal)
  return { live, remoteTools: ctx.sources.tools(asking) }
}

/** Where that can't be told, everybody may be reading along. */
async function isPublic(
  { platform, log }: Pick<AppContext, 'platform' | 'log'>,
  access: Access,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    return await platform.isPublic(access, signal)
  } catch (error) {
    signal.throwIfAborted()
    log.warn({ err: error, repo: access.repo }, 'Whether a repository is public could not be told: taken for one')
    return true
  }
}
