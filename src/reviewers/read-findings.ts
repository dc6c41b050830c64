// Reads what a model answered as findings: what fits is kept, what doesn't is named.
import { z } from 'zod'
import { findingCategories, type ProposedFinding, severities } from '../domain/finding.ts'
import { describeProblems } from '../models/index.ts'
import { holdsShown, restoreInvisible } from './prompts/untrusted-block.ts'
import type { Change } from './reviewer.ts'

/** More than a person reads; the rest is dropped, least severe first. */
export const maxFindings = 50
/** No file that is reviewed has more lines. */
const maxLine = 1_000_000

// No ranges and no optional keys: that is what all providers take as a shape.
const findingShape = z.object({
  path: z.string(),
  side: z.enum(['RIGHT', 'LEFT']),
  start_line: z.number(),
  end_line: z.number(),
  quote: z.string(),
  severity: z.enum(severities),
  category: z.enum(findingCategories),
  title: z.string(),
  body: z.string(),
  suggestion: z.string().nullable(),
  evidence: z.array(z.object({ path: z.string(), line: z.number(), note: z.string() })),
  confidence: z.number(),
})

/** The shape demanded of the answer. */
export const answerShape = z.object({ summary: z.string(), findings: z.array(findingShape) })

const looseAnswer = z.object({ summary: z.string().catch(''), findings: z.array(z.unknown()) })

/** What an answer holds. */
export interface ReadAnswer {
  readonly summary: string
  readonly findings: readonly ProposedFinding[]
  /** Findings as they came that don't fit, and what is wrong with them, one sentence each. */
  readonly misfits: readonly unknown[]
  readonly problems: readonly string[]
  /** Findings that fit but were too many. */
  readonly surplus: number
}

/**
 * Reads an answer.
 *
 * @param json the answer's JSON: the object asked for, or the bare list of findings
 * @returns undefined where it is neither
 */
export function readAnswer(json: unknown, change: Change, reviewer: string): ReadAnswer | undefined {
  const loose = looseAnswer.safeParse(Array.isArray(json) ? { findings: json } : json)
  if (!loose.success) return undefined
  const findings: ProposedFinding[] = []
  const misfits: unknown[] = []
  const problems: string[] = []
  for (const [index, raw] of loose.data.findings.entries()) {
    const read = readFinding(raw, change, reviewer)
    if (Array.isArray(read)) {
      misfits.push(raw)
      problems.push(...read.map((problem) => `findings.${index}: ${problem}`))
    } else findings.push(read)
  }
  const kept = findings.length > maxFindings ? findings.sort(bySeverity).slice(0, maxFindings) : findings
  return { summary: loose.data.summary, findings: kept, misfits, problems, surplus: findings.length - kept.length }
}

function bySeverity(a: ProposedFinding, b: ProposedFinding): number {
  return severities.indexOf(a.severity) - severities.indexOf(b.severity) || b.confidence - a.confidence
}

/** One finding, or what is wrong with it. */
function readFinding(raw: unknown, change: Change, reviewer: string): ProposedFinding | string[] {
  const parsed = findingShape.safeParse(raw)
  if (!parsed.success) return describeProblems(parsed.error)
  const { start_line: startLine, end_line: endLine, ...said } = parsed.data
  const path = findPath(said.path, said.side, change)
  const problems = [
    ...(path === undefined ? [`path ${JSON.stringify(said.path.slice(0, 200))} is not a file of the change`] : []),
    ...checkLines(startLine, endLine),
    ...(said.title.trim() === '' ? ['title is empty'] : []),
  ]
  if (path === undefined || problems.length > 0) return problems
  return {
    reviewer,
    rule: null,
    path,
    side: said.side,
    startLine,
    endLine,
    quote: restoreInvisible(said.quote).slice(0, 4000),
    severity: said.severity,
    category: said.category,
    title: said.title.trim().slice(0, 300),
    body: said.body.slice(0, 8000),
    // Nobody is to commit invisible characters with one click.
    suggestion: said.suggestion === null || holdsShown(said.suggestion) ? null : said.suggestion.slice(0, 8000),
    evidence: said.evidence.slice(0, 10).map((each) => ({ ...each, path: trimPath(each.path) })),
    confidence: Math.min(1, Math.max(0, said.confidence)),
  }
}

function checkLines(start: number, end: number): string[] {
  const isLine = (line: number) => Number.isInteger(line) && line >= 1 && line <= maxLine
  if (!isLine(start)) return [`start_line ${start} is not a line`]
  if (!isLine(end)) return [`end_line ${end} is not a line`]
  return start > end ? [`start_line ${start} is after end_line ${end}`] : []
}

/** The change's own spelling of a path; models add the prefixes of diffs and the old name of a renamed file. */
function findPath(said: string, side: 'LEFT' | 'RIGHT', change: Change): string | undefined {
  const paths = [said, trimPath(said)].map(restoreInvisible)
  const file =
    change.files.find((candidate) => paths.includes(candidate.path)) ??
    change.files.find((candidate) => side === 'LEFT' && paths.includes(candidate.oldPath))
  return file?.path
}

function trimPath(path: string): string {
  return path.replace(/^(\.\/|[ab]\/|\/)/, '')
}
