// Inserts a canary (a made-up file that a model must report) into a round, as any other new file.
import { createHash } from 'node:crypto'
import { renderNumberedLines } from '../../git/render-diff.ts'
import type { ContextRound, ContextSpan } from '../packed-context.ts'
import type { Canary } from './canary.ts'

/** The spans of a reviewer's message: `shared` ones are equal for all reviewers and come first. */
interface RoundSpans {
  readonly shared: readonly ContextSpan[]
  readonly own: readonly ContextSpan[]
}

/** The part of a round's tokens in `own` spans if several reviewers read it, and at least this. */
const ownShare = 1 / 16
const minOwnTokens = 1_000

/**
 * Inserts the canary among the files of the round, in the order of their paths.
 *
 * @param seed null when one reviewer reads the round. Otherwise each reviewer has a canary of its
 *   own and all have the same seed: it selects unpredictable files of the change for the `own`
 *   spans, which hide the canary, so that the `shared` spans stay equal and can be cached.
 */
export function addCanaryToRound(
  round: ContextRound,
  canary: Canary,
  seed: string | null,
): RoundSpans {
  const canarySpan = renderFile(round, canary)
  const spans = round.spans.map((span) =>
    span.renderWithFile ? { ...span, text: span.renderWithFile(canary.file) } : span,
  )
  if (seed === null) return { shared: insertFile(spans, canarySpan), own: [] }
  const ownFiles = chooseOwnFiles(round, seed)
  const isOwn = (span: ContextSpan) => ownFiles.has(span)
  const fileLists = spans.filter(({ renderWithFile }) => renderWithFile !== undefined)
  return {
    shared: spans.filter((span) => !isOwn(span) && span.renderWithFile === undefined),
    own: [...fileLists, ...insertFile(spans.filter(isOwn), canarySpan)],
  }
}

/** Renders the canary in the same way as the packed context renders a new file. */
function renderFile({ lineNumbers = 'all' }: ContextRound, { file }: Canary): ContextSpan {
  const text = `added file\n@@\n${renderNumberedLines(file.hunks[0]!.lines, lineNumbers)}`
  // Packing reserves the tokens of a canary in every round, so they are not counted again.
  return { origin: 'diff', trust: 'untrusted', path: file.path, text, tokens: 0 }
}

function isFileSpan({ origin, path }: ContextSpan): boolean {
  return origin === 'diff' && path !== null
}

/** Keeps the files in the order of their paths. */
function insertFile(spans: readonly ContextSpan[], file: ContextSpan): ContextSpan[] {
  const next = spans.findIndex((span) => isFileSpan(span) && span.path! > file.path!)
  if (next !== -1) return spans.toSpliced(next, 0, file)
  const last = spans.findLastIndex(isFileSpan)
  return spans.toSpliced(last === -1 ? spans.length : last + 1, 0, file)
}

/** Chooses files for the `own` spans, within their tokens, in an order that the seed determines. */
function chooseOwnFiles({ spans, tokens }: ContextRound, seed: string): ReadonlySet<ContextSpan> {
  const rank = ({ path }: ContextSpan) =>
    createHash('sha256').update(`${seed} ${path}`).digest('hex')
  const files = spans.filter(isFileSpan).map((span) => ({ span, rank: rank(span) }))
  let remainingTokens = Math.max(minOwnTokens, tokens * ownShare)
  const chosen = new Set<ContextSpan>()
  for (const { span } of files.sort((one, other) => (one.rank < other.rank ? -1 : 1))) {
    if (span.tokens > remainingTokens) continue
    remainingTokens -= span.tokens
    chosen.add(span)
  }
  return chosen
}
