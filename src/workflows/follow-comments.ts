// Requests answers to comments that no delivery brings, as only those to an App do.
import { listMentionedNames } from '../commands/mentioned-names.ts'
import type { AppContext } from '../context.ts'
import { toStorableText } from '../contract/storable-text.ts'
import { transactionWithRetry } from '../db/transaction.ts'
import {
  connectionTime,
  type DueReconciliation,
  saveReconciliation,
} from '../events/reconciliations.ts'
import { maxListedComments } from '../platforms/platform.ts'
import { savePlatformRequests } from '../work/platform-requests.ts'
import type { ChosenAccess } from './choose-access.ts'
import { chooseWork } from './commanding/choose-work.ts'

/** The first list goes back by this much, because nobody expects answers to older comments. */
const firstListMs = 10 * 60_000
/** Lists of the host may lag behind, and its clock may differ from ours. */
const overlapMs = 5 * 60_000
/** Later than that, a clock of the host that is behind ours hides no comment. */
const quietMs = 3600_000
/** Older ones may have been answered, and that is forgotten after some more days. */
const maxAgeMs = 7 * 24 * 3600_000

/** Stores what people wrote since the last time, each comment once. */
export async function followComments(
  { config, db, platform }: AppContext,
  { access, due, signal }: { access: ChosenAccess; due: DueReconciliation; signal: AbortSignal },
): Promise<void> {
  const { repo, commentsUntil } = due
  const start = commentsUntil?.getTime() ?? Date.now() - firstListMs
  const since = new Date(Math.max(start - overlapMs, connectionTime(due), Date.now() - maxAgeMs))
  const { comments: listed, isComplete } = await platform.listComments(access, since, signal)
  const names = listMentionedNames(config, undefined)
  const requested = listed.flatMap((one) => {
    const { createdAt: _, ...comment } = one
    // The adapter may have cut it in the middle of a character.
    const body = toStorableText(comment.body)
    const work = chooseWork({ kind: 'comment', ...comment, body }, names)
    return work === 'nothing' ? [] : { ...work, source: platform.id, deliveryId: null, repo }
  })
  const newest = listed.at(-1)?.createdAt.getTime() ?? start
  // Where nobody comments for long, the list must not become longer each time.
  const isWhole = listed.length < maxListedComments
  const read = isWhole ? Math.max(newest, Date.now() - quietMs) : newest
  // What could not be read is listed again with all that follows, of which nothing counts twice.
  const until = new Date(isWhole && !isComplete ? start : read)
  await transactionWithRetry(db, async (tx) => {
    await savePlatformRequests(tx, requested)
    await saveReconciliation(tx, repo, { commentsUntil: until })
  })
}
