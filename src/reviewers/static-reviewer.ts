// The reviewer without a model: runs rules on the added lines of a change.

import { sourceKindOf } from '../code/indexing/source-kind.ts'
import type { ReviewParser, SourceText, SyntaxParser } from '../code/syntax-parser.ts'
import { type Change, listReviewedFiles } from '../domain/change.ts'
import type { FileDiff } from '../domain/diff.ts'
import { type ProposedFinding, severities } from '../domain/finding.ts'
import { settingsAt } from '../domain/repository-settings.ts'
import { noUsage } from '../domain/review.ts'
import { searchedLanguageOfPath } from '../languages/index.ts'
import { languageOfPath } from '../languages/linguist.ts'
import { isTestPath } from '../languages/test-paths.ts'
import { createLimiter } from '../lib/semaphore.ts'
import type { Reviewer, ReviewerReport } from './reviewer.ts'
import type { AsyncFunction } from './rules/async-callees.ts'
import { checkChange, checkFiles } from './rules/check-files.ts'
import { checkFormats } from './rules/check-formats.ts'
import { checkManifests } from './rules/check-manifests.ts'
import { readImportedModules } from './rules/imported-functions.ts'
import type {
  AsyncExportsInspection,
  FileFindings,
  FindingsInspection,
} from './rules/inspect-file.ts'
import { checkLines } from './rules/line-rules.ts'
import { toProposedFinding } from './rules/propose-finding.ts'
import type { IsDisabled, RuleFinding } from './rules/rule.ts'
import { ruleFileKindOf } from './rules/rule-file-kind.ts'

/** Larger files are usually generated. */
const maxFileBytes = 512 * 1024
/** Limits what one review parses, because parsing more would delay other reviews for minutes. */
const maxParsed = { files: 1_000, bytes: 16 * 1024 * 1024 }
const overParseLimit =
  'the change is too large for the rules to parse all of it: searched as text only'
/** Limits what one review reads of unchanged modules that changed scripts import. */
const maxImported = { files: 200, bytes: 8 * 1024 * 1024 }
/** A few more files than threads, so that no thread waits for a file. */
const maxConcurrentFiles = 4
/** Nobody finds a place in longer lines. Only critical findings are reported there. */
const maxLineLength = 1_000
/** Further findings, the least severe ones, are only counted. */
const maxFindingsPerFile = 100
const maxFindingsPerReview = 500

interface StaticReviewerOptions {
  /** Ids of rules that are turned off. */
  readonly disabledRules?: readonly string[]
  /** Limits of what is parsed for one review; default 1,000 files and 16 MB. */
  readonly maxParsed?: { readonly files: number; readonly bytes: number }
}

interface FileReviewContext {
  readonly syntax: SyntaxParser
  readonly isDisabled: IsDisabled
  readonly read: BudgetedRead
  readonly readImported: BudgetedRead
}

interface FileReport {
  readonly path: string
  /** Contains only the most severe findings. */
  readonly findings: readonly ProposedFinding[]
  /** Counts all findings, also those that are left out. */
  readonly found: number
  readonly note: string | undefined
  /** Why the file was only searched as text; undefined when it was parsed. */
  readonly textOnly: string | undefined
}

/**
 * Makes the static reviewer. It reads the added lines and their files at the head, without network.
 * It throws only when the signal is aborted.
 *
 * The report is incomplete when files could not be read or parsed in time, or exceeded `maxParsed`.
 * Above the limit of findings it stays complete, but the files of dropped findings are `unread`.
 *
 * @param syntax a parser that `createRuleParser` made
 */
export function createStaticReviewer(
  syntax: SyntaxParser,
  options: StaticReviewerOptions = {},
): Reviewer {
  return {
    name: 'static',
    async review(change, _context, signal): Promise<ReviewerReport> {
      signal.throwIfAborted()
      const files = listReviewedFiles(change)
      const isDisabled: IsDisabled = (rule, path) =>
        options.disabledRules?.includes(rule) === true ||
        settingsAt(change.settings, path).disabledRules.includes(rule)
      const limit = createLimiter(maxConcurrentFiles)
      const context = {
        syntax,
        isDisabled,
        read: createReadBudget(options.maxParsed ?? maxParsed),
        readImported: createReadBudget(maxImported),
      }
      const [searched, ...reports] = await Promise.all([
        checkChange(change, isDisabled),
        ...files.map((file) => limit(() => reviewFile(change, file, context, signal))),
      ])
      const graphRules = await runGraphRules(change, syntax, isDisabled)
      const manifestFindings = await checkManifests(change, isDisabled, signal)
      signal.throwIfAborted()
      const findings = [
        ...graphRules.findings,
        ...manifestFindings,
        ...checkFiles(change, isDisabled),
        ...searched,
      ]
      const report = summarizeReports(addFindings(reports, findings))
      return { ...report, skippedRules: graphRules.skipped }
    },
  }
}

