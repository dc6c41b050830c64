// Shows a made-up file among the files of a round, as any new file is shown, and before or behind what several share.
import { createHash } from 'node:crypto'
import { renderNumberedLines } from '../../git/render-diff.ts'
import type { ContextRound, ContextSpan } from '../reviewer.ts'
import type { Canary } from './canary.ts'

/** What a message shows of a round: first what is the same in the messages of several. */
export interface RoundSpans {
  readonly shared: readonly ContextSpan[]
  readonly own: readonly ContextSpan[]
}

/** Of a round's tokens, and at least: so much is not shared where several look at it. */
const ownShare = 1 / 16
const minOwnTokens = 1_000

/**
 * Puts the file among the others of the round, by its path as they are.
 *
 * @param seed where several look at the round, each with a made-up file of its own: the same for all of them. Some
 *   files of the change, which nobody can foresee, then stand behind what they share, with the made-up one among them.
 */
export function addCanaryToRound(
  round: ContextRound,
  plant: Canary,
  seed: string | null,
): RoundSpans {
  const made = renderFile(round, plant)
  const spans = round.spans.map((span) =>
    span.renderWithFile ? { ...span, text: span.renderWithFile(plant.file) } : span,
  )
  if (seed === null) return { shared: insertFile(spans, made), own: [] }
  const files = chooseOwnFiles(round, seed)
  const isOwn = (span: ContextSpan) => files.has(span)
  const lists = spans.filter(({ renderWithFile: listWith }) => listWith !== undefined)
  return {
    shared: spans.filter((span) => !isOwn(span) && span.renderWithFile === undefined),
    own: [...lists, ...insertFile(spans.filter(isOwn), made)],
  }
}

/** As the packed context shows a new file. */
function renderFile({ lineNumbers: numbers = 'all' }: ContextRound, { file }: Canary): ContextSpan {
  const text = `added file\n@@\n${renderNumberedLines(file.hunks[0]!.lines, numbers)}`
  return { origin: 'diff', trust: 'untrusted', path: file.path, text, tokens: 0 }
}

function isFileSpan({ origin, path }: ContextSpan): boolean {
  return origin === 'diff' && path !== null
}

/** Before the first file whose path comes after its own, else behind the last. */
function insertFile(spans: readonly ContextSpan[], made: ContextSpan): ContextSpan[] {
  const next = spans.findIndex((span) => isFileSpan(span) && span.path! > made.path!)
  const last = spans.findLastIndex(isFileSpan)
  const at = next !== -1 ? next : last !== -1 ? last + 1 : spans.length
  return spans.toSpliced(at, 0, made)
}

/** The files that stand behind what is shared: as many as there is room for, in an order of the seed. */
function chooseOwnFiles({ spans, tokens }: ContextRound, seed: string): ReadonlySet<ContextSpan> {
  const rank = ({ path }: ContextSpan) =>
    createHash('sha256').update(`${seed} ${path}`).digest('hex')
  const files = spans.filter(isFileSpan).map((span) => ({ span, rank: rank(span) }))
  let room = Math.max(minOwnTokens, tokens * ownShare)
  const chosen = new Set<ContextSpan>()
  for (const { span } of files.sort((one, other) => (one.rank < other.rank ? -1 : 1))) {
    if (span.tokens > room) continue
    room -= span.tokens
    chosen.add(span)
  }
  return chosen
}
