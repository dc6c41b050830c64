// First step: finds the lines of the diff that each candidate is about.
import { setImmediate } from 'node:timers/promises'
import { hasSecretMark, markSecrets } from '../../code/find-secrets.ts'
import { type Change, findByBaseName, listReviewedFiles } from '../../domain/change.ts'
import type { FileDiff } from '../../domain/diff.ts'
import { type ChangeFiles, filterExistingEvidence } from './change-files.ts'
import type { SuggestionCheck } from './check-suggestion.ts'
import { type CodeRange, type LineRange, listLines, overlaps, toCodeRange } from './code-range.ts'
import { findQuote, type QuotedLines } from './find-quote.ts'
import { areMostSimilar, type ComparedFile, findSimilarLines } from './find-similar.ts'
import { findInLines } from './match-code.ts'
import { measureSimilarity } from './measure-similarity.ts'
import type { Anchored, Candidate } from './stages.ts'

/** Where the code of a candidate is. */
interface Place {
  readonly file: FileDiff
  readonly side: Candidate['side']
  readonly range: CodeRange
  /** It is `summary` if the match is ambiguous. */
  readonly placement: 'inline' | 'summary'
  /** Finds the code again after the next push. */
  readonly quote: string
  /** The lines are those that the candidate names, so that its suggestion fits them. */
  readonly isCertain: boolean
  /** The quoted code was found. */
  readonly isQuoted: boolean
}

type Search = (
  files: ChangeFiles,
  file: FileDiff,
  candidate: Candidate,
) => Place | undefined | Promise<Place | undefined>

/**
 * The searches for the code of a candidate, the most certain first. A later one is only used if the
 * ones before it find nothing in any file. Rules name exact lines; models quote better than they
 * count.
 */
const searches = {
  rule: [findNamedLines, findOutsideDiff],
  model: [findQuotedLines, findOutsideDiff, findMisquotedLines, guessByLine],
} as const satisfies Record<string, readonly Search[]>

/** Longer ranges are reduced to their quote. */
const maxRangeLines = 20
/** Minimum similarity of a quote and the named lines, which may be misquoted. */
const minSimilarity = 0.5

interface AnchoredCandidates {
  readonly anchored: readonly Anchored[]
  /** Counts dropped candidates by reason. */
  readonly dropped: Readonly<Record<string, number>>
}

/** Anchors candidates and removes suggestions that can't be committed. */
export async function anchorCandidates(
  change: Change,
  candidates: readonly Candidate[],
  { files, checkSuggestion }: { files: ChangeFiles; checkSuggestion: SuggestionCheck },
): Promise<AnchoredCandidates> {
  const anchored: Anchored[] = []
  const dropped: Record<string, number> = {}
  for (const candidate of candidates) {
    // A large change takes long, so this yields to the event loop.
    await setImmediate()
    const result = await anchorCandidate(change, files, candidate)
    if (typeof result === 'string') dropped[result] = (dropped[result] ?? 0) + 1
    else anchored.push({ ...result, suggestion: await checkSuggestion(result) })
  }
  return { anchored, dropped }
}

/** Returns the anchored candidate, or the reason why it is dropped. */
export async function anchorCandidate(
  change: Change,
  files: ChangeFiles,
  candidate: Candidate,
): Promise<Anchored | string> {
  const named = listNamedFiles(change, candidate.path)
  const place = await (named.length > 0
    ? findPlace(files, named, candidate)
    : findInMisnamedFile(change, files, candidate))
  if (place === null) return 'about a file that is not part of the change'
  if (!place) return 'about code that is not in the diff'
  const { file, side, range, placement, quote, isCertain, isQuoted } = place
  const { startLine, endLine } = range
  const evidence = await filterExistingEvidence(files, side, candidate.evidence)
  const { body, suggestion } = isRule(candidate)
    ? candidate
    : describeMarks(candidate, `${candidate.quote}\n${range.text}`)
  return {
    ...candidate,
    body,
    path: file.path,
    side,
    startLine,
    endLine,
    quote,
    suggestion: isCertain ? suggestion : null,
    evidence: evidence.length > 0 ? evidence : [{ path: file.path, line: startLine, note: '' }],
    placement,
    // Rules count as verified. So does a model's claim about code that exists, until it is checked.
    verified: candidate.rule !== null || isQuoted,
    anchorText: range.text,
  }
}

function isRule({ rule }: Candidate): boolean {
  return rule !== null
}

/** A model that was shown a mark doesn't know the code that its suggestion replaces. */
function describeMarks(
  { body, suggestion }: Candidate,
  code: string,
): Pick<Candidate, 'body' | 'suggestion'> {
  const isMarked = hasSecretMark(markSecrets(code))
  const isCommittable = !isMarked && suggestion !== null && !hasSecretMark(suggestion)
  return {
    body: isMarked ? `${body}\n\n${markNote}` : body,
    suggestion: isCommittable ? suggestion : null,
  }
}

const markNote = 'This code contains what looks like a secret. The model was shown a mark instead.'

/** Lists the file of that path, and then files that were renamed from it. */
function listNamedFiles(change: Change, path: string): FileDiff[] {
  const files = listReviewedFiles(change)
  const isRenamed = (file: FileDiff) =>
    file.status === 'renamed' && file.oldPath === path && file.path !== path
  return [...files.filter((file) => file.path === path), ...files.filter(isRenamed)]
}

/**
 * Finds the quote in the changed file with the same name if the path isn't that of any file.
 *
 * @returns `null` if there isn't exactly one
 */