/**
 * Runs the rules on the code graph. `skipped` has the ids of the rules that may have missed
 * something: without a graph, common names are not searched.
 */
async function runGraphRules(
  change: Change,
  syntax: SyntaxParser,
  isDisabled: IsDisabled,
): Promise<{ findings: readonly ProposedFinding[]; skipped: readonly string[] }> {
  const { graph, earlier } = change
  const hasGraph = graph !== null && graph.commit !== null
  const isReadable = graph !== null && (hasGraph || graph.isSearched)
  // Loading the rules takes time.
  if (!isReadable && earlier.findings.length === 0) return { findings: [], skipped: [] }
  const { checkGraph, graphRules } = await import('./rules/check-graph.ts')
  return {
    findings: isReadable ? await checkGraph(change, graph, syntax, isDisabled) : [],
    skipped: hasGraph ? [] : graphRules.map(({ id }) => id),
  }
}

/** Adds findings to the reports of their files, and reports for files without one. */
function addFindings(
  reports: readonly FileReport[],
  findings: readonly ProposedFinding[],
): FileReport[] {
  const byPath = Map.groupBy(findings, ({ path }) => path)
  const emptyReport = { findings: [], found: 0, note: undefined, textOnly: undefined }
  const reportedPaths = new Set(reports.map(({ path }) => path))
  const others = [...byPath.keys()]
    .filter((path) => !reportedPaths.has(path))
    .map((path) => ({ path, ...emptyReport }))
  return [...reports, ...others].map((report) => {
    const added = byPath.get(report.path) ?? []
    return {
      ...report,
      findings: [...report.findings, ...added],
      found: report.found + added.length,
    }
  })
}

function summarizeReports(reports: readonly FileReport[]): ReviewerReport {
  const findings = keepMostSevere(
    reports.flatMap((report) => report.findings),
    maxFindingsPerReview,
  )
  const reportedCounts = new Map<string, number>()
  for (const { path } of findings) reportedCounts.set(path, (reportedCounts.get(path) ?? 0) + 1)
  const surplus = reports.reduce((sum, report) => sum + report.found, 0) - findings.length
  const notes = reports.flatMap(({ note }) => (note === undefined ? [] : [note]))
  const isOverLimit = ({ textOnly }: FileReport) => textOnly === overParseLimit
  const isComplete = (report: FileReport) =>
    report.note === undefined &&
    !isOverLimit(report) &&
    report.found === (reportedCounts.get(report.path) ?? 0)
  return {
    findings,
    summary: '',
    usage: noUsage,
    notes: surplus === 0 ? notes : [...notes, describeSurplus(surplus)],
    unread: reports.filter((report) => !isComplete(report)).map(({ path }) => path),
    readByRules: reports.filter(({ textOnly }) => textOnly === undefined).map(({ path }) => path),
    textOnly: reports.flatMap(({ path, textOnly }) =>
      textOnly === undefined ? [] : [{ path, reason: textOnly }],
    ),
    complete: notes.length === 0 && !reports.some(isOverLimit),
  }
}

function describeSurplus(count: number): string {
  const subject = count === 1 ? '1 finding of the rules is' : `${count} findings of the rules are`
  return (
    `${subject} not shown: the limits are the most severe ${maxFindingsPerFile} of a file ` +
    `and ${maxFindingsPerReview} of a review.`
  )
}

/** Keeps the most severe findings, among equals those on earlier lines, in their given order. */
function keepMostSevere<T extends Pick<RuleFinding, 'severity' | 'startLine'>>(
  findings: readonly T[],
  limit: number,
): T[] {
  if (findings.length <= limit) return [...findings]
  const rank = (finding: T) => severities.indexOf(finding.severity)
  const sorted = findings.toSorted(
    (one, other) => rank(one) - rank(other) || one.startLine - other.startLine,
  )
  const kept = new Set(sorted.slice(0, limit))
  return findings.filter((finding) => kept.has(finding))
}

