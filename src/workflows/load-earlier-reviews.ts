// Loads what earlier reviews of a pull request found, and which findings people dismissed since.
import type { AppContext } from '../context.ts'
import type { EarlierReviews } from '../domain/change.ts'
import { PlatformError } from '../domain/errors.ts'
import type { Dismissal, Finding } from '../domain/finding.ts'
import type { PullRequestRef } from '../domain/pull-request.ts'
import { readPostedUrls } from '../events/posted-urls.ts'
import { listStoredFindings, type StoredFinding } from '../events/stored-findings.ts'
import { permitsWriting } from '../platforms/permits-writing.ts'
import type { Access, Thread } from '../platforms/platform.ts'
import { readSeenLines } from '../work/run-outcome.ts'
import { findingMarker, findMarker } from './posting/markers.ts'

type LoadContext = Pick<AppContext, 'db' | 'platform' | 'log'>

export interface LoadedEarlierReviews extends EarlierReviews {
  /** Since the last review a dismissal was added, removed or made by another person. */
  readonly haveDismissalsChanged: boolean
}

/**
 * Loads findings, dismissals and the lines that were read. If threads or permissions can't be
 * read, the recorded dismissals are used, and a note is added.
 */
export async function loadEarlierReviews(
  ctx: LoadContext,
  access: Access,
  ref: PullRequestRef,
  signal: AbortSignal,
): Promise<LoadedEarlierReviews> {
  const stored = await listStoredFindings(ctx.db, ref)
  const seenLines = await readSeenLines(ctx.db, ref)
  const threads = await listThreads(ctx, access, ref, stored, signal)
  const threadOf = ({ finding }: StoredFinding) => threads?.get(findingMarker(finding))
  const resolvers = stored.flatMap((one) => {
    const by = mayHaveChanged(one) ? threadOf(one)?.resolvedBy : null
    return by && !isDismissedBy(one.finding.dismissal, by) ? by : []
  })
  const { mayWrite, isComplete } = await findWriters(ctx, access, resolvers, signal)
  const findings = stored.map((one) => updateState(one, threadOf(one), mayWrite))
  return {
    findings,
    seenLines,
    notes: [
      ...(threads === null ? ['The answers to earlier findings could not be read.'] : []),
      ...(isComplete
        ? []
        : ['Whether those who resolved conversations may do so could not be read.']),
    ],
    haveDismissalsChanged: findings.some((finding, index) =>
      hasDismissalChanged(finding, stored[index]!.finding),
    ),
  }
}

function hasDismissalChanged({ state, dismissal }: Finding, before: Finding): boolean {
  const isDismissed = state === 'dismissed'
  const wasDismissed = before.state === 'dismissed'
  return isDismissed !== wasDismissed || (isDismissed && dismissal !== before.dismissal)
}

/** Returns our threads by marker, or null if they can't be read. */
async function listThreads(
  ctx: LoadContext,
  access: Access,
  ref: PullRequestRef,
  stored: readonly StoredFinding[],
  signal: AbortSignal,
): Promise<Map<string, Thread> | null> {
  const markers = stored.filter(mayHaveChanged).map(({ finding }) => findingMarker(finding))
  if (markers.length === 0) return new Map()
  try {
    const postedUrls = await readPostedUrls(ctx.db, ref)
    const threads = await ctx.platform.listThreads(access, ref.number, postedUrls.all, signal)
    return new Map(
      threads.flatMap((thread) => {
        const marker = findMarker(thread, markers)
        return marker === undefined ? [] : [[marker, thread] as const]
      }),
    )
  } catch (error) {
    signal.throwIfAborted()
    ctx.log.warn({ err: error }, 'The threads of earlier findings could not be read')
    return null
  }
}

/** Undefined if the permission is unknown. */
type MayWrite = (login: string) => boolean | undefined

/** Reads from the platform which of these users may write to the repository. */
async function findWriters(
  ctx: LoadContext,
  access: Access,
  logins: readonly string[],
  signal: AbortSignal,
): Promise<{ mayWrite: MayWrite; isComplete: boolean }> {
  const known = new Map<string, boolean>()
  let isComplete = true
  for (const login of new Set(logins.map(lower))) {
    try {
      const permission = await ctx.platform.getPermission(access, login, signal)
      known.set(login, permitsWriting(permission))
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof PlatformError)) throw error
      ctx.log.warn(
        { err: error },
        'The permission of the user who resolved a thread could not be read',
      )
      isComplete = false
    }
  }
  return { mayWrite: (login) => known.get(lower(login)), isComplete }
}

const lower = (login: string) => login.toLowerCase()

function isDismissedBy(dismissal: Dismissal | undefined, login: string): boolean {
  return dismissal !== undefined && lower(dismissal.login) === lower(login)
}

function mayHaveChanged({ finding, isPosted, isSettled }: StoredFinding): boolean {
  return isPosted && (finding.state !== 'resolved' || !isSettled)
}

/**
 * Only users with write access can dismiss a finding. Platforms also let authors resolve threads of
 * their own pull requests, and everyone can reply in one, which doesn't dismiss.
 *
 * We resolve the threads of resolved findings. If the review that did so was not completed, the
 * state of the thread shows whether it got that far.
 */
function updateState(
  stored: StoredFinding,
  thread: Thread | undefined,
  mayWrite: MayWrite,
): Finding {
  const { dismissal: recorded, ...finding } = stored.finding
  if (finding.state === 'resolved') {
    return mayHaveChanged(stored) && !thread?.resolved ? { ...finding, state: 'open' } : finding
  }
  const dismissal = thread === undefined ? recorded : findDismissal(recorded, thread, mayWrite)
  if (dismissal) return { ...finding, state: 'dismissed', dismissal }
  return { ...finding, state: 'open', answered: thread !== undefined && isAnswered(thread) }
}

/** Every later comment by another person is an answer; bots don't count. */
function isAnswered({ resolved, comments }: Thread): boolean {
  return resolved || comments.slice(1).some(({ bot, own }) => !bot && !own)
}

/** Reopening a thread withdraws its dismissal, but not one made on the page or through the API. */
function findDismissal(
  recorded: Dismissal | undefined,
  { resolved, resolvedBy }: Thread,
  mayWrite: MayWrite,
): Dismissal | undefined {
  if (recorded?.via === 'api') return recorded
  if (!resolved || resolvedBy === null) return undefined
  // The user had write access when it was recorded.
  if (isDismissedBy(recorded, resolvedBy)) return recorded
  const isAllowed = mayWrite(resolvedBy)
  if (isAllowed === undefined) return recorded
  return isAllowed ? { login: resolvedBy, via: 'thread', reason: '', kind: null } : undefined
}