async function findInMisnamedFile(
  change: Change,
  files: ChangeFiles,
  candidate: Candidate,
): Promise<Place | undefined | null> {
  const file = findByBaseName(change.files, candidate.path)
  const { path } = candidate
  if (!file || (await files.head(path)) !== undefined || (await files.base(path)) !== undefined)
    return null
  return findQuotedLines(files, file, candidate)
}

async function findPlace(
  files: ChangeFiles,
  named: readonly FileDiff[],
  candidate: Candidate,
): Promise<Place | undefined> {
  // Rules name the present path of a file.
  const searched = isRule(candidate) ? named.slice(0, 1) : named
  for (const search of isRule(candidate) ? searches.rule : searches.model) {
    for (const file of searched) {
      const place = await search(files, file, candidate)
      if (place) return place
    }
  }
  return undefined
}

/** Rules leave secrets out of their quotes, so the quote is kept as it is. */
function findNamedLines(
  _files: ChangeFiles,
  file: FileDiff,
  candidate: Candidate,
): Place | undefined {
  const range = readNamedLines(file, candidate)
  const { side, quote } = candidate
  return range && { file, side, range, placement: 'inline', quote, isCertain: true, isQuoted: true }
}

function findQuotedLines(
  files: ChangeFiles,
  file: FileDiff,
  candidate: Candidate,
): Place | undefined {
  const found = findQuote(files.hunks(file), candidate)
  if (!found) return undefined
  const widened = widenToNamedLines(file, candidate, found)
  const { startLine, endLine, text } = widened ?? found
  const isClear = widened !== undefined || found.isClear
  const isWhole = widened !== undefined || found.isWhole || startLine === endLine
  const hasNamedLength = endLine - startLine === candidate.endLine - candidate.startLine
  const isAsQuoted = widened === undefined && found.isWhole
  return {
    file,
    side: found.side,
    range: { startLine, endLine, text },
    placement: isClear ? 'inline' : 'summary',
    quote: quoteWithoutSecret(
      isAsQuoted || hasSecretMark(candidate.quote) ? candidate.quote : text,
    ),
    isCertain: isClear && hasNamedLength && isWhole,
    isQuoted: true,
  }
}

/** Returns the range that the candidate names, if its quote is only a part of that range. */
function widenToNamedLines(
  file: FileDiff,
  candidate: Candidate,
  found: QuotedLines,
): CodeRange | undefined {
  const { side, startLine, endLine, quote } = candidate
  const length = endLine - startLine + 1
  const isInside = found.startLine >= startLine && found.endLine <= endLine
  // A quote with as many lines as the range is the whole range, and was found where it is.
  const isPart = found.startLine === startLine || quote.split('\n').length < length
  if (found.side !== side || !isInside || !isPart || length > maxRangeLines) return undefined
  const range = readNamedLines(file, candidate)
  return range?.endLine === endLine ? range : undefined
}

/** Finds code that the diff doesn't contain, which can only be reported in the summary. */
async function findOutsideDiff(
  files: ChangeFiles,
  file: FileDiff,
  candidate: Candidate,
): Promise<Place | undefined> {
  const { side, quote } = candidate
  const lines = side === 'RIGHT' ? await files.head(file.path) : await files.base(file.oldPath)
  const range = lines && findInLines(files.comparable(lines), candidate)
  if (!range) return undefined
  return { file, side, range, placement: 'summary', quote, isCertain: false, isQuoted: true }
}

/** Finds code that the candidate misquotes. A suggestion may repeat the mistake. */
async function findMisquotedLines(
  files: ChangeFiles,
  file: FileDiff,
  candidate: Candidate,
): Promise<Place | undefined> {
  const similar = findSimilarLines(await readNearby(files, file), candidate)
  const range = similar && readNamedLines(file, similar)
  if (!range || range.endLine !== similar.endLine) return undefined
  return {
    file,
    side: similar.side,
    range,
    placement: 'inline',
    quote: quoteWithoutSecret(range.text),
    isCertain: false,
    isQuoted: false,
  }
}

/** Reads where misquoted code may be: code outside of the diff may be meant, too. */
async function readNearby(files: ChangeFiles, file: FileDiff): Promise<ComparedFile> {
  const head = await files.head(file.path)
  return { hunks: files.hunks(file), head: head ? files.comparable(head) : [] }
}

/**
 * Takes the lines that the candidate names, although its quote wasn't found. If they aren't similar
 * to the quote, or lines near them are more similar, the claim goes into the summary.
 */
async function guessByLine(
  files: ChangeFiles,
  file: FileDiff,
  candidate: Candidate,
): Promise<Place | undefined> {
  const range = readNamedLines(file, candidate)
  if (!range) return undefined
  const { side, quote } = candidate
  const isLikely =
    quote.trim() === '' ||
    (measureSimilarity(quote, range.text) >= minSimilarity &&
      areMostSimilar(await readNearby(files, file), candidate))
  return {
    file,
    side,
    range,
    placement: isLikely ? 'inline' : 'summary',
    // The quote isn't in the code, so the finding is resolved after the next push.
    quote: isLikely ? quoteWithoutSecret(range.text) : quote,
    isCertain: false,
    isQuoted: false,
  }
}

/** Reads the named lines, cut to one hunk. */
function readNamedLines(
  file: FileDiff,
  named: LineRange & Pick<Candidate, 'side'>,
): CodeRange | undefined {
  for (const hunk of file.hunks) {
    const inside = listLines(hunk, named.side).filter(({ number }) =>
      overlaps(named, { startLine: number, endLine: number }),
    )
    if (inside[0]?.number === named.startLine) return toCodeRange(inside)
  }
  return undefined
}

function quoteWithoutSecret(text: string): string {
  const quote = text.split('\n').slice(0, maxRangeLines).join('\n').slice(0, 4000)
  return hasSecretMark(markSecrets(quote)) ? '' : quote
}
