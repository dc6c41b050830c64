// Takes out of an answer what is about a made-up file, and keeps what is about the change, however they are mixed.
import type { FileDiff } from '../../domain/diff.ts'
import type { ProposedFinding } from '../../domain/finding.ts'
import type { ReadAnswer } from '../read-findings.ts'
import type { Change } from '../reviewer.ts'
import { blurMentions, dropMentions, mentions, splitSentences } from './mentions.ts'
import type { Plant } from './plant.ts'

/** What is left of an answer. */
export interface TakenOut {
  readonly findings: readonly ProposedFinding[]
  readonly summary: string
  /** It reported the planted defect: whoever wrote it has read the round. */
  readonly isProven: boolean
}

/**
 * Takes the made-up file out of an answer. A finding is about it where it names or quotes it and nothing real; that
 * proves that the round was read. One that does both stays with what is real of it, and proves nothing.
 */
export function takeOutPlant(
  answer: Pick<ReadAnswer, 'findings' | 'summary'>,
  plant: Plant,
  change: Change,
): TakenOut {
  const findPlaces = createLineIndex(change)
  const findings: ProposedFinding[] = []
  let isProven = false
  for (const finding of answer.findings) {
    const real = namesPlant(finding, plant) ? findReal(finding, plant, change, findPlaces) : finding
    if (real === undefined) isProven = true
    else findings.push(cleanWords(real, plant))
  }
  return { findings, summary: cleanSummary(answer.summary, plant, change), isProven }
}

/** A line of the change. */
type RealPlace = Pick<ProposedFinding, 'path' | 'side'> & {
  readonly line: number
  readonly text: string
}

/** The lines of the change that are such a line but for blanks. */
type FindPlaces = (squeezed: string) => readonly RealPlace[]

/** Shorter lines stand everywhere. */
const fewestTelling = 8

/** Reads the change when it is first asked for a line, which is seldom. */
function createLineIndex(change: Change): FindPlaces {
  let known: ReadonlyMap<string, readonly RealPlace[]> | undefined
  return (squeezed) => {
    known ??= Map.groupBy(change.files.flatMap(listPlaces), ({ text }) => squeeze(text))
    return known.get(squeezed) ?? []
  }
}

function listPlaces({ path, hunks }: FileDiff): RealPlace[] {
  return hunks.flatMap(({ lines }) =>
    lines.map(({ kind, text, oldLine, newLine }) => {
      const side = kind === 'deleted' ? 'LEFT' : 'RIGHT'
      return { path, side, line: (kind === 'deleted' ? oldLine : newLine) ?? 1, text }
    }),
  )
}

/** A line without what models add to it or get wrong: numbers and markers before it, blanks. */
function squeeze(line: string): string {
  return line.replace(/^\s*(?:\d+\s+)?[+-]?/, '').replace(/\s+/g, '')
}

function namesPlant({ path, quote }: ProposedFinding, plant: Plant): boolean {
  return path === plant.file.path || quote.split('\n').some((line) => isPlanted(line, plant))
}

/** Whether a line is one of the made-up file, and tells so. */
function isPlanted(line: string, plant: Plant): boolean {
  if (!mentions(line, plant)) return false
  const squeezed = squeeze(line)
  return plant.lines.some((own) => squeeze(own) === squeezed)
}

/** The finding at what it quotes or names of the change; undefined where that is nothing. */
function findReal(
  finding: ProposedFinding,
  plant: Plant,
  change: Change,
  findPlaces: FindPlaces,
): ProposedFinding | undefined {
  const own = new Set(plant.lines.map(squeeze))
  const quoted = finding.quote.split('\n').flatMap((line) => {
    const squeezed = squeeze(line)
    const found = own.has(squeezed) || squeezed.length < fewestTelling ? [] : findPlaces(squeezed)
    return found.find(({ path }) => path === finding.path) ?? found.slice(0, 1)
  })
  const [first] = quoted
  if (first) return moveTo(finding, first, quoted)
  const evidence = findEvidence(finding, plant, change)
  return evidence && moveTo(finding, evidence, [evidence])
}

function moveTo(
  finding: ProposedFinding,
  first: RealPlace,
  lines: readonly RealPlace[],
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
function findEvidence({ title, body, evidence }: ProposedFinding, plant: Plant, { files }: Change) {
  const said = [title, ...splitSentences(body)].filter((each) => !mentions(each, plant)).join('\n')
  for (const { path, line } of evidence) {
    if (!namesFile(said, path)) continue
    const places = files.filter((file) => file.path === path).flatMap(listPlaces)
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
function cleanWords(finding: ProposedFinding, plant: Plant): ProposedFinding {
  const { title, body, quote, suggestion, evidence } = finding
  return {
    ...finding,
    title: blurMentions(title, plant),
    body: dropMentions(body, plant),
    quote: mentions(quote, plant)
      ? quote
          .split('\n')
          .filter((line) => !mentions(line, plant))
          .join('\n')
      : quote,
    suggestion: suggestion !== null && mentions(suggestion, plant) ? null : suggestion,
    evidence: evidence.filter(({ path, note }) => !mentions(path, plant) && !mentions(note, plant)),
  }
}

/**
 * The summary's sentences that don't speak of the made-up file. What follows one that does may mean the same with other
 * words: within a line it stays only where it names a file of the change.
 */
function cleanSummary(summary: string, plant: Plant, { files }: Change): string {
  if (!mentions(summary, plant)) return summary
  let follows = false
  const kept = splitSentences(summary).filter((each) => {
    const isReal = files.some(({ path }) => namesFile(each, path))
    follows = mentions(each, plant) || (follows && !isReal)
    const isKept = !follows
    if (each.endsWith('\n')) follows = false
    return isKept
  })
  return kept.join('').trim()
}
