// Posts the stored answer to a comment, and reacts to it. Safe to repeat.
import type { AppContext } from '../../context.ts'
import { isNotFound, PlatformError } from '../../domain/errors.ts'
import type { CommentAnswer } from '../../domain/platform-request.ts'
import { readPostedUrls } from '../../events/posted-urls.ts'
import { redactKnownSecrets } from '../../lib/redact-known-secrets.ts'
import type { CommentReaction } from '../../platforms/platform.ts'
import { answerMarker } from '../posting/markers.ts'
import type { OpenComment } from './open-comment.ts'

/** An answer without text is a reaction only. */
export async function postAnswer(
  ctx: AppContext,
  open: OpenComment,
  { body, isDone, resolvesThread }: CommentAnswer,
): Promise<void> {
  const { access, ref, request, beforeWrite, signal } = open
  const marker = answerMarker(request.comment)
  const reply = {
    number: ref.number,
    to: request.comment,
    marker,
    body: `${marker}\n${redactKnownSecrets(body, ctx.secrets)}`,
    beforeWrite,
  }
  if (body !== '') await ctx.platform.ensureReply(access, reply, signal).catch(ignoreMissing)
  if (resolvesThread) await resolveThread(ctx, open)
  if (open.parsed.kind !== 'none') await react(ctx, open, isDone ? '+1' : 'confused')
}

/** Resolves the thread of the comment. A platform that refuses it is only logged. */
async function resolveThread(
  { db, platform, log }: AppContext,
  { access, ref, request, beforeWrite, signal }: OpenComment,
): Promise<void> {
  if (platform.limits.resolvableThreads !== true) return
  try {
    const { all } = await readPostedUrls(db, ref)
    const threads = await platform.listThreads(access, ref.number, all, signal)
    const { threadId } = request.comment
    const thread = threads.find(({ comments: [first] }) => first?.own && first.id === threadId)
    if (thread === undefined || thread.resolved) return
    await beforeWrite()
    await platform.resolveThread(access, ref.number, thread.id, signal)
  } catch (error) {
    if (!isRefusal(error)) throw error
    log.info({ ...ref, reason: error.message }, 'The thread of a dismissed finding stays open')
  }
}

/** A reaction that the platform refuses is only logged: the comment may be deleted. */
export async function react(
  { platform, log }: AppContext,
  { access, ref, request, beforeWrite, signal }: OpenComment,
  reaction: CommentReaction,
): Promise<void> {
  await beforeWrite()
  try {
    const comment = { ...request.comment, number: ref.number }
    await platform.addReaction(access, comment, reaction, signal)
  } catch (error) {
    if (!isRefusal(error)) throw error
    log.info({ ...ref, reason: error.message }, 'A comment got no reaction')
  }
}

function ignoreMissing(error: unknown): void {
  if (!isNotFound(error)) throw error
}

const isRefusal = (error: unknown): error is PlatformError =>
  error instanceof PlatformError && !error.retryable
