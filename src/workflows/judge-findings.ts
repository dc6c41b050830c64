// The judge: a pipeline from the candidates of reviewers to the findings that are posted.
import type { ReviewContext } from '../context.ts'
import type { Change } from '../domain/change.ts'
import type { Finding } from '../domain/finding.ts'
import type { Usage } from '../domain/review.ts'
import type { ReviewerReport, Verifier } from '../reviewers/reviewer.ts'
import { anchorCandidates } from './judging/anchor.ts'
import { createChangeFiles } from './judging/change-files.ts'
import { createSuggestionCheck } from './judging/check-suggestion.ts'
import { describeRejected } from './judging/describe-rejected.ts'
import { explainResolved } from './judging/explain-resolved.ts'
import { mergeDuplicates } from './judging/merge.ts'
import { placeFindings } from './judging/place.ts'
import { applyPolicy, policy, type Rejection } from './judging/policy.ts'
import { trackFindings } from './judging/track.ts'
import { verifyFindings } from './judging/verify.ts'

export interface Judgment {
  /** Open findings, including those of earlier reviews, most severe first. */
  readonly findings: readonly Finding[]
  /** Earlier findings whose code is gone, or that were refuted. */
  readonly resolved: readonly Finding[]
  /** Earlier findings that people dismissed and whose code still exists. */
  readonly dismissed: readonly Finding[]
  /** Counts dropped candidates by reason, for the coverage section. */
  readonly dropped: Readonly<Record<string, number>>
  /** Describes rejected claims for the coverage section. Untrusted, as it has text by models. */
  readonly rejected: readonly string[]
  /** What the verification used. */
  readonly usage: Usage
  /** Describe limits of the verification, one sentence each. */
  readonly notes: readonly string[]
}

export type JudgedReport = Pick<ReviewerReport, 'findings' | 'unread' | 'skippedRules'> & {
  readonly reviewer: string
}

interface JudgingTask {
  readonly change: Change
  readonly reports: readonly JudgedReport[]
  /** Without one, a model's claim counts as verified if the code that it quotes exists. */
  readonly verifier: Verifier | null
  /** Maximum number of inline comments. The other findings are suppressed and listed. */
  readonly maxInline: number
}

/** Takes each candidate through the stages of `judging/stages.ts`, and applies the policy. */
export async function judgeFindings(
  ctx: Pick<ReviewContext, 'syntax'>,
  { change, reports, verifier, maxInline }: JudgingTask,
  signal: AbortSignal,
): Promise<Judgment> {
  const { settings } = change
  const files = createChangeFiles(change)
  const checkSuggestion = createSuggestionCheck(ctx.syntax, files)
  const candidates = reports.flatMap((report) => report.findings)

  const { anchored, dropped } = await anchorCandidates(change, candidates, {
    files,
    checkSuggestion,
  })
  const merged = mergeDuplicates(anchored)
  const sure = applyPolicy(policy.merged, merged, settings)
  const tracked = await trackFindings({ change, reports, files, checkSuggestion }, sure.kept)
  const { verified, usage, notes } = await verifyFindings(
    { change, files, verifier },
    tracked.open,
    signal,
  )
  const reported = applyPolicy(policy.verified, verified, settings)
  const placed = placeFindings(
    change,
    reported.kept.map(({ finding }) => finding),
    maxInline,
  )

  const refuted = reported.rejected.flatMap(({ rejection, claim }) =>
    rejection === 'refuted' ? [claim] : [],
  )
  const withdrawn = refuted
    .filter(({ before }) => before?.state === 'open')
    .map(({ finding }) => {
      return { ...finding, state: 'resolved' as const, resolution: 'withdrawn' as const }
    })
  const opened = reported.kept
    .filter(({ before }) => before?.state !== 'open')
    .map(({ finding }) => finding)
  return {
    findings: placed,
    resolved: [...explainResolved(change, tracked.resolved, opened), ...withdrawn],
    dismissed: tracked.dismissed,
    dropped: {
      ...dropped,
      duplicate: anchored.length - merged.length,
      answered: tracked.rejected.filter(({ rejection }) => isAnswer(rejection)).length,
    },
    rejected: describeRejected(
      [...sure.rejected, ...tracked.rejected, ...reported.rejected],
      refuted,
      settings,
    ),
    usage,
    notes,
  }
}

/** Whether people answered the claim, so that it isn't repeated. */
function isAnswer(rejection: Rejection): boolean {
  return rejection === 'dismissed' || rejection === 'answered'
}
