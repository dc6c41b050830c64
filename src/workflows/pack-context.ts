// Packs the context that models are shown into rounds under a token budget.
import type { ReviewContext } from '../context.ts'
import type { Change } from '../domain/change.ts'
import type { FileDiff } from '../domain/diff.ts'
import type { NumberedLines } from '../git/render-diff.ts'
import {
  type ContextRound,
  type ContextSpan,
  emptyContext,
  type OmittedFile,
  type PackedContext,
} from '../reviewers/packed-context.ts'
import { type CountTokens, estimateTokens } from './packing/count-tokens.ts'
import { keepPassages, type Passage } from './packing/cut-passages.ts'
import type { Piece } from './packing/cut-pieces.ts'
import { describeChange } from './packing/describe-change.ts'
import { describeKeptUses } from './packing/describe-kept-uses.ts'
import { maxEnclosingLines } from './packing/identify-passages.ts'
import { orderPieces } from './packing/order-pieces.ts'
import { packRound } from './packing/pack-round.ts'
import { createHeadReader } from './packing/read-head.ts'

export { type CountTokens, loadTokenCounter } from './packing/count-tokens.ts'

/** Estimates are multiplied by this margin, so that they are rarely too low. */
const estimateMargin = 1.2
/** Where lines that were read before use what changed takes at most this share of a round. */
const shareOfKeptUses = 1 / 16

/** Chooses the part of a change that is packed. */
export interface Selection {
  /** The passages of its files; a file without any is packed whole. */
  readonly passages: readonly Passage[]
  /** Passages that are left out, because their answers are kept. */
  readonly kept: ReadonlySet<Passage>
}

const everything: Selection = { passages: [], kept: new Set() }

/**
 * Packs the pull request, its hunks, what encloses them and what they call, the most valuable
 * first. Files that no round shows are listed as omitted. Yields to other work between files.
 *
 * @param budget tokens of one round, and the maximum number of rounds
 */
export async function packContext(
  ctx: Pick<ReviewContext, 'syntax'>,
  whole: Change,
  budget: { tokensPerRound: number; maxRounds: number },
  countTokens: CountTokens,
  { passages, kept }: Selection = everything,
): Promise<PackedContext> {
  const change = { ...whole, files: leaveOut(whole.files, passages, kept) }
  if (change.files.length === 0) return emptyContext
  const head = createHeadReader(ctx, whole)
  const uses = await describeKeptUses(
    head,
    { files: change.files, kept: [...kept] },
    budget.tokensPerRound * shareOfKeptUses,
    countTokens,
  )
  const header = [...describeChange(whole, budget.tokensPerRound, countTokens), ...uses]
  const maxTokens = budget.tokensPerRound - sumTokens(header)
  const { pieces, numbers, tokens } = await orderPieces(change, {
    tokens: maxTokens,
    maxRounds: budget.maxRounds,
  })
  // If everything fits by far, estimates are good enough.
  const canEstimate = tokens * estimateMargin <= maxTokens * 0.8
  const measure = canEstimate
    ? (text: string) => Math.ceil(estimateTokens(text) * estimateMargin)
    : countTokens
  const task = {
    ...{ change, head, numbers, measure, maxTokens },
    maxEnclosingLines: kept.size > 0 ? maxEnclosingLines : Infinity,
  }
  const rounds: ContextRound[] = []
  let left: readonly Piece[] = pieces
  do {
    const { spans, shown } = await packRound(task, left)
    if (rounds.length > 0 && shown.size === 0) break
    rounds.push(toRound([...header, ...spans], numbers))
    const isNextToShown = ({ neighbors }: Piece) => neighbors.some((piece) => shown.has(piece))
    left = left.filter((piece) => !shown.has(piece) && !isNextToShown(piece))
  } while (left.some(isChanged) && rounds.length < budget.maxRounds)
  return { rounds, omitted: listOmitted(change.files, pieces, new Set(left)) }
}

/** Leaves out kept passages, and with them the files that have no lines to read. */
function leaveOut(
  files: readonly FileDiff[],
  passages: readonly Passage[],
  kept: ReadonlySet<Passage>,
): readonly FileDiff[] {
  if (kept.size === 0) return files
  const byFile = Map.groupBy(passages, ({ file }) => file)
  return files
    .filter(({ hunks }) => hunks.length > 0)
    .flatMap((file) => keepPassages(file, byFile.get(file) ?? [], (one) => !kept.has(one)) ?? [])
}

/** Only pieces of unchanged lines have neighbors. */
function isChanged({ neighbors }: Piece): boolean {
  return neighbors.length === 0
}

function toRound(spans: readonly ContextSpan[], numbers: NumberedLines): ContextRound {
  return { spans, tokens: sumTokens(spans), lineNumbers: numbers }
}

function sumTokens(spans: readonly ContextSpan[]): number {
  return spans.reduce((sum, span) => sum + span.tokens, 0)
}

/** Returns the files that are not shown completely. */
function listOmitted(
  files: readonly FileDiff[],
  pieces: readonly Piece[],
  left: ReadonlySet<Piece>,
): OmittedFile[] {
  const shownLines = new Map<FileDiff, number>()
  for (const piece of pieces) {
    if (left.has(piece)) continue
    shownLines.set(piece.file, (shownLines.get(piece.file) ?? 0) + countChanged(piece))
  }
  return files.flatMap((file) => {
    const shown = shownLines.get(file) ?? 0
    const all = file.additions + file.deletions
    if (shown >= all) return []
    const reason =
      shown === 0
        ? 'over the token budget'
        : `shown in part: ${shown} of ${all} changed lines, the rest over the token budget`
    return [{ path: file.path, reason, matters: true, lines: all - shown }]
  })
}

function countChanged({ hunk, from, to }: Piece): number {
  let changed = 0
  for (let at = from; at < to; at++) if (hunk.lines[at]!.kind !== 'context') changed++
  return changed
}
