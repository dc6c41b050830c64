// Periodic task that withdraws decisions of ours that do not hold any longer: approvals of another
// head or base branch and of failed reviews, and what the base branch's settings no longer permit.
import type { AppContext, ServiceContext } from '../context.ts'
import { UmpireError } from '../domain/errors.ts'
import type { PullRequest, RepositoryName } from '../domain/pull-request.ts'
import type { Decision } from '../domain/review.ts'
import { startDeadline } from '../platforms/deadline.ts'
import {
  claimDecisionChecks,
  type DueDecision,
  forgetMergedDecisions,
  listPostedDecisions,
  readPostedDecision,
} from '../work/posted-decisions.ts'
import { assertConnected } from '../work/runs.ts'
import { type ChosenAccess, chooseAccess } from './choose-access.ts'
import { createPlatformSnapshot } from './gathering/platform-snapshot.ts'
import { readSettings } from './gathering/read-settings.ts'
import { tryEach } from './try-each.ts'
import { allDecisions, approvals, describeOutdated, withdrawPosted } from './withdraw-decision.ts'

/** How often the settings are read for each pull request with a decision. */
const everySeconds = 600
/**
 * The minimum pause between attempts to withdraw an outdated approval. It grows with the time since
 * the approval is outdated.
 */
const retrySeconds = 5
/** Limits one round, because each pull request costs a few API calls. */
const maxPullRequests = 50
const disconnectTimeoutMs = 10_000

/** What withdrawing a decision needs of a code host. */
export type DecisionContext = Pick<
  AppContext,
  'config' | 'db' | 'keys' | 'platform' | 'userTokens' | 'appTokens' | 'log'
>

/**
 * Checks the decisions that are due. A review withdraws an outdated approval when it starts; this
 * doesn't wait until it does.
 */
export async function followDecisions(
  { db, hosts }: ServiceContext,
  signal: AbortSignal,
): Promise<void> {
  await forgetMergedDecisions(db)
  const input = { limit: maxPullRequests, everySeconds, retrySeconds }
  const due = await claimDecisionChecks(db, input)
  await tryEach(hosts, due, signal, followDecision)
}

/**
 * Withdraws the decisions on a repository that is about to be disconnected: nobody could later.
 * Those that take too long stay, and are logged.
 */
export async function withdrawAllDecisions(
  ctx: DecisionContext,
  repo: RepositoryName,
): Promise<void> {
  const posted = await listPostedDecisions(ctx.db, repo)
  if (posted.length === 0) return
  const signal = startDeadline(disconnectTimeoutMs)
  try {
    const access = await chooseAccess(ctx, repo, signal)
    for (const one of posted) {
      const reason = 'The repository was disconnected from the reviews.'
      await withdraw(ctx, access, one, { decisions: allDecisions, reason, signal })
    }
  } catch (error) {
    ctx.log.warn({ err: error, repo }, 'Not all decisions on a repository could be withdrawn')
  }
}

async function followDecision(
  ctx: AppContext,
  access: ChosenAccess,
  due: DueDecision,
  signal: AbortSignal,
): Promise<void> {
  const pullRequest = await ctx.platform.getPullRequest(access, due.number, signal)
  if (pullRequest.state !== 'open') return
  const problem = await findProblem(ctx, { access, due, pullRequest, signal })
  if (problem !== null) await withdraw(ctx, access, due, { ...problem, signal })
}

interface Problem {
  readonly decisions: readonly Decision[]
  readonly reason: string
}

async function findProblem(
  ctx: AppContext,
  input: {
    access: ChosenAccess
    due: DueDecision
    pullRequest: PullRequest
    signal: AbortSignal
  },
): Promise<Problem | null> {
  const { access, due, pullRequest, signal } = input
  if (due.decision === 'approve') {
    const reason = describeOutdated(due, pullRequest)
    if (reason !== null) return { decisions: approvals, reason }
    if (due.hasFailed) return { decisions: approvals, reason: 'The latest review failed.' }
  }
  // The platform may go on naming an older commit of the base branch.
  const tip = createPlatformSnapshot(ctx.platform, access, pullRequest.base.branch, signal)
  const settings = await readSettings(tip, await ctx.organizationSettings.read(access))
  if (settings.decisions.includes(due.decision)) return null
  const reason = 'The settings of the base branch do not permit it any longer (`decisions`).'
  return { decisions: [due.decision], reason }
}

const replacedMessage = 'A review has decided meanwhile.'

async function withdraw(
  ctx: DecisionContext,
  access: ChosenAccess,
  { repo, number, ...posted }: Omit<DueDecision, 'hasFailed'>,
  { decisions, reason, signal }: Problem & { signal: AbortSignal },
): Promise<void> {
  const ref = { repo, number }
  const beforeWrite = async () => {
    await assertConnected(ctx.db, access)
    // A review may have decided meanwhile.
    const current = await readPostedDecision(ctx.db, ref)
    if (current?.version !== posted.version)
      throw new UmpireError('decision_replaced', replacedMessage)
  }
  const withdrawal = { access, ref, decisions, reason, beforeWrite, signal }
  await withdrawPosted(ctx, posted, withdrawal)
}
