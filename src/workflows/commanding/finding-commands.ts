// Commands about the finding of a thread: dismiss it, and resolve threads.
import type { AppContext } from '../../context.ts'
import { PlatformError, RequestError } from '../../domain/errors.ts'
import { readDismissibleFinding } from '../../events/dismissals.ts'
import { readPostedUrls } from '../../events/posted-urls.ts'
import { listStoredFindings } from '../../events/stored-findings.ts'
import { formatCount } from '../../lib/text.ts'
import { lockPullRequest } from '../../work/runs.ts'
import { codeSpan } from '../posting/escape-markdown.ts'
import { findingMarker, findMarker } from '../posting/markers.ts'
import { dismissHeldFinding } from '../showing/dismiss-finding.ts'
import { answerWith, type Command, type CommandTask, done, notInThread } from './command.ts'

const maxReasonLength = 500

export const dismiss: Command = async (_ctx, task) => {
  const { ref, person, finding, argument } = task
  if (finding === null) throw new RequestError('conflict', notInThread(task))
  const { fingerprint } = finding
  const reason = argument.slice(0, maxReasonLength)
  return async (tx) => {
    const state = await lockPullRequest(tx, ref)
    const current = await readDismissibleFinding(tx, ref, fingerprint)
    if (current === undefined) throw new RequestError('not_found', 'The finding is gone.')
    const held = { ref, state, finding: current }
    const request = { fingerprint, reason, kind: null }
    const { eventId, login } = await dismissHeldFinding(tx, person, held, request)
    const body =
      eventId === null
        ? `${codeSpan(login)} dismissed this finding before.`
        : `Dismissed by ${codeSpan(login)}. The verdict is decided again without this finding.`
    return { ...done(body), resolvesThread: true }
  }
}

/** To resolve a thread dismisses its finding, so that it is dismissed without a reason. */
export const resolve: Command = async (ctx, task) => {
  if (task.comment.isInline) return dismiss(ctx, task)
  const { resolvableThreads } = ctx.platform.limits
  if (resolvableThreads !== true) throw new RequestError('conflict', resolvableThreads.reason)
  return answerWith(done(await resolveSettledThreads(ctx, task)))
}

/** Resolves the open threads of findings that don't count any more, which dismisses nothing. */
async function resolveSettledThreads(ctx: AppContext, task: CommandTask): Promise<string> {
  const { access, ref, signal, beforeWrite } = task
  const stored = await listStoredFindings(ctx.db, ref)
  const settled = stored.filter(
    ({ finding: { state, dismissal } }) => state !== 'open' || dismissal,
  )
  const markers = settled.map(({ finding }) => findingMarker(finding))
  const postedUrls = await readPostedUrls(ctx.db, ref)
  const threads = await ctx.platform.listThreads(access, ref.number, postedUrls.all, signal)
  let count = 0
  for (const thread of threads) {
    if (thread.resolved || findMarker(thread, markers) === undefined) continue
    await beforeWrite()
    await ctx.platform.resolveThread(access, ref.number, thread.id, signal).catch(explainRefusal)
    count++
  }
  const open = stored.length - settled.length
  const rest = open === 0 ? '' : ` ${formatCount(open, 'finding')} still open: fix or dismiss each.`
  return `Resolved ${formatCount(count, 'thread')} of findings that are fixed or dismissed.${rest}`
}

function explainRefusal(error: unknown): never {
  if (!(error instanceof PlatformError && error.code === 'platform_forbidden')) throw error
  const message = 'The permission to resolve threads is missing here; people can resolve them.'
  throw new RequestError('conflict', message, { cause: error })
}
