// Parses a model's answer as findings, and lists the invalid ones.
import { z } from 'zod'
import { type Change, findByBaseName } from '../domain/change.ts'
import {
  compareBySeverity,
  findingCategories,
  type ProposedFinding,
  severities,
} from '../domain/finding.ts'
import { describeProblems, type ModelAnswer } from '../models/index.ts'
import type { Citable } from './packed-context.ts'
import { hasEscapedCharacter, unescapeInvisible } from './prompts/prompt-fence.ts'

/** People don't read more findings. */
export const maxFindings = 50
/** Further findings are ignored, because the errors of each take time and memory. */
const maxParsedFindings = 500
const maxLine = 1_000_000
const maxChars = { path: 200, quote: 4000, title: 300, body: 8000, suggestion: 8000 } as const
const maxEvidence = 10

// Some providers accept no ranges and no optional keys in a schema.
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

/** Accepts findings with a missing or invalid citation, so that none is lost for it. */
const lenientFindingSchema = findingSchema.extend({ rests_on: z.string().nullish().catch(null) })

export const answerSchema = z.object({ summary: z.string(), findings: z.array(findingSchema) })

const looseAnswerSchema = z.object({
  summary: z.string().catch(''),
  findings: z.array(z.unknown()),
})

export interface ParsedAnswer {
  readonly summary: string
  readonly findings: readonly ProposedFinding[]
  /** The findings that don't match the schema or the change. */
  readonly invalid: readonly unknown[]
  /** What is wrong with the invalid findings, one sentence each. */
  readonly problems: readonly string[]
  /** The number of findings that were ignored, because there were too many. */
  readonly surplus: number
}

/**
 * Parses an answer: an object with findings or, when JSON is the whole text, a list of findings.
 * JSON within a text may be quoted from the change, so it doesn't prove that nothing was found.
 *
 * @param citable the entries that findings can cite, by the names that the model was given
 * @returns undefined for other JSON, and for JSON within a text that has no valid finding
 */
export function parseFindings(
  { json, isWholeText }: Pick<ModelAnswer, 'json' | 'isWholeText'>,
  change: Change,
  reviewer: string,
  citable: readonly Citable[] = [],
): ParsedAnswer | undefined {
  const isList =
    isWholeText && Array.isArray(json) && json.every((item) => z.object({}).safeParse(item).success)
  const loose = looseAnswerSchema.safeParse(isList ? { findings: json } : json)
  if (!loose.success) return undefined
  const findings: ProposedFinding[] = []
  const invalid: unknown[] = []
  const problems: string[] = []
  for (const [index, raw] of loose.data.findings.slice(0, maxParsedFindings).entries()) {
    const result = parseFinding(raw, change, reviewer, citable)
    if (Array.isArray(result)) {
      invalid.push(raw)
      problems.push(...result.map((problem) => `findings.${index}: ${problem}`))
    } else findings.push(result)
  }
  if (!isWholeText && findings.length === 0) return undefined
  const surplus = Math.max(0, loose.data.findings.length - maxParsedFindings)
  return { summary: loose.data.summary, findings, invalid, problems, surplus }
}

/** Drops the least severe findings above the limit. */
export function keepMostSevere(findings: readonly ProposedFinding[]): readonly ProposedFinding[] {
  return findings.length > maxFindings
    ? findings.toSorted(compareBySeverity).slice(0, maxFindings)
    : findings
}

/**
 * Whether a text contains exactly one answer, without findings. Only then may a repaired answer be
 * empty: a refusal, or several answers, must not become a review without findings.
 */
export function isEmptyAnswer(text: string): boolean {
  const start = text.indexOf('"findings"')
  if (start === -1 || start !== text.lastIndexOf('"findings"')) return false
  const hasObjectStart = /^[ \t]*\{/m.test(text.slice(0, start))
  const emptyList = /^"findings"\s*:\s*\[\s*\]\s*\}?[ \t]*(?:\r?\n|$)/
  return hasObjectStart && emptyList.test(text.slice(start))
}

/** Returns the finding, or a list of what is wrong with it. */
function parseFinding(
  raw: unknown,
  change: Change,
  reviewer: string,
  citable: readonly Citable[],
): ProposedFinding | string[] {
  const parsed = lenientFindingSchema.safeParse(raw)
  if (!parsed.success) return describeProblems(parsed.error)
  const { start_line: startLine, end_line: endLine, rests_on: citedName, ...fields } = parsed.data
  const path = findPath(fields.path, fields.side, change)
  const problems = checkLines(startLine, endLine)
  if (path === undefined) {
    const quotedPath = JSON.stringify(fields.path.slice(0, maxChars.path))
    problems.unshift(`path ${quotedPath} is not a file of the change`)
  }
  if (fields.title.trim() === '') problems.push('title is empty')
  if (path === undefined || problems.length > 0) return problems
  const citation = citable.find(({ name }) => name === citedName?.trim())?.citation
  return {
    reviewer,
    rule: null,
    path,
    side: fields.side,
    startLine,
    endLine,
    quote: unescapeInvisible(fields.quote).slice(0, maxChars.quote),
    severity: fields.severity,
    category: fields.category,
    title: fields.title.trim().slice(0, maxChars.title),
    body: fields.body.slice(0, maxChars.body),
    suggestion: cleanSuggestion(fields.suggestion),
    evidence: fields.evidence
      .slice(0, maxEvidence)
      .map((each) => ({ ...each, path: trimPath(each.path) })),
    ...(citation && { citation }),
    confidence: Math.min(1, Math.max(0, fields.confidence)),
  }
}

/** Drops a suggestion with invisible characters, because people commit suggestions unread. */
function cleanSuggestion(suggestion: string | null): string | null {
  if (suggestion === null || hasEscapedCharacter(suggestion)) return null
  return suggestion.slice(0, maxChars.suggestion)
}

function checkLines(start: number, end: number): string[] {
  const isLine = (line: number) => Number.isInteger(line) && line >= 1 && line <= maxLine
  if (!isLine(start)) return [`start_line ${start} is not a line`]
  if (!isLine(end)) return [`end_line ${end} is not a line`]
  return start > end ? [`start_line ${start} is after end_line ${end}`] : []
}

/**
 * Finds the changed file; models add the prefixes of diffs, and use the old names of files. A path
 * with a wrong folder is kept: whether it means a changed file depends on the quote.
 */
function findPath(given: string, side: 'LEFT' | 'RIGHT', change: Change): string | undefined {
  const paths = [given, trimPath(given)].map(unescapeInvisible)
  const file =
    change.files.find((candidate) => paths.includes(candidate.path)) ??
    change.files.find(
      (candidate) =>
        (side === 'LEFT' || candidate.status === 'renamed') && paths.includes(candidate.oldPath),
    )
  if (file !== undefined) return file.path
  const misnamed = paths.at(-1)!
  return findByBaseName(change.files, misnamed) && misnamed.slice(0, maxChars.path)
}

function trimPath(path: string): string {
  return path.replace(/^(\.\/|[ab]\/|\/)/, '')
}
