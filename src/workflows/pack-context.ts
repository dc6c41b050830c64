// Packs the context that models are shown into rounds under a token budget.
import type { ReviewContext } from '../context.ts'
import type { FileDiff } from '../domain/diff.ts'
import type { NumberedLines } from '../git/render-diff.ts'
import {
  type Change,
  type ContextRound,
  type ContextSpan,
  emptyContext,
  type OmittedFile,
  type PackedContext,
} from '../reviewers/reviewer.ts'
import { type CountTokens, estimateTokens } from './packing/count-tokens.ts'
import type { Piece } from './packing/cut-pieces.ts'
import { describeChange } from './packing/describe-change.ts'
import { orderPieces } from './packing/order-pieces.ts'
import { packRound } from './packing/pack-round.ts'
import { createHeadReader } from './packing/read-head.ts'

export { type CountTokens, loadTokenCounter } from './packing/count-tokens.ts'

/** Estimates are taken with this margin: seldom is a text longer. */
const estimateMargin = 1.2

/**
 * Packs a change. Lets other work go on between files.
 *
 * @param budget tokens of one round, and how many rounds at most
 */
export async function packContext(
  ctx: Pick<ReviewContext, 'syntax'>,
  change: Change,
  budget: { tokensPerRound: number; maxRounds: number },
  countTokens: CountTokens,
): Promise<PackedContext> {
  if (change.files.length === 0) return emptyContext
  const header = describeChange(change, budget.tokensPerRound, countTokens)
  const room = budget.tokensPerRound - sumTokens(header)
  const { pieces, numbers, tokens } = await orderPieces(change, {
    tokens: room,
    maxRounds: budget.maxRounds,
  })
  // Where all has room enough, nothing need be counted exactly.
  const isRoomy = tokens * estimateMargin <= room * 0.8
  const measure = isRoomy
    ? (text: string) => Math.ceil(estimateTokens(text) * estimateMargin)
    : countTokens
  const task = { change, head: createHeadReader(ctx, change), numbers, measure, maxTokens: room }
  const rounds: ContextRound[] = []
  let left: readonly Piece[] = pieces
  do {
    const { spans, shown } = await packRound(task, left)
    if (rounds.length > 0 && shown.size === 0) break
    rounds.push(closeRound([...header, ...spans], numbers))
    left = left.filter(
      (piece) => !shown.has(piece) && !piece.neighbors.some((each) => shown.has(each)),
    )
  } while (
    left.some(({ neighbors: beside }) => beside.length === 0) &&
    rounds.length < budget.maxRounds
  )
  return { rounds, omitted: nameOmitted(change.files, pieces, new Set(left)) }
}

function closeRound(spans: readonly ContextSpan[], numbers: NumberedLines): ContextRound {
  return { spans, tokens: sumTokens(spans), lineNumbers: numbers }
}

function sumTokens(spans: readonly ContextSpan[]): number {
  return spans.reduce((sum, span) => sum + span.tokens, 0)
}

/** The files that no round shows, or not whole. */
function nameOmitted(
  files: readonly FileDiff[],
  pieces: readonly Piece[],
  left: ReadonlySet<Piece>,
): OmittedFile[] {
  const shown = new Map<FileDiff, number>()
  for (const piece of pieces)
    if (!left.has(piece)) shown.set(piece.file, (shown.get(piece.file) ?? 0) + countChanged(piece))
  return files.flatMap((file) => {
    const [seen, all] = [shown.get(file) ?? 0, file.additions + file.deletions]
    if (seen >= all) return []
    const reason =
      seen === 0
        ? 'over the token budget'
        : `shown in part: ${seen} of ${all} changed lines, the rest over the token budget`
    return [{ path: file.path, reason, matters: true, lines: all - seen }]
  })
}

function countChanged({ hunk, from, to }: Piece): number {
  let changed = 0
  for (let at = from; at < to; at++) if (hunk.lines[at]!.kind !== 'context') changed++
  return changed
}