async function reviewFile(
  change: Change,
  file: FileDiff,
  context: FileReviewContext,
  signal: AbortSignal,
): Promise<FileReport> {
  signal.throwIfAborted()
  const added = listAddedLines(file)
  const isTest = isTestPath(file.path)
  const lineFindings = checkLines(file, added, isTest)
  const formatFindings = await checkFormats(file)
  const parsed = await checkSyntax(change, file, added, context, signal)
  // Tests do on purpose what is a mistake elsewhere, but most security problems are everywhere.
  const codeFindings = [...formatFindings, ...parsed.found].filter(
    ({ category, isHarmlessInTests }) => !isTest || (category === 'security' && !isHarmlessInTests),
  )
  const found = firstOfEachLine([...lineFindings, ...codeFindings])
    .filter((finding) => !context.isDisabled(finding.rule, file.path))
    .sort((one, other) => one.startLine - other.startLine)
  const findings = keepMostSevere(found, maxFindingsPerFile).map((finding) =>
    toProposedFinding(finding, { path: file.path, side: 'RIGHT', texts: added }),
  )
  return {
    path: file.path,
    findings,
    found: found.length,
    note: parsed.note,
    textOnly: parsed.textOnly,
  }
}

/** Keeps one finding of a rule on each line: its checks of text and of code can find the same. */
function firstOfEachLine(findings: readonly RuleFinding[]): RuleFinding[] {
  const keyOf = ({ rule, startLine }: RuleFinding) => `${rule}:${startLine}`
  return [...new Map(findings.toReversed().map((finding) => [keyOf(finding), finding])).values()]
}

/** Lists the texts of the added lines by their number at the head. */
function listAddedLines(file: FileDiff): Map<number, string> {
  const added = new Map<number, string>()
  for (const hunk of file.hunks) {
    for (const line of hunk.lines) {
      if (line.kind === 'added') added.set(line.newLine!, trimLine(line.text, line.newLine === 1))
    }
  }
  return added
}

/** Removes a CR at the end, and the byte order mark, which decoding removes from the file too. */
function trimLine(text: string, isFirst: boolean): string {
  const line = text.endsWith('\r') ? text.slice(0, -1) : text
  return isFirst && line.startsWith('\ufeff') ? line.slice(1) : line
}

interface SyntaxReport {
  readonly found: readonly RuleFinding[]
  readonly note: string | undefined
  readonly textOnly: string | undefined
}

/** Reads a file, or returns `over_limit` when the review has read as much as it may. */
type BudgetedRead = (
  read: () => Promise<Uint8Array | undefined>,
) => Promise<Uint8Array | 'over_limit' | undefined>

/** Reads in sequence, so that repeated reviews of a change leave out the same files. */
function createReadBudget({ files, bytes }: { files: number; bytes: number }): BudgetedRead {
  const inSequence = createLimiter(1)
  const remaining = { files, bytes }
  return (read) =>
    inSequence(async () => {
      if (remaining.files <= 0 || remaining.bytes <= 0) return 'over_limit'
      const content = await read()
      remaining.files -= 1
      remaining.bytes -= content?.byteLength ?? 0
      return content
    })
}

function reportUnsupported(path: string): SyntaxReport {
  const fileKind = languageOfPath(path)?.name ?? 'this kind of file'
  const textOnly = `no rules for ${fileKind}: searched as text only`
  return { found: [], note: undefined, textOnly }
}

function reportUnread(path: string, reason: string): SyntaxReport {
  return {
    found: [],
    textOnly: `the rules did not read it: ${reason}`,
    note: `The rules did not read ${JSON.stringify(path)}: ${reason}.`,
  }
}

/** Runs the syntax rules. Files that they only search for dangers don't count as read by them. */
async function checkSyntax(
  change: Change,
  file: FileDiff,
  added: ReadonlyMap<number, string>,
  context: FileReviewContext,
  signal: AbortSignal,
): Promise<SyntaxReport> {
  const searched = searchedLanguageOfPath(file.path)?.language
  if (!searched) return readSyntax(change, file, added, context, signal)
  const { found } = await readSyntax(change, file, added, context, signal)
  const textOnly = `few rules for ${searched.names[0]}: searched for known dangers only`
  return { found, note: undefined, textOnly }
}

