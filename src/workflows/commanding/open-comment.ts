// Opens a claimed comment: what it says, the finding it is about, and the right to answer it.
import { findApp } from '../../accounts/platform-apps.ts'
import { listMentionedNames } from '../../commands/mentioned-names.ts'
import { type ParsedComment, parseComment } from '../../commands/parse-comment.ts'
import type { AppContext } from '../../context.ts'
import type { Finding } from '../../domain/finding.ts'
import type { PlatformRequest } from '../../domain/platform-request.ts'
import type { PullRequestRef } from '../../domain/pull-request.ts'
import { listStoredFindings } from '../../events/stored-findings.ts'
import type { Budget } from '../../models/index.ts'
import { assertCanWrite } from '../../work/runs.ts'
import type { Claim } from '../../work/work-items.ts'
import { type ChosenAccess, withAccess } from '../choose-access.ts'
import { openAnswerBudget } from '../open-budget.ts'

export interface ClaimedComment {
  readonly claim: Claim
  readonly request: Extract<PlatformRequest, { kind: 'comment' }>
  readonly signal: AbortSignal
}

/** A comment whose answer is being made, with the right to write to the platform. */
export interface OpenComment extends ClaimedComment {
  readonly ref: PullRequestRef
  readonly access: ChosenAccess
  readonly parsed: ParsedComment
  readonly finding: Finding | null
  readonly mention: string
  /** It limits what the answer costs. */
  readonly budget: Budget
  readonly beforeWrite: () => Promise<void>
}

/** Does nothing for a comment that is neither a command nor in the thread of a finding. */
export async function withComment(
  ctx: AppContext,
  comment: ClaimedComment,
  work: (open: OpenComment) => Promise<void>,
): Promise<void> {
  const { claim, request, signal } = comment
  const names = listMentionedNames(ctx.config, await findApp(ctx.db, ctx.platform.id))
  const parsed = parseComment(request.body, names)
  const ref = { repo: claim.repo, number: request.number }
  const finding = await findThreadFinding(ctx, ref, request.comment.threadId)
  if (parsed.kind === 'none' && finding === null) return
  const mention = `@${names[0]}`
  const budget = openAnswerBudget(ctx, ref)
  const useAccess = (access: ChosenAccess) => {
    const beforeWrite = () => assertCanWrite(ctx.db, claim, access)
    return work({ ...comment, ref, access, parsed, finding, mention, budget, beforeWrite })
  }
  await withAccess(ctx, claim.repo, useAccess, signal)
}

async function findThreadFinding(
  { db, platform }: AppContext,
  ref: PullRequestRef,
  threadId: string | null,
): Promise<Finding | null> {
  if (threadId === null) return null
  const opening = { id: threadId, isInline: true }
  const stored = await listStoredFindings(db, ref)
  const found = stored.find(({ commentUrl: url }) => url !== null && platform.isUrlOf(url, opening))
  return found?.finding ?? null
}
