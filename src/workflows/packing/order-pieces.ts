// Cuts a change into pieces for the token budget and sorts them by value.
import { setImmediate } from 'node:timers/promises'
import type { Change } from '../../domain/change.ts'
import type { FileDiff } from '../../domain/diff.ts'
import { isSeenHunk } from '../../git/hunk-identity.ts'
import type { NumberedLines } from '../../git/render-diff.ts'
import { estimateTokens } from './count-tokens.ts'
import { cutPieces, type Piece, type WeighedHunk, weighHunks } from './cut-pieces.ts'
import { weighFile } from './weigh-lines.ts'

interface OrderedPieces {
  /** The most valuable first. Unchanged lines come after the changed ones next to them. */
  readonly pieces: readonly Piece[]
  /** Line numbers help models, but before all lines they cost a fifth of the tokens. */
  readonly numbers: NumberedLines
  /** Estimated for all pieces. */
  readonly tokens: number
}

/** Estimated tokens of a line number, and of a heading that names what encloses a piece. */
const tokensPerNumber = 3
const tokensPerHeading = 12
/** One piece takes at most this share of a round. */
const maxPieceShare = 1 / 6
/** Lines that earlier reviews have read weigh less. */
const weightOfSeen = 0.25
/** Showing a file at all is worth this many lines of code. */
const valueOfFile = 4
/** When one file takes this share of a round, the value of its next piece is halved. */
const halvingShare = 1 / 3

/**
 * Cuts a change into pieces, which are smaller for small rounds. Yields to other work between
 * files.
 *
 * @param budget tokens for pieces in a round, and the maximum number of rounds
 */
export async function orderPieces(
  change: Change,
  budget: { readonly tokens: number; readonly maxRounds: number },
): Promise<OrderedPieces> {
  const allTokens = budget.tokens * budget.maxRounds
  const weighed = await weighChange(change, allTokens)
  const pieces = weighed.flatMap((hunk) => cutPieces(hunk, budget.tokens * maxPieceShare))
  const tokens = sumTokens(pieces)
  const lineCount = weighed.reduce((sum, hunk) => sum + hunk.tokens.length - 1, 0)
  const numberedTokens = tokens + tokensPerNumber * lineCount
  const isNumbered = numberedTokens <= budget.tokens
  const sorted = sortPieces(pieces, budget.tokens, tokens <= allTokens)
  return {
    pieces: sorted,
    numbers: isNumbered ? 'all' : 'some',
    tokens: isNumbered ? numberedTokens : tokens,
  }
}

async function weighChange(change: Change, maxLines: number): Promise<WeighedHunk[]> {
  const weighed: WeighedHunk[] = []
  const { seenLines } = change.earlier
  for (const file of change.files) {
    await setImmediate()
    const weight = weighFile(file)
    weighed.push(
      ...weighHunks(file, maxLines, (hunk) =>
        isSeenHunk(hunk, seenLines) ? weight * weightOfSeen : weight,
      ),
    )
  }
  return weighed
}

function sumTokens(pieces: readonly Piece[]): number {
  const hunks = new Set(pieces.map(({ hunk }) => hunk))
  const files = [...new Set(pieces.map(({ file }) => file))]
  return (
    pieces.reduce((sum, piece) => sum + piece.tokens, 0) +
    hunks.size * tokensPerHeading +
    files.reduce((sum, file) => sum + estimateFileTokens(file), 0)
  )
}

/** Estimates the tokens that the heading of a file takes. */
export function estimateFileTokens({ path, oldPath, status }: FileDiff): number {
  const hasOldPath = status === 'renamed' || status === 'copied'
  return estimateTokens(path) + 6 + (hasOldPath ? estimateTokens(oldPath) : 0)
}

/**
 * Sorts by value per token. The value falls with each piece of the same file, so that more files
 * are shown. Unchanged lines follow the changed ones next to them if all fits, or else have their
 * own rank.
 */
function sortPieces(
  pieces: readonly Piece[],
  tokensPerRound: number,
  doesAllFit: boolean,
): Piece[] {
  const ranks = new Map<Piece, number>()
  const changed = pieces.filter(({ neighbors }) => neighbors.length === 0)
  for (const [file, own] of Map.groupBy(changed, ({ file }) => file)) {
    let before = estimateFileTokens(file)
    for (const piece of own.sort((one, other) => density(other) - density(one))) {
      const isFirst = !ranks.has(own[0]!)
      const value = density(piece, isFirst ? valueOfFile : 0)
      ranks.set(piece, value / (1 + before / (tokensPerRound * halvingShare)))
      before += piece.tokens
    }
  }
  for (const piece of pieces) {
    if (piece.neighbors.length === 0) continue
    const first = Math.max(...piece.neighbors.map((each) => ranks.get(each)!))
    ranks.set(piece, doesAllFit ? first : Math.min(first, piece.value / piece.tokens))
  }
  // The sort is stable, so that changed lines come before unchanged ones of equal rank.
  return pieces.toSorted((one, other) => ranks.get(other)! - ranks.get(one)!)
}

function density({ value, tokens }: Piece, extraValue = 0): number {
  return (value + extraValue) / (tokens + tokensPerHeading)
}
