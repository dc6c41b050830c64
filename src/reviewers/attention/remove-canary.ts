// Takes out of an answer what is about a made-up file, and keeps what is about the change, however they are mixed.
import type { FileDiff } from '../../domain/diff.ts'
import type { ProposedFinding } from '../../domain/finding.ts'
import type { ParsedAnswer } from '../parse-findings.ts'
import type { Change } from '../reviewer.ts'
import type { Canary } from './canary.ts'
import { maskMentions, mentionsCanary, removeMentions, splitSentences } from './canary-mentions.ts'

/** What is left of an answer. */
export interface CleanedAnswer {
  readonly findings: readonly ProposedFinding[]
  readonly summary: string
  /** It reported the planted defect: whoever wrote it has read the round. */
  readonly passedAttentionCheck: boolean
}

/**
 * Takes the made-up file out of an answer. A finding is about it where it names or quotes it and nothing real; that
 * proves that the round was read. One that does both stays with what is real of it, and proves nothing.
 */
export function removeCanary(
  answer: Pick<ParsedAnswer, 'findings' | 'summary'>,
  plant: Canary,
  change: Change,
): CleanedAnswer {
  const findPlaces = createLineIndex(change)
  const findings: ProposedFinding[] = []
  let passedAttentionCheck = false
  for (const finding of answer.findings) {
    const real = isAboutCanary(finding, plant)
      ? relocateFinding(finding, plant, change, findPlaces)
      : finding
    if (real === undefined) passedAttentionCheck = true
    else findings.push(cleanFinding(real, plant))
  }
  return {
    findings,
    summary: cleanSummary(answer.summary, plant, change),
    passedAttentionCheck,
  }
}

/** A line of the change. */
type ChangedLine = Pick<ProposedFinding, 'path' | 'side'> & {
  readonly line: number
  readonly text: string
}

/** The lines of the change that are such a line but for blanks. */
type FindLines = (squeezed: string) => readonly ChangedLine[]

/** Shorter lines stand everywhere. */
const minLineChars = 8

/** Reads the change when it is first asked for a line, which is seldom. */
function createLineIndex(change: Change): FindLines {
  let known: ReadonlyMap<string, readonly ChangedLine[]> | undefined
  return (squeezed) => {
    known ??= Map.groupBy(change.files.flatMap(listLines), ({ text }) => normalizeLine(text))
    return known.get(squeezed) ?? []
  }
}

function listLines({ path, hunks }: FileDiff): ChangedLine[] {
  return hunks.flatMap(({ lines }) =>
    lines.map(({ kind, text, oldLine, newLine }) => {
      const side = kind === 'deleted' ? 'LEFT' : 'RIGHT'
      return { path, side, line: (kind === 'deleted' ? oldLine : newLine) ?? 1, text }
    }),
  )
}

/** A line without what models add to it or get wrong: numbers and markers before it, blanks. */
function normalizeLine(line: string): string {
  return line.replace(/^\s*(?:\d+\s+)?[+-]?/, '').replace(/\s+/g, '')
}

function isAboutCanary({ path, quote }: ProposedFinding, plant: Canary): boolean {
  return path === plant.file.path || quote.split('\n').some((line) => isCanaryLine(line, plant))
}

/** Whether a line is one of the made-up file, and tells so. */
function isCanaryLine(line: string, plant: Canary): boolean {
  if (!mentionsCanary(line, plant)) return false
  const squeezed = normalizeLine(line)
  return plant.lines.some((own) => normalizeLine(own) === squeezed)
}

/** The finding at what it quotes or names of the change; undefined where that is nothing. */
function relocateFinding(
  finding: ProposedFinding,
  plant: Canary,
  change: Change,
  findPlaces: FindLines,
): ProposedFinding | undefined {
  const own = new Set(plant.lines.map(normalizeLine))
  const quoted = finding.quote.split('\n').flatMap((line) => {
    const squeezed = normalizeLine(line)
    const found = own.has(squeezed) || squeezed.length < minLineChars ? [] : findPlaces(squeezed)
    return found.find(({ path }) => path === finding.path) ?? found.slice(0, 1)
  })
  const [first] = quoted
  if (first) return moveTo(finding, first, quoted)
  const evidence = findEvidence(finding, plant, change)
  return evidence && moveTo(finding, evidence, [evidence])
}

function moveTo(
  finding: ProposedFinding,
  first: ChangedLine,
  lines: readonly ChangedLine[],
): ProposedFinding {
  const together = lines.filter(({ path, side }) => path === first.path && side === first.side)
  const numbers = together.map(({ line }) => line)
  const [startLine, endLine] = [Math.min(...numbers), Math.max(...numbers)]
  const quote = together.map(({ text }) => text).join('\n')
  return {
    ...finding,
    path: first.path,
    side: first.side,
    startLine,
    endLine,
    quote,
    suggestion: null,
  }
}

/** A changed line among the evidence, where what is said speaks of its file too: the rest only supports the claim. */
function findEvidence(
  { title, body, evidence }: ProposedFinding,
  plant: Canary,
  { files }: Change,
) {
  const said = [title, ...splitSentences(body)]
    .filter((each) => !mentionsCanary(each, plant))
    .join('\n')
  for (const { path, line } of evidence) {
    if (!namesFile(said, path)) continue
    const places = files.filter((file) => file.path === path).flatMap(listLines)
    const place = places.find((each) => each.side === 'RIGHT' && each.line === line)
    if (place) return place
  }
  return undefined
}

function namesFile(text: string, path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return text.includes(path) || text.includes(name)
}

/** A finding about the change, without a word about the made-up file. */
function cleanFinding(finding: ProposedFinding, plant: Canary): ProposedFinding {
  const { title, body, quote, suggestion, evidence } = finding
  return {
    ...finding,
    title: maskMentions(title, plant),
    body: removeMentions(body, plant),
    quote: mentionsCanary(quote, plant)
      ? quote
          .split('\n')
          .filter((line) => !mentionsCanary(line, plant))
          .join('\n')
      : quote,
    suggestion: suggestion !== null && mentionsCanary(suggestion, plant) ? null : suggestion,
    evidence: evidence.filter(
      ({ path, note }) => !mentionsCanary(path, plant) && !mentionsCanary(note, plant),
    ),
  }
}

/**
 * The summary's sentences that don't speak of the made-up file. What follows one that does may mean the same with other
 * words: within a line it stays only where it names a file of the change.
 */
function cleanSummary(summary: string, plant: Canary, { files }: Change): string {
  if (!mentionsCanary(summary, plant)) return summary
  let follows = false
  const kept = splitSentences(summary).filter((each) => {
    const isReal = files.some(({ path }) => namesFile(each, path))
    follows = mentionsCanary(each, plant) || (follows && !isReal)
    const isKept = !follows
    if (each.endsWith('\n')) follows = false
    return isKept
  })
  return kept.join('').trim()
}
