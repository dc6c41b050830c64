// Replays comment locations as model findings, correct and shifted, and counts their anchors.

import type { SyntaxParser } from '../src/code/syntax-parser.ts'
import type { Change } from '../src/domain/change.ts'
import type { DiffSide, FileDiff } from '../src/domain/diff.ts'
import type { Finding } from '../src/domain/finding.ts'
import { noUsage } from '../src/domain/review.ts'
import { isCommentable } from '../src/git/commentable-lines.ts'
import { parseFindings } from '../src/reviewers/parse-findings.ts'
import { judgeFindings } from '../src/workflows/judge-findings.ts'

/** Lines on one side of a file, 1-based and inclusive. */
export interface NamedLocation {
  readonly path: string
  readonly side: DiffSide
  readonly start: number
  readonly end: number
}

/** A location as a model names it, with the code that it quotes. */
interface LocationVariant {
  readonly kind: string
  readonly location: NamedLocation
  readonly quote: string
}

type ListVariants = (
  file: FileDiff,
  truth: NamedLocation,
  quote: string,
) => readonly LocationVariant[]

const outcomes = [
  'right',
  'same code nearest by',
  'in the summary',
  'dropped',
  'wrong',
  'illegal',
] as const
type Outcome = (typeof outcomes)[number]

/** Outcome counts by kind of location. */
export type AnchorTally = Map<string, Record<Outcome, number>>

const maxDriftLines = 10

/** Anchors all variants of a location and counts the outcomes. */
export async function checkLocation(
  tally: AnchorTally,
  { syntax, change }: { syntax: SyntaxParser; change: Change },
  truth: NamedLocation,
  listVariants: ListVariants = listLocationVariants,
): Promise<void> {
  const file = change.files.find(({ path }) => path === truth.path)
  if (!file) return
  const quote = await readQuote(change, file, truth)
  for (const variant of listVariants(file, truth, quote)) {
    const { kind, location } = variant
    const isOther = location.path !== file.path && location.path !== file.oldPath
    // The path may be that of another changed file.
    if (isOther && change.files.some(({ path }) => path === location.path)) continue
    const outcome = await anchorFinding(syntax, change, variant).then((finding) =>
      typeof finding === 'string' ? finding : classifyAnchor(file, truth, location, quote, finding),
    )
    const counts =
      tally.get(kind) ??
      ({ ...Object.fromEntries(outcomes.map((each) => [each, 0])) } as Record<Outcome, number>)
    counts[outcome]++
    tally.set(kind, counts)
  }
}

function listLocationVariants(
  file: FileDiff,
  truth: NamedLocation,
  quote: string,
): LocationVariant[] {
  const shifts = Array.from({ length: maxDriftLines }, (_, index) => [index + 1, -index - 1]).flat()
  const drifted = shifts
    .map((by) => ({ ...truth, start: truth.start + by, end: truth.end + by }))
    .filter(({ start }) => start >= 1)
  const otherSide: DiffSide = truth.side === 'RIGHT' ? 'LEFT' : 'RIGHT'
  const variants = [
    { kind: 'exactly', location: truth },
    ...drifted.map((location) => ({ kind: 'with drift of 1 to 10 lines', location })),
    { kind: 'on the wrong side', location: { ...truth, side: otherSide } },
    ...(file.oldPath === file.path
      ? []
      : [{ kind: 'by its old name', location: { ...truth, path: file.oldPath } }]),
  ]
  return variants.map((variant) => ({ ...variant, quote }))
}

/** Misquoted lines are named at these distances, in lines. */
const misquotedDrifts = [0, 1, -3, 7, -12, 20]

/** Lists every way of misquoting a line at every drift, and its file by wrong names. */
export const listLineMistakes: ListVariants = (file, truth, quote) => {
  const base = file.path.split('/').at(-1)!
  const otherSide: DiffSide = truth.side === 'RIGHT' ? 'LEFT' : 'RIGHT'
  const quotes = {
    'quoted exactly': quote,
    'with other white space': quote.replaceAll(/(\W)/g, ' $1 '),
    'without white space': quote.replaceAll(/\s/g, ''),
    'with a misspelt word': misspell(quote),
    'with a word left out': leaveOutWord(quote),
  }
  const drifted = (by: number, side: DiffSide) => ({
    ...truth,
    side,
    start: Math.max(1, truth.start + by),
    end: Math.max(1, truth.end + by),
  })
  return [
    ...Object.entries(quotes).flatMap(([kind, text]) =>
      misquotedDrifts.flatMap((by) => [
        { kind, location: drifted(by, truth.side), quote: text },
        { kind: `${kind}, wrong side`, location: drifted(by, otherSide), quote: text },
      ]),
    ),
    { kind: 'quoted exactly, wrong side far away', location: drifted(400, otherSide), quote },
    ...[base, `wrong/${base}`].map((path) => ({
      kind: 'in a wrong folder',
      location: { ...truth, path },
      quote,
    })),
  ]
}