async function readSyntax(
  change: Change,
  { path }: FileDiff,
  added: ReadonlyMap<number, string>,
  context: FileReviewContext,
  signal: AbortSignal,
): Promise<SyntaxReport> {
  const kind = ruleFileKindOf(path)
  if (kind === undefined) return reportUnsupported(path)
  // Deleted lines are checked by the rules on the code graph, which don't read this file.
  if (added.size === 0) return { found: [], note: undefined, textOnly: undefined }
  let bytes: Uint8Array | 'over_limit' | undefined
  try {
    bytes = await context.read(() => change.head.readFile(path, { maxBytes: maxFileBytes }))
  } catch {
    return reportUnread(path, 'it is larger than 512 KB or could not be read')
  }
  signal.throwIfAborted()
  if (bytes === 'over_limit') return { found: [], note: undefined, textOnly: overParseLimit }
  if (bytes === undefined) return reportUnread(path, 'it is not a regular file at the head')
  const text = new TextDecoder().decode(bytes)
  const inspection = chooseInspection(text, added)
  if (inspection === undefined)
    return reportUnread(path, 'the diff and the file at the head differ')
  const file = { path, text, kind: kind === 'workflow' ? null : kind }
  const findings = await findWithImports(change, file, inspection, context)
  if (typeof findings === 'string') return reportUnread(path, findings)
  const isReported = ({ severity, startLine }: RuleFinding) =>
    severity === 'critical' || (added.get(startLine) ?? '').length <= maxLineLength
  const found = findings.findings.filter(isReported)
  const isMinified = found.length < findings.findings.length
  return { found, note: undefined, textOnly: describeTextOnly(findings.unparsed, isMinified) }
}

function describeTextOnly(isUnparsed: boolean, isMinified: boolean): string | undefined {
  if (isUnparsed) return 'not parsed where changed: searched as text only there'
  return isMinified ? 'minified where changed: searched for critical problems only' : undefined
}

/** Undefined if an added line isn't in the file, because no rule would check it. */
function chooseInspection(
  text: string,
  added: ReadonlyMap<number, string>,
): FindingsInspection | undefined {
  const lines = text.split(/\r?\n/)
  const isSame = [...added].every(([number, line]) => lines[number - 1] === line)
  return isSame ? { want: 'findings', addedLines: [...added.keys()], modules: [] } : undefined
}

/**
 * Has the rules check a file; again if what they find depends on async functions of other modules.
 *
 * @returns the reason for which there are no findings, as a clause
 */
async function findWithImports(
  change: Change,
  file: SourceText,
  inspection: FindingsInspection,
  { syntax, readImported }: FileReviewContext,
): Promise<FileFindings | string> {
  const findings = await inspect(syntax, file, inspection)
  if (typeof findings === 'string' || findings.unread.length === 0) return findings
  const head: Parameters<typeof readImportedModules>[2] = {
    async readFile(path, options) {
      const bytes = await readImported(() => change.head.readFile(path, options))
      return bytes === 'over_limit' ? undefined : bytes
    },
  }
  const listAsyncExports = async (path: string, text: string) => {
    const kind = sourceKindOf(path) ?? null
    const wanted: AsyncExportsInspection = { want: 'async exports' }
    const { outcome, ...answer } = await syntax.inspect({ path, text, kind }, wanted)
    return outcome === 'done' ? (answer as { result: readonly AsyncFunction[] }).result : []
  }
  const modules = await readImportedModules(file.path, findings.unread, head, listAsyncExports)
  return modules.length === 0 ? findings : inspect(syntax, file, { ...inspection, modules })
}

async function inspect(
  syntax: SyntaxParser,
  file: SourceText,
  inspection: FindingsInspection,
): Promise<FileFindings | string> {
  const inspected = await syntax.inspect(file, inspection)
  if (inspected.outcome === 'done') return inspected.result as FileFindings
  return inspected.outcome === 'too_slow'
    ? 'it took too long to parse'
    : 'it could not be parsed or checked'
}

/** Announces to a parser which inspections will follow for the files of a change. */
export function expectInspections(syntax: ReviewParser, change: Change): void {
  const files = new Map(listReviewedFiles(change).map((file) => [file.path, file]))
  syntax.expect((path, text) => {
    const file = files.get(path)
    const added = file && ruleFileKindOf(path) !== undefined ? listAddedLines(file) : undefined
    return added && added.size > 0 ? chooseInspection(text, added) : undefined
  })
}
