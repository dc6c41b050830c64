// Proposes what other tools found in a change, as their SARIF logs say it.
import { type Change, listReviewedFiles } from '../domain/change.ts'
import type { DiffLine, FileDiff } from '../domain/diff.ts'
import { compareBySeverity, type ProposedFinding } from '../domain/finding.ts'
import { settingsAt } from '../domain/repository-settings.ts'
import { noUsage } from '../domain/review.ts'
import { formatCount } from '../lib/text.ts'
import type { Reviewer, ReviewerReport } from './reviewer.ts'
import { rules } from './rules/index.ts'
import { toProposedFinding } from './rules/propose-finding.ts'
import type { ToolResult } from './sarif/read-sarif.ts'

/** Further findings of a tool, the least severe ones, are only counted. */
const maxFindings = 100
/** Results about longer ranges, such as a whole function, count only where they begin. */
const maxRangeLines = 20
const maxTitleLength = 200
/** Our rules by their ids, and by those of the rules of other tools that find the same. */
const ownRules = new Map(
  rules.flatMap(({ id, seeAlso = [] }) =>
    [id, ...seeAlso.flatMap((text) => /`([^`]+)`/.exec(text)?.[1] ?? [])].map((name) => [name, id]),
  ),
)

export interface ToolLogs {
  readonly head: readonly ToolResult[]
  /** What the tools found before the change; null if that isn't known. */
  readonly base: readonly ToolResult[] | null
}

/**
 * Makes a reviewer for each tool. It proposes what the change brings in: results on added lines, or
 * with the results for the base, those that the base doesn't have. Nothing counts as read by it.
 */
export function createToolReviewers({ head, base }: ToolLogs): Reviewer[] {
  const tools = Map.groupBy(head, ({ tool }) => tool)
  return [...tools].map(([tool, results]) => ({
    name: tool,
    async review(change, _context, signal): Promise<ReviewerReport> {
      signal.throwIfAborted()
      const ofBase = base?.filter((result) => result.tool === tool) ?? null
      const findings = proposeFindings(change, results, ofBase).toSorted(compareBySeverity)
      const surplus = findings.length - maxFindings
      const left = `${formatCount(surplus, 'finding')} of ${tool}`
      return {
        findings: findings.slice(0, maxFindings),
        summary: '',
        usage: noUsage,
        notes: surplus > 0 ? [`Not shown: ${left}, beyond the most severe ${maxFindings}.`] : [],
        unread: [],
        readByRules: [],
        complete: true,
      }
    },
  }))
}

function proposeFindings(
  change: Change,
  results: readonly ToolResult[],
  ofBase: readonly ToolResult[] | null,
): ProposedFinding[] {
  const headByPath = groupByPath(results)
  const baseByPath = ofBase && groupByPath(ofBase)
  return listReviewedFiles(change).flatMap((file) => {
    const { disabledRules } = settingsAt(change.settings, file.path)
    const enabled = findOfFile(headByPath, file.path).filter(
      ({ rule }) => !disabledRules.includes(rule),
    )
    const lines = file.hunks.flatMap((hunk) => hunk.lines)
    const added = byNewLine(lines.filter(({ kind }) => kind === 'added'))
    if (baseByPath === null) return enabled.flatMap((result) => toFindings(result, file, added))
    const known = countEqual(findOfFile(baseByPath, file.oldPath))
    const shown = byNewLine(lines.filter(({ kind }) => kind !== 'deleted'))
    // Which of several equal results is new isn't known: first those on unchanged lines are old.
    const isAdded = ({ startLine }: ToolResult) => Number(added.has(startLine))
    return enabled
      .toSorted((a, b) => isAdded(a) - isAdded(b))
      .filter((result) => !takeOne(known, toKey(result)))
      .flatMap((result) => toFindings(result, file, shown))
  })
}

function groupByPath(results: readonly ToolResult[]): Map<string, ToolResult[]> {
  return Map.groupBy(results, ({ path }) => path)
}

function byNewLine(lines: readonly DiffLine[]): Map<number, string> {
  return new Map(lines.map(({ newLine, text }) => [newLine!, text]))
}

/** Tools that run elsewhere name files from the root of that machine. */
function findOfFile(
  byPath: ReadonlyMap<string, readonly ToolResult[]>,
  path: string,
): readonly ToolResult[] {
  return [...byPath].flatMap(([reported, results]) =>
    reported === path || (reported.startsWith('/') && reported.endsWith(`/${path}`)) ? results : [],
  )
}

/** Lines move between the sides of a change, so equal results have equal texts. */
function toKey({ rule, message }: ToolResult): string {
  return JSON.stringify([rule, message])
}

function countEqual(results: readonly ToolResult[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const result of results) counts.set(toKey(result), (counts.get(toKey(result)) ?? 0) + 1)
  return counts
}

function takeOne(counts: Map<string, number>, key: string): boolean {
  const count = counts.get(key) ?? 0
  counts.set(key, count - 1)
  return count > 0
}

/** Returns the finding of a result on these lines; empty if it has none there. */
function toFindings(
  { tool, rule, severity, category, confidence, message, helpUrl, ...range }: ToolResult,
  { path }: FileDiff,
  texts: ReadonlyMap<number, string>,
): ProposedFinding[] {
  const isLong = range.endLine - range.startLine >= maxRangeLines
  const last = isLong ? range.startLine : range.endLine
  const inside = [...texts.keys()].filter((line) => line >= range.startLine && line <= last)
  if (inside.length === 0) return []
  const [title, rest] = splitMessage(message)
  const name = rule.slice(rule.indexOf('/') + 1)
  const source = `Reported by ${tool}: ${helpUrl === null ? name : `[${name}](${helpUrl})`}.`
  const finding = {
    rule,
    startLine: inside[0]!,
    endLine: inside.at(-1)!,
    severity,
    category,
    confidence,
    title,
    body: rest === '' ? source : `${rest}\n\n${source}`,
    suggestion: null,
    evidence: [],
  }
  const proposed = toProposedFinding(finding, { path, side: 'RIGHT', texts })
  // `js/eval`, `eslint(no-eval)`
  const sameAs = ownRules.get(/[\w-]+(?=\W*$)/.exec(name)?.[0] ?? '')
  return [{ ...proposed, reviewer: tool, ...(sameAs !== undefined && { sameAs }) }]
}

/** Splits a message into its first sentence, without the period, and the rest. */
function splitMessage(message: string): readonly [string, string] {
  const [sentence = ''] = /^.*?(?=\.\s|\.?$)/m.exec(message) ?? []
  if (sentence.length <= maxTitleLength)
    return [sentence, message.slice(sentence.length).replace(/^\./, '').trim()]
  return [`${sentence.slice(0, maxTitleLength)}…`, message]
}