/** Exchanges two letters within the longest word. */
function misspell(quote: string): string {
  const word = longestWord(quote)
  const at = Math.floor(word.length / 2)
  const misspelt = `${word.slice(0, at - 1)}${word[at]}${word[at - 1]}${word.slice(at + 1)}`
  return quote.replace(word, misspelt === word ? `${word}x` : misspelt)
}

function leaveOutWord(quote: string): string {
  const words = quote.match(/\w+/g) ?? []
  return words.length < 4 ? quote : quote.replace(words[Math.floor(words.length / 2)]!, '')
}

function longestWord(text: string): string {
  const words = text.match(/\w+/g) ?? []
  return words.toSorted((a, b) => b.length - a.length)[0] ?? ''
}

/** The code that a model would quote: at most the first 20 lines. */
async function readQuote(
  change: Change,
  file: FileDiff,
  { side, start, end }: NamedLocation,
): Promise<string> {
  const bytes = await (side === 'RIGHT'
    ? change.head.readFile(file.path)
    : change.base.readFile(file.oldPath))
  return Buffer.from(bytes ?? [])
    .toString('utf8')
    .split('\n')
    .slice(start - 1, Math.min(end, start + 19))
    .join('\n')
}

/** Parses and judges one finding like the service. */
async function anchorFinding(
  syntax: SyntaxParser,
  change: Change,
  { location: { path, side, start, end }, quote }: LocationVariant,
): Promise<Finding | 'dropped'> {
  const modelFinding = {
    path,
    side,
    start_line: start,
    end_line: end,
    quote,
    severity: 'moderate',
    category: 'correctness',
    title: 'This is wrong',
    body: 'When it runs, then it fails.',
    suggestion: null,
    evidence: [],
    confidence: 0.9,
  }
  const read = parseFindings(
    { json: { summary: '', findings: [modelFinding] }, isWholeText: true },
    change,
    'model',
  )
  const report = { reviewer: 'model', findings: read?.findings ?? [], unread: [], usage: noUsage }
  const { findings } = await judgeFindings(
    { syntax },
    { change, reports: [report], verifier: null, maxInline: 8 },
    AbortSignal.timeout(60_000),
  )
  return findings[0] ?? 'dropped'
}

function classifyAnchor(
  file: FileDiff,
  truth: NamedLocation,
  named: NamedLocation,
  quote: string,
  finding: Finding,
): Outcome {
  if (finding.placement !== 'inline') return 'in the summary'
  const { side, startLine, endLine } = finding
  if (!isCommentable(file, side, startLine, endLine)) return 'illegal'
  // Context lines are on both sides, so both count as the same location.
  const lines = quote.split('\n').map(normalize)
  const filled = lines.findIndex((line) => line !== '')
  const first = lines[filled] ?? ''
  const isTrue = [truth.start, truth.start + filled].some((line) =>
    isSameLine(file, truth.side, line, side, startLine),
  )
  if (isTrue) return 'right'
  const holds = (line: number) => normalize(textAt(file, side, line) ?? '').includes(first)
  if (first === '' || !holds(startLine)) return 'wrong'
  if (isSameLine(file, named.side, named.start, side, startLine)) return 'same code nearest by'
  // The same code is nearer to the named location than the intended one, or the side is unknown.
  const distance = (line: number) => Math.abs(line - named.start)
  return side !== truth.side ||
    named.side !== truth.side ||
    distance(startLine) <= distance(truth.start)
    ? 'same code nearest by'
    : 'wrong'
}

function isSameLine(
  file: FileDiff,
  side: DiffSide,
  line: number,
  otherSide: DiffSide,
  other: number,
): boolean {
  if (side === otherSide) return line === other
  const lines = file.hunks.flatMap((hunk) => hunk.lines)
  const [right, left] = side === 'RIGHT' ? [line, other] : [other, line]
  return lines.some(({ newLine, oldLine }) => newLine === right && oldLine === left)
}

function textAt(file: FileDiff, side: DiffSide, line: number): string | undefined {
  const lines = file.hunks.flatMap((hunk) => hunk.lines)
  return lines.find(({ newLine, oldLine }) => (side === 'RIGHT' ? newLine : oldLine) === line)?.text
}

/** Code that differs only in white space is the same. */
function normalize(text: string): string {
  return text.replaceAll(/\s+/g, '')
}

export function printAnchorTally(tally: AnchorTally): void {
  console.log(`\n| places named | number | ${outcomes.join(' | ')} |`)
  console.log(`|---|---|${outcomes.map(() => '---').join('|')}|`)
  for (const [kind, counts] of tally) {
    const cells = outcomes.map((outcome) => counts[outcome])
    console.log(
      `| ${kind} | ${cells.reduce((sum, count) => sum + count, 0)} | ${cells.join(' | ')} |`,
    )
  }
}
