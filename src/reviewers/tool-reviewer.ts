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

/** All tools share them. Further findings, the least severe ones of a tool, are only counted. */
const maxFindings = 100
/** A stranger's results could be made up to crowd out others. */
const maxFindingsOfStrangers = 20
/** Results about longer ranges, such as a whole function, count only where they begin. */
const maxRangeLines = 20
const maxTitleLength = 200
/** Our rules by their ids, and by those of the rules of other tools that find the same. */
const ownRules = new Map(
  rules.flatMap(({ id, seeAlso = [] }) =>
    [id, ...seeAlso.flatMap((text) => /`([^`]+)`/.exec(text)?.[1] ?? [])].map((name) => [name, id]),
  ),
)

export interface BaseResults {
  readonly results: readonly ToolResult[]
  /** Whether they are about another commit of the base branch than the old side of the diff. */
  readonly isOther: boolean
}

/** What tools found according to logs of one origin, such as code scanning. */
export interface ToolLogs {
  readonly head: readonly ToolResult[]
  /** Returns what a tool found before the change; null if that isn't known. */
  baseOf(tool: string): BaseResults | null
}

/**
 * Makes a reviewer for each tool of each origin. It proposes what the change brings in: results on
 * added lines, or with the results for the base, those that the base doesn't have. Nothing counts
 * as read by it, and no earlier finding is resolved because it isn't in the logs: they may be
 * incomplete.
 *
 * @param origins the findings of each one come before those of later ones if there are too many
 * @param isStrangers whether the author of the change may have made up the results, as in a fork
 */
export function createToolReviewers(
  origins: readonly ToolLogs[],
  isStrangers: boolean,
): Reviewer[] {
  const groups = origins.map(({ baseOf, head }) =>
    [...Map.groupBy(head, ({ tool }) => tool)].map(([tool, results]) => ({
      tool,
      propose: once((change) =>
        proposeFindings(change, results, baseOf(tool)).toSorted(compareBySeverity),
      ),
    })),
  )
  const share = once((change) => {
    const counts = groups.map((tools) => tools.map(({ propose }) => propose(change).length))
    return divide(isStrangers ? maxFindingsOfStrangers : maxFindings, counts)
  })
  return groups.flatMap((tools, origin) =>
    tools.map(({ propose, tool }, at) => ({
      name: tool,
      async review(change, _context, signal): Promise<ReviewerReport> {
        signal.throwIfAborted()
        const maximum = share(change)[origin]![at]!
        const proposed = propose(change)
        const shown = proposed.slice(0, maximum)
        const surplus = proposed.length - shown.length
        const left = `${formatCount(surplus, 'finding')} of ${tool}`
        const rest = maximum > 0 ? `, beyond the most severe ${maximum}` : ''
        return {
          findings: isStrangers ? shown.map(distrust) : shown,
          summary: '',
          usage: noUsage,
          notes: surplus > 0 ? [`Not shown: ${left}${rest}.`] : [],
          unread: [],
          readByRules: [],
          skippedRules: change.earlier.findings.flatMap(({ reviewer, rule }) =>
            reviewer === tool && rule !== null ? [rule] : [],
          ),
          complete: true,
        }
      },
    })),
  )
}

/** Remembers what a function returns for each change. */
function once<T>(compute: (change: Change) => T): (change: Change) => T {
  const known = new WeakMap<Change, { readonly value: T }>()
  return (change) => {
    const found = known.get(change) ?? { value: compute(change) }
    known.set(change, found)
    return found.value
  }
}

/** Divides the places between the tools of the first origin, then what is left between the next. */
function divide(places: number, origins: readonly (readonly number[])[]): number[][] {
  let free = places
  return origins.map((counts) => {
    const shares = new Map<number, number>()
    // Tools with few findings leave their places to the others.
    const bySize = counts.map((count, at) => ({ count, at })).sort((a, b) => a.count - b.count)
    for (const [done, { at, count }] of bySize.entries()) {
      const share = Math.min(count, Math.ceil(free / (counts.length - done)))
      shares.set(at, share)
      free -= share
    }
    return counts.map((_, at) => shares.get(at)!)
  })
}

/** A stranger's claims come after others of their severity, and never block as critical ones. */
function distrust(finding: ProposedFinding): ProposedFinding {
  const severity = finding.severity === 'critical' ? 'moderate' : finding.severity
  const confidence = Math.min(finding.confidence, 0.5)
  return { ...finding, severity, confidence, isStrangers: true }
}

function proposeFindings(
  change: Change,
  results: readonly ToolResult[],
  base: BaseResults | null,
): ProposedFinding[] {
  const headByPath = groupByPath(results)
  const baseByPath = base && groupByPath(base.results)
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
    // The difference may be one of the base branch, so that only added lines count.
    const relevant = base?.isOther ? added : shown
    return enabled
      .toSorted((a, b) => isAdded(a) - isAdded(b))
      .filter((result) => !takeOne(known, toKey(result)))
      .flatMap((result) => toFindings(result, file, relevant))
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
  return [...byPath].flatMap(([reported, results]) => (isPathOf(reported, path) ? results : []))
}

/** Whether a tool reported about a file of the repository. */
export function isPathOf(reported: string, path: string): boolean {
  return reported === path || (reported.startsWith('/') && reported.endsWith(`/${path}`))
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
