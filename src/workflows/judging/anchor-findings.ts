// Finds the lines of the diff that a proposed finding is about.
import type { FileDiff } from '../../domain/diff.ts'
import type { Finding, ProposedFinding } from '../../domain/finding.ts'
import { type Change, listReviewedFiles } from '../../reviewers/reviewer.ts'
import { redactSecrets } from '../../reviewers/rules/secret-rules.ts'
import { type ChangeFiles, filterExistingEvidence } from './change-files.ts'
import { type CodeRange, findInLines, listLines, overlaps, toCodeRange } from './find-code.ts'
import { findQuote, type QuotedLines } from './find-quote.ts'
import { measureSimilarity } from './measure-similarity.ts'

/**
 * An anchored proposal without a fingerprint. `anchorText` is its code, normalized. Its suggestion
 * is not checked yet.
 */
export type AnchoredClaim = Omit<Finding, 'fingerprint' | 'anchorHash' | 'state' | 'reopened'> & {
  readonly anchorText: string
}

interface Anchor {
  readonly file: FileDiff
  readonly side: Finding['side']
  readonly range: CodeRange
  /** `summary` where other lines may be meant. */
  readonly placement: 'inline' | 'summary'
  /** Finds the code again after the next push. */
  readonly quote: string
  /** The lines are those that the proposal names, so that its suggestion fits them. */
  readonly isCertain: boolean
  /** The quoted code was found. */
  readonly isQuoted: boolean
}

/** Longer ranges are reduced to their quote. */
const maxRangeLines = 20
/** Minimum similarity at which a line is taken for a misquoted one. */
const minSimilarity = 0.5

/** Returns the anchored proposal, or the reason why it is dropped. */
export async function anchorProposal(
  change: Change,
  files: ChangeFiles,
  proposal: ProposedFinding,
): Promise<AnchoredClaim | string> {
  const candidates = listFiles(change, proposal.path)
  if (candidates.length === 0) return 'about a file that is not part of the change'
  const anchor = await findAnchor(candidates, files, proposal)
  if (!anchor) return 'about code that is not in the diff'
  const { file, side, range, placement, quote, isCertain, isQuoted } = anchor
  const { startLine, endLine } = range
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
    // Rules count as verified. So does a model's claim about code that exists, until it is checked.
    verified: proposal.rule !== null || isQuoted,
    anchorText: range.text,
  }
}

/** Lists the file of that path, and then files that were renamed from it. */
function listFiles(change: Change, path: string): FileDiff[] {
  const files = listReviewedFiles(change)
  const isRenamed = (file: FileDiff) =>
    file.status === 'renamed' && file.oldPath === path && file.path !== path
  return [...files.filter((file) => file.path === path), ...files.filter(isRenamed)]
}

async function findAnchor(
  candidates: readonly FileDiff[],
  files: ChangeFiles,
  proposal: ProposedFinding,
): Promise<Anchor | undefined> {
  if (proposal.rule !== null) {
    const file = candidates[0]!
    const range = findLines(file, proposal)
    // The diff of a file that was only renamed has no lines.
    return range
      ? anchorToLines(file, proposal, range)
      : await findOutsideDiff(files, file, proposal)
  }
  for (const file of candidates) {
    const found = findQuote(files.hunks(file), proposal)
    if (found) return anchorToQuote(file, proposal, found)
  }
  for (const file of candidates) {
    const elsewhere = await findOutsideDiff(files, file, proposal)
    if (elsewhere) return elsewhere
  }
  return guessByLine(candidates, proposal)
}

/** Rules name exact lines. Their quotes leave out secrets, so the quote is kept as it is. */
function anchorToLines(file: FileDiff, { side, quote }: ProposedFinding, range: CodeRange): Anchor {
  return { file, side, range, placement: 'inline', quote, isCertain: true, isQuoted: true }
}

function anchorToQuote(file: FileDiff, proposal: ProposedFinding, found: QuotedLines): Anchor {
  const { side } = found
  const widened = side === proposal.side ? widenToRange(file, proposal, found) : undefined
  const { startLine, endLine, text } = widened ?? found
  const isClear = widened !== undefined || found.isClear
  const hasNamedLength = endLine - startLine === proposal.endLine - proposal.startLine
  const isWhole = widened !== undefined || found.isWhole || startLine === endLine
  const isAsQuoted = widened === undefined && found.isWhole
  return {
    file,
    side,
    range: { startLine, endLine, text },
    placement: isClear ? 'inline' : 'summary',
    quote: isAsQuoted ? proposal.quote : quoteWithoutSecret({ text }),
    isCertain: isClear && hasNamedLength && isWhole,
    isQuoted: true,
  }
}

/** Returns the range that the proposal names, if its quote is only a part of that range. */
function widenToRange(
  file: FileDiff,
  proposal: ProposedFinding,
  found: QuotedLines,
): CodeRange | undefined {
  const length = proposal.endLine - proposal.startLine + 1
  const isInside = found.startLine >= proposal.startLine && found.endLine <= proposal.endLine
  // A quote as long as the range is the whole range, and its lines are the right ones.
  const isPart =
    found.startLine === proposal.startLine || proposal.quote.split('\n').length < length
  if (!isInside || !isPart || length > maxRangeLines) return undefined
  const range = findLines(file, proposal)
  return range?.endLine === proposal.endLine ? range : undefined
}

/** Finds code that the diff doesn't contain, which can only be reported in the summary. */
async function findOutsideDiff(
  files: ChangeFiles,
  file: FileDiff,
  proposal: ProposedFinding,
): Promise<Anchor | undefined> {
  const lines =
    proposal.side === 'RIGHT' ? await files.head(file.path) : await files.base(file.oldPath)
  const range = lines && findInLines(lines, proposal)
  if (!range) return undefined
  const { side, quote } = proposal
  return { file, side, range, placement: 'summary', quote, isCertain: false, isQuoted: true }
}

/**
 * Anchors a proposal whose quote wasn't found to the line that it names. If that line isn't similar
 * to the quote, the claim goes into the summary.
 */
function guessByLine(
  candidates: readonly FileDiff[],
  proposal: ProposedFinding,
): Anchor | undefined {
  for (const file of candidates) {
    const range = findLines(file, proposal)
    if (!range) continue
    const isLikely =
      proposal.quote.trim() === '' || measureSimilarity(proposal.quote, range.text) >= minSimilarity
    return {
      file,
      side: proposal.side,
      range,
      placement: isLikely ? 'inline' : 'summary',
      // A quote that isn't in the code lets the finding resolve after the next push.
      quote: isLikely ? quoteWithoutSecret(range) : proposal.quote,
      isCertain: false,
      isQuoted: false,
    }
  }
  return undefined
}

/** Finds the lines that the proposal names, cut to one hunk. */
function findLines(file: FileDiff, proposal: ProposedFinding): CodeRange | undefined {
  for (const hunk of file.hunks) {
    const inside = listLines(hunk, proposal.side).filter(({ number }) =>
      overlaps(proposal, { startLine: number, endLine: number }),
    )
    if (inside[0]?.number === proposal.startLine) return toCodeRange(inside)
  }
  return undefined
}

function quoteWithoutSecret({ text }: Pick<CodeRange, 'text'>): string {
  const quote = text.split('\n').slice(0, maxRangeLines).join('\n').slice(0, 4000)
  return redactSecrets(quote) === quote ? quote : ''
}
