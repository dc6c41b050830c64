// Cuts a change as its budget demands, and orders the pieces: most telling first.
import { setImmediate } from 'node:timers/promises'
import type { FileDiff } from '../../domain/diff.ts'
import { isSeenHunk } from '../../git/hunk-identity.ts'
import type { NumberedLines } from '../../git/render-diff.ts'
import type { Change } from '../../reviewers/reviewer.ts'
import { estimateTokens } from './count-tokens.ts'
import { cutPieces, type Piece, type WeighedHunk, weighHunks } from './cut-pieces.ts'
import { weighFile } from './weigh-lines.ts'

/** A change in pieces, most telling first; what stands beside a piece comes behind it. */
export interface OrderedPieces {
  readonly pieces: readonly Piece[]
  /** Numbers before all lines are good for models, and cost a fifth of the room. */
  readonly numbers: NumberedLines
  /** About how many tokens all of them have. */
  readonly tokens: number
}

/** A number before a line. */
const tokensOfNumber = 3
/** The line over a piece that says what encloses it. */
const tokensOfHeading = 12
/** The share of a round that one piece takes at most. */
const largestPiece = 1 / 6
/** What earlier reviews have read is read again only where there is room. */
const weightOfSeen = 0.25
/** That something of a file is seen at all is worth so many lines of a program. */
const worthOfFile = 4
/** When so large a share of a round is of one file, its next piece is worth half. */
const halvingShare = 1 / 3

/**
 * Cuts a change into pieces, smaller ones where rounds are small. Lets other work go on between files.
 *
 * @param room tokens for pieces in a round, and how many rounds at most
 */
export async function orderPieces(
  change: Change,
  room: { readonly tokens: number; readonly maxRounds: number },
): Promise<OrderedPieces> {
  const all = room.tokens * room.maxRounds
  const weighed = await weighChange(change, all)
  const pieces = weighed.flatMap((hunk) => cutPieces(hunk, room.tokens * largestPiece))
  const tokens = sumTokens(pieces)
  const numbered =
    tokens + weighed.reduce((sum, each) => sum + tokensOfNumber * (each.tokens.length - 1), 0)
  const isNumbered = numbered <= room.tokens
  const sorted = sortPieces(pieces, room.tokens, tokens <= all)
  return {
    pieces: sorted,
    numbers: isNumbered ? 'all' : 'some',
    tokens: isNumbered ? numbered : tokens,
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
    hunks.size * tokensOfHeading +
    files.reduce((sum, file) => sum + estimateFileTokens(file), 0)
  )
}

/** About what it takes to begin with a file. */
export function estimateFileTokens({ path, oldPath, status }: FileDiff): number {
  return (
    estimateTokens(path) +
    6 +
    (status === 'renamed' || status === 'copied' ? estimateTokens(oldPath) : 0)
  )
}

/**
 * By worth for each token, what is of one file already reckoned in: the second thing that is seen of a file tells less
 * than the first of another. What stands beside a piece comes with it where there is room for all, and else when its
 * own worth says so.
 */
function sortPieces(
  pieces: readonly Piece[],
  tokensPerRound: number,
  isRoomForAll: boolean,
): Piece[] {
  const ranks = new Map<Piece, number>()
  const changed = pieces.filter(({ neighbors: beside }) => beside.length === 0)
  for (const [file, own] of Map.groupBy(changed, ({ file }) => file)) {
    let before = estimateFileTokens(file)
    for (const piece of own.sort((one, other) => density(other) - density(one))) {
      const worth = density(piece, ranks.has(own[0]!) ? 0 : worthOfFile)
      ranks.set(piece, worth / (1 + before / (tokensPerRound * halvingShare)))
      before += piece.tokens
    }
  }
  for (const piece of pieces) {
    if (piece.neighbors.length === 0) continue
    const first = Math.max(...piece.neighbors.map((each) => ranks.get(each)!))
    ranks.set(piece, isRoomForAll ? first : Math.min(first, piece.value / piece.tokens))
  }
  // Of equal ranks the changed lines come first, as they do in `pieces` of a hunk.
  return pieces.toSorted((one, other) => ranks.get(other)! - ranks.get(one)!)
}

function density({ value, tokens }: Piece, more = 0): number {
  return (value + more) / (tokens + tokensOfHeading)
}
