// Anchors a proposal to its place in the diff, and keeps only what it rests on for certain.
import type { FileDiff } from '../../domain/diff.ts'
import type { Finding, ProposedFinding } from '../../domain/finding.ts'
import { type Change, listReviewedFiles } from '../../reviewers/reviewer.ts'
import { redactSecrets } from '../../reviewers/rules/secret-rules.ts'
import { type ChangeFiles, filterExistingEvidence } from './change-files.ts'
import { type CodeRange, findInLines, listLines, overlaps, toCodeRange } from './find-code.ts'
import { findQuote, type QuotedLines } from './find-quote.ts'
import { measureSimilarity } from './measure-similarity.ts'

/**
 * A proposal that has its place, and no identity yet. `anchorText` is the code there, normalised. Its suggestion is
 * still to be checked.
 */
export type AnchoredClaim = Omit<Finding, 'fingerprint' | 'anchorHash' | 'state' | 'reopened'> & {
  readonly anchorText: string
}

/** Where a proposal belongs. Inline only where no other line can be meant. */
interface Anchor {
  readonly file: FileDiff
  readonly side: Finding['side']
  readonly place: CodeRange
  readonly placement: 'inline' | 'summary'
  /** By which it is found again after the next push. */
  readonly quote: string
  /** A replacement for the lines that were named is one for these. */
  readonly isCertain: boolean
  /** The code that was quoted stands there. */
  readonly isQuoted: boolean
}

/** A named range that is longer stands for its quote only. */
const maxRangeLines = 20
/** Share of common words from which on a line is taken for what a quote was meant to be. */
const alike = 0.5
/** Finds the proposal's place in the diff; a string says why it is dropped. */
export async function anchorProposal(
  change: Change,
  files: ChangeFiles,
  proposal: ProposedFinding,
): Promise<AnchoredClaim | string> {
  const candidates = listFiles(change, proposal.path)
  if (candidates.length === 0) return 'about a file that is not part of the change'
  const anchor = await findAnchor(candidates, files, proposal)
  if (!anchor) return 'about code that is not in the diff'
  const { file, side, place, placement, quote, isCertain, isQuoted } = anchor
  const { startLine, endLine } = place
  const evidence = await filterExistingEvidence(files, side, proposal.evidence)
  return {
    ...proposal,
    path: file.path,
    side,
    startLine,
    endLine,
    quote,
    suggestion: isCertain ? proposal.suggestion : null,
    evidence: evidence.length > 0 ? evidence : [{ path: file.path, line: startLine, note: '' }],
    placement,
    // Rules are certain of what they see; a model's claim counts as checked when the code it quotes stands there.
    verified: proposal.rule !== null || isQuoted,
    anchorText: place.text,
  }
}

/** The file of that name, and those that had it before. */
function listFiles(change: Change, path: string): FileDiff[] {
  const files = listReviewedFiles(change)
  const wasIt = (file: FileDiff) =>
    file.status === 'renamed' && file.oldPath === path && file.path !== path
  return [...files.filter((file) => file.path === path), ...files.filter(wasIt)]
}

async function findAnchor(
  candidates: readonly FileDiff[],
  files: ChangeFiles,
  proposal: ProposedFinding,
): Promise<Anchor | undefined> {
  if (proposal.rule !== null) {
    const place = findLines(candidates[0]!, proposal)
    // A file that was only renamed shows no lines.
    return place
      ? atNamedLines(candidates[0]!, proposal, place)
      : await findOutsideDiff(files, candidates[0]!, proposal)
  }
  for (const file of candidates) {
    const found = findQuote(files.hunks(file), proposal)
    if (found) return atQuote(file, proposal, found)
  }
  for (const file of candidates) {
    const elsewhere = await findOutsideDiff(files, file, proposal)
    if (elsewhere) return elsewhere
  }
  return guessByLine(candidates, proposal)
}

/** Rules name their lines for certain, and what they leave out of a quote is a secret. */
function atNamedLines(file: FileDiff, { side, quote }: ProposedFinding, place: CodeRange): Anchor {
  return { file, side, place, placement: 'inline', quote, isCertain: true, isQuoted: true }
}

function atQuote(file: FileDiff, proposal: ProposedFinding, found: QuotedLines): Anchor {
  const { side } = found
  const range = side === proposal.side ? widen(file, proposal, found) : undefined
  const place = range ?? found
  const isCertain =
    (range !== undefined || found.isClear) &&
    place.endLine - place.startLine === proposal.endLine - proposal.startLine &&
    (range !== undefined || found.isWhole || place.startLine === place.endLine)
  return {
    file,
    side,
    place: { startLine: place.startLine, endLine: place.endLine, text: place.text },
    placement: range !== undefined || found.isClear ? 'inline' : 'summary',
    quote: range === undefined && found.isWhole ? proposal.quote : quoteWithoutSecret(place),
    isCertain,
    isQuoted: true,
  }
}

/** The range that was named, where the quote is some of it. */
function widen(
  file: FileDiff,
  proposal: ProposedFinding,
  found: QuotedLines,
): CodeRange | undefined {
  const length = proposal.endLine - proposal.startLine + 1
  const isInside = found.startLine >= proposal.startLine && found.endLine <= proposal.endLine
  // A quote as long as the range is all of it, and shows where it really is.
  const isSome =
    found.startLine === proposal.startLine || proposal.quote.split('\n').length < length
  if (!isInside || !isSome || length > maxRangeLines) return undefined
  const range = findLines(file, proposal)
  return range?.endLine === proposal.endLine ? range : undefined
}

/** Code of the file that the diff doesn't show has no line there: it is told in the summary. */
async function findOutsideDiff(
  files: ChangeFiles,
  file: FileDiff,
  proposal: ProposedFinding,
): Promise<Anchor | undefined> {
  const lines =
    proposal.side === 'RIGHT' ? await files.head(file.path) : await files.base(file.oldPath)
  const place = lines && findInLines(lines, proposal)
  if (!place) return undefined
  const { side, quote } = proposal
  return { file, side, place, placement: 'summary', quote, isCertain: false, isQuoted: true }
}

/**
 * Without a quote that stands anywhere there is the line that was named. What was quoted must be like it, or the claim
 * is told in the summary.
 */
function guessByLine(
  candidates: readonly FileDiff[],
  proposal: ProposedFinding,
): Anchor | undefined {
  for (const file of candidates) {
    const place = findLines(file, proposal)
    if (!place) continue
    const isLikely =
      proposal.quote.trim() === '' || measureSimilarity(proposal.quote, place.text) >= alike
    return {
      file,
      side: proposal.side,
      place,
      placement: isLikely ? 'inline' : 'summary',
      // Code that stands nowhere keeps nothing open after the next push.
      quote: isLikely ? quoteWithoutSecret(place) : proposal.quote,
      isCertain: false,
      isQuoted: false,
    }
  }
  return undefined
}

/** The named lines themselves, cut to one hunk. */
function findLines(file: FileDiff, proposal: ProposedFinding): CodeRange | undefined {
  for (const hunk of file.hunks) {
    const inside = listLines(hunk, proposal.side).filter(({ number }) =>
      overlaps(proposal, { startLine: number, endLine: number }),
    )
    if (inside[0]?.number === proposal.startLine) return toCodeRange(inside)
  }
  return undefined
}

function quoteWithoutSecret({ text }: CodeRange): string {
  const quote = text.split('\n').slice(0, maxRangeLines).join('\n').slice(0, 4000)
  return redactSecrets(quote) === quote ? quote : ''
}
