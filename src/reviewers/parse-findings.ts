// Reads what a model answered as findings: what fits is kept, what doesn't is named.
import { z } from 'zod'
import {
  compareBySeverity,
  findingCategories,
  type ProposedFinding,
  severities,
} from '../domain/finding.ts'
import { describeProblems, type ModelAnswer } from '../models/index.ts'
import { hasEscapedCharacter, unescapeInvisible } from './prompts/prompt-fence.ts'
import type { Change, Citable } from './reviewer.ts'

/** More than a person reads. */
export const maxFindings = 50
/** More are not even looked at: what is wrong with each takes work and room. */
const maxParsedFindings = 500
/** No file that is reviewed has more lines. */
const maxLine = 1_000_000

// No ranges and no optional keys: that is what all providers take as a shape.
const findingSchema = z.object({
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
  rests_on: z.string().nullable(),
})

/** What is taken for a finding: none is lost for saying nothing, or nonsense, about what it rests on. */
const lenientFindingSchema = findingSchema.extend({ rests_on: z.string().nullish().catch(null) })

/** The shape demanded of the answer. */
export const answerSchema = z.object({ summary: z.string(), findings: z.array(findingSchema) })

const looseAnswerSchema = z.object({
  summary: z.string().catch(''),
  findings: z.array(z.unknown()),
})

/** What an answer holds. */
export interface ParsedAnswer {
  readonly summary: string
  readonly findings: readonly ProposedFinding[]
  /** Findings as they came that don't fit, and what is wrong with them, one sentence each. */
  readonly invalid: readonly unknown[]
  readonly problems: readonly string[]
  /** Proposals that weren't looked at, for there were too many. */
  readonly surplus: number
}

/**
 * Reads an answer. What stands between other words may be quoted from the change, and says by itself neither that
 * there is nothing to find nor that the change was looked at.
 *
 * @param citable what the model was shown under a name: it can cite nothing else
 * @param answer its JSON is the object asked for, or where it stands alone the bare list of findings
 * @returns undefined where it is neither, or stands between other words and holds no finding that fits
 */
export function parseFindings(
  { json, isWholeText: alone }: Pick<ModelAnswer, 'json' | 'isWholeText'>,
  change: Change,
  reviewer: string,
  citable: readonly Citable[] = [],
): ParsedAnswer | undefined {
  const isList =
    alone && Array.isArray(json) && json.every((item) => z.object({}).safeParse(item).success)
  const loose = looseAnswerSchema.safeParse(isList ? { findings: json } : json)
  if (!loose.success) return undefined
  const findings: ProposedFinding[] = []
  const misfits: unknown[] = []
  const problems: string[] = []
  for (const [index, raw] of loose.data.findings.slice(0, maxParsedFindings).entries()) {
    const read = parseFinding(raw, change, reviewer, citable)
    if (Array.isArray(read)) {
      misfits.push(raw)
      problems.push(...read.map((problem) => `findings.${index}: ${problem}`))
    } else findings.push(read)
  }
  if (!alone && findings.length === 0) return undefined
  const surplus = Math.max(0, loose.data.findings.length - maxParsedFindings)
  return { summary: loose.data.summary, findings, invalid: misfits, problems, surplus }
}

/** As many findings as people read, the most severe where there are more. */
export function keepMostSevere(findings: readonly ProposedFinding[]): readonly ProposedFinding[] {
  return findings.length > maxFindings
    ? findings.toSorted(compareBySeverity).slice(0, maxFindings)
    : findings
}

/**
 * Whether a text is one answer without findings, with mistakes or with words around it. Only then may a corrected
 * answer have none: out of a refusal, or of several answers, no review without findings may come.
 */
export function isEmptyAnswer(text: string): boolean {
  const at = text.indexOf('"findings"')
  if (at === -1 || at !== text.lastIndexOf('"findings"')) return false
  return (
    /^[ \t]*\{/m.test(text.slice(0, at)) &&
    /^"findings"\s*:\s*\[\s*\]\s*\}?[ \t]*(?:\r?\n|$)/.test(text.slice(at))
  )
}

/** One finding, or what is wrong with it. */
function parseFinding(
  raw: unknown,
  change: Change,
  reviewer: string,
  citable: readonly Citable[],
): ProposedFinding | string[] {
  const parsed = lenientFindingSchema.safeParse(raw)
  if (!parsed.success) return describeProblems(parsed.error)
  const { start_line: startLine, end_line: endLine, rests_on: cited, ...said } = parsed.data
  const path = findPath(said.path, said.side, change)
  const problems = [
    ...(path === undefined
      ? [`path ${JSON.stringify(said.path.slice(0, 200))} is not a file of the change`]
      : []),
    ...checkLines(startLine, endLine),
    ...(said.title.trim() === '' ? ['title is empty'] : []),
  ]
  if (path === undefined || problems.length > 0) return problems
  const ground = citable.find(({ name }) => name === cited?.trim())?.citation
  return {
    reviewer,
    rule: null,
    path,
    side: said.side,
    startLine,
    endLine,
    quote: unescapeInvisible(said.quote).slice(0, 4000),
    severity: said.severity,
    category: said.category,
    title: said.title.trim().slice(0, 300),
    body: said.body.slice(0, 8000),
    // Nobody is to commit invisible characters with one click.
    suggestion:
      said.suggestion === null || hasEscapedCharacter(said.suggestion)
        ? null
        : said.suggestion.slice(0, 8000),
    evidence: said.evidence.slice(0, 10).map((each) => ({ ...each, path: trimPath(each.path) })),
    ...(ground && { citation: ground }),
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
  const paths = [said, trimPath(said)].map(unescapeInvisible)
  const file =
    change.files.find((candidate) => paths.includes(candidate.path)) ??
    change.files.find(
      (candidate) =>
        (side === 'LEFT' || candidate.status === 'renamed') && paths.includes(candidate.oldPath),
    )
  return file?.path
}

function trimPath(path: string): string {
  return path.replace(/^(\.\/|[ab]\/|\/)/, '')
}
