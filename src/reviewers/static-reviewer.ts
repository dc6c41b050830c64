// The reviewer that needs no model: rules about known classes of mistakes, on the added lines only.

import { isTestPath, languageOfPath } from '../code/languages.ts'
import type { FileDiff } from '../domain/diff.ts'
import { type ProposedFinding, severities } from '../domain/finding.ts'
import { ownerOf } from '../domain/pull-request.ts'
import { noUsage } from '../domain/review.ts'
import { createSemaphore } from '../lib/semaphore.ts'
import { ThreadPool } from '../lib/thread-pool.ts'
import { type Change, listReviewedFiles, type Reviewer, type ReviewerReport } from './reviewer.ts'
import { checkFiles } from './rules/check-files.ts'
import { checkManifests } from './rules/check-manifests.ts'
import { readImportedModules } from './rules/imported-functions.ts'
import { checkLines } from './rules/line-rules.ts'
import { toProposedFinding } from './rules/propose-finding.ts'
import type { RuleFinding } from './rules/rule.ts'
import { isScript, type RuleFileKind, ruleFileKindOf } from './rules/rule-file-kind.ts'
import type { RuleWorkerRequest, RuleWorkerResult } from './rules/rule-worker.ts'

/** Larger files are written by programs, not by people. */
const maxFileBytes = 512 * 1024
/** What the rules of one review parse at most: more would keep the threads from other reviews for minutes. */
const maxParsed = { files: 1_000, bytes: 16 * 1024 * 1024 }
const overParseLimit =
  'the change is too large for the rules to parse all of it: searched as text only'
/** Files in memory at a time: a few more than threads, so that none of them waits. */
const maxConcurrentFiles = 4
/** No line that people write is longer; a rule that reads a line reads no more of it. */
const maxLineLength = 2_000
/** More than a person reads; the rest is counted, least severe first. */
const maxFindingsPerFile = 100
const maxFindingsPerReview = 500

export interface StaticReviewerOptions {
  /** Ids of rules that are switched off. */
  readonly disabledRules?: readonly string[]
  /** Threads for parsing, at most; default 2. */
  readonly threads?: number
  /** Time to parse and check one file, in milliseconds; default 2,000. */
  readonly fileDeadlineMs?: number
  /** How much longer before the thread itself is ended, in milliseconds; default 1,000. */
  readonly graceMs?: number
  /** What is parsed for one review at most; default 1,000 files and 16 MB. */
  readonly maxParsed?: { readonly files: number; readonly bytes: number }
}

export interface StaticReviewer extends Reviewer, AsyncDisposable {
  /** Starts a thread ahead of the first review, which will be of such files where they are known. */
  warmUp(paths?: readonly string[]): void
}

type RuleWorkers = ThreadPool<RuleWorkerRequest, RuleWorkerResult>

/** What reviewing a file takes. */
interface FileReviewContext {
  readonly workers: RuleWorkers
  readonly disabled: ReadonlySet<string>
  readonly read: BudgetedRead
}

/** What a file came to. */
interface FileReport {
  readonly path: string
  /** The worst of those that were found. */
  readonly findings: readonly ProposedFinding[]
  readonly found: number
  readonly note: string | undefined
  /** Why no more than its text was read; undefined where its rules read it. */
  readonly textOnly: string | undefined
}

/**
 * Makes the static reviewer. It reads only the added lines and the head version of the files they are in, asks no
 * network, and never throws but for an aborted signal: a file that can't be read or parsed in time is named in
 * `notes` and makes the report incomplete, and so do those beyond what is parsed of one change. Of too many findings the worst are kept and the others counted in `notes`;
 * that leaves the report complete, for all was looked at, but their files are `unread`: what isn't reported of them
 * may still be there. Dispose of it to end its threads.
 */
export function createStaticReviewer(options: StaticReviewerOptions = {}): StaticReviewer {
  const workers: RuleWorkers = new ThreadPool({
    module: new URL('./rules/rule-worker.ts', import.meta.url),
    threads: options.threads ?? 2,
    deadlineMs: options.fileDeadlineMs ?? 2_000,
    graceMs: options.graceMs ?? 1_000,
  })
  return {
    name: 'static',
    async review(change, _context, signal): Promise<ReviewerReport> {
      signal.throwIfAborted()
      const files = listReviewedFiles(change)
      const disabled = new Set([...(options.disabledRules ?? []), ...change.settings.disabledRules])
      const slots = createSemaphore(maxConcurrentFiles)
      const read = createReadBudget(options.maxParsed ?? maxParsed)
      const reports = await Promise.all(
        files.map(async (file) => {
          const release = await slots.acquire()
          return reviewFile(change, file, { workers, disabled, read }, signal).finally(release)
        }),
      )
      const known = await runGraphRules(change, disabled)
      const ofManifests = await checkManifests(change, disabled, signal)
      signal.throwIfAborted()
      const findings = [...known.findings, ...ofManifests, ...checkFiles(change, disabled)]
      return { ...summarizeReports(addFindings(reports, findings)), skippedRules: known.idle }
    },
    warmUp(paths = []) {
      const like = paths
        .map((path) => ({ path, kind: ruleFileKindOf(path) }))
        .find(({ kind }) => kind !== undefined)
      workers.warmUp(
        like?.kind && { path: like.path, kind: like.kind, text: '', addedLines: [], imported: [] },
      )
    },
    [Symbol.asyncDispose]: () => workers[Symbol.asyncDispose](),
  }
}

/** What the code graph shows to be wrong, and the rules that had none to look at. */
async function runGraphRules(
  change: Change,
  disabled: ReadonlySet<string>,
): Promise<{ findings: readonly ProposedFinding[]; idle: readonly string[] }> {
  const { graph, earlier } = change
  const hasGraph = graph !== null && graph.commit !== null
  // The command line has neither, and is spared the rules.
  if (!hasGraph && earlier.findings.length === 0) return { findings: [], idle: [] }
  const { checkGraph, graphRules } = await import('./rules/check-graph.ts')
  if (!hasGraph) return { findings: [], idle: graphRules.map(({ id }) => id) }
  return { findings: await checkGraph(change, graph, disabled), idle: [] }
}

/** The reports with findings more, also of files of which there was none. */
function addFindings(
  reports: readonly FileReport[],
  findings: readonly ProposedFinding[],
): FileReport[] {
  const byPath = Map.groupBy(findings, ({ path }) => path)
  const nothing = { findings: [], found: 0, note: undefined, textOnly: undefined }
  const known = new Set(reports.map(({ path }) => path))
  const others = [...byPath.keys()]
    .filter((path) => !known.has(path))
    .map((path) => ({ path, ...nothing }))
  return [...reports, ...others].map((report) => {
    const more = byPath.get(report.path) ?? []
    return { ...report, findings: [...report.findings, ...more], found: report.found + more.length }
  })
}

function summarizeReports(reports: readonly FileReport[]): ReviewerReport {
  const findings = keepWorst(
    reports.flatMap((report) => report.findings),
    maxFindingsPerReview,
  )
  const kept = new Map<string, number>()
  for (const { path } of findings) kept.set(path, (kept.get(path) ?? 0) + 1)
  const surplus = reports.reduce((sum, report) => sum + report.found, 0) - findings.length
  const missed = reports.flatMap(({ note }) => (note === undefined ? [] : [note]))
  const isLeftOut = ({ textOnly }: FileReport) => textOnly === overParseLimit
  const isWhole = (report: FileReport) =>
    report.note === undefined && !isLeftOut(report) && report.found === (kept.get(report.path) ?? 0)
  return {
    findings,
    summary: '',
    usage: noUsage,
    notes: surplus === 0 ? missed : [...missed, describeSurplus(surplus)],
    unread: reports.filter((report) => !isWhole(report)).map(({ path }) => path),
    readByRules: reports.filter(({ textOnly }) => textOnly === undefined).map(({ path }) => path),
    textOnly: reports.flatMap(({ path, textOnly }) =>
      textOnly === undefined ? [] : [{ path, reason: textOnly }],
    ),
    complete: missed.length === 0 && !reports.some(isLeftOut),
  }
}

function describeSurplus(count: number): string {
  const found =
    count === 1 ? '1 more place that is not shown' : `${count} more places that are not shown`
  return `The rules found ${found}: of a file the worst ${maxFindingsPerFile} are, of a review the worst ${maxFindingsPerReview}.`
}

/** The most severe of the findings, among equals those on earlier lines; in the order in which they came. */
function keepWorst<T extends Pick<RuleFinding, 'severity' | 'startLine'>>(
  findings: readonly T[],
  most: number,
): T[] {
  if (findings.length <= most) return [...findings]
  const rank = (finding: T) => severities.indexOf(finding.severity)
  const sorted = findings.toSorted(
    (one, other) => rank(one) - rank(other) || one.startLine - other.startLine,
  )
  const kept = new Set(sorted.slice(0, most))
  return findings.filter((finding) => kept.has(finding))
}

async function reviewFile(
  change: Change,
  file: FileDiff,
  means: FileReviewContext,
  signal: AbortSignal,
): Promise<FileReport> {
  signal.throwIfAborted()
  const added = addedLines(file)
  const isTest = isTestPath(file.path)
  const inLines = checkLines(file.path, added, isTest)
  const kind = ruleFileKindOf(file.path)
  const parsed = await checkSyntax(change, file, { kind, added }, means, signal)
  // Tests do on purpose what would be a mistake elsewhere; a hole is one everywhere.
  const inSyntax = isTest
    ? parsed.found.filter(({ category }) => category === 'security')
    : parsed.found
  const found = [...inLines, ...inSyntax]
    .filter((finding) => !means.disabled.has(finding.rule))
    .sort((one, other) => one.startLine - other.startLine)
  const findings = keepWorst(found, maxFindingsPerFile).map((finding) =>
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

/** Text of the added lines by their number at the head, without a CR at the end. */
function addedLines(file: FileDiff): Map<number, string> {
  const added = new Map<number, string>()
  for (const hunk of file.hunks) {
    for (const line of hunk.lines) {
      if (line.kind === 'added') added.set(line.newLine!, trimLine(line.text, line.newLine === 1))
    }
  }
  return added
}

/** Without a CR at the end, and the first line without a byte order mark, which decoding takes away too. */
function trimLine(text: string, isFirst: boolean): string {
  const line = text.endsWith('\r') ? text.slice(0, -1) : text
  return isFirst && line.startsWith('\ufeff') ? line.slice(1) : line
}

interface SyntaxReport {
  readonly found: readonly RuleFinding[]
  readonly note: string | undefined
  readonly textOnly: string | undefined
}

/** Reads a file, unless the review has read as much as it may. */
type BudgetedRead = (
  read: () => Promise<Uint8Array | undefined>,
) => Promise<Uint8Array | 'beyond' | undefined>

/** One file after the other, so that the same ones are left out whenever the change is reviewed. */
function createReadBudget({ files, bytes }: { files: number; bytes: number }): BudgetedRead {
  const turns = createSemaphore(1)
  let left = { files, bytes }
  return async (read) => {
    const release = await turns.acquire()
    try {
      if (left.files <= 0 || left.bytes <= 0) return 'beyond'
      const content = await read()
      left = { files: left.files - 1, bytes: left.bytes - (content?.byteLength ?? 0) }
      return content
    } finally {
      release()
    }
  }
}

/** The report on a file whose syntax no rule reads. */
function describeUnsupported(path: string): SyntaxReport {
  const language = languageOfPath(path)
  const what = language === undefined ? 'this kind of file' : language.name
  return { found: [], note: undefined, textOnly: `no rules for ${what}: searched as text only` }
}

async function checkSyntax(
  change: Change,
  file: FileDiff,
  { kind, added }: { kind: RuleFileKind | undefined; added: ReadonlyMap<number, string> },
  { workers, read }: FileReviewContext,
  signal: AbortSignal,
): Promise<SyntaxReport> {
  if (kind === undefined) return describeUnsupported(file.path)
  // What goes missing is the matter of the rules on the code graph, which don't read this file.
  if (added.size === 0) return { found: [], note: undefined, textOnly: undefined }
  const unread = (reason: string) => ({
    found: [],
    textOnly: `the rules did not read it: ${reason}`,
    note: `The rules did not read ${JSON.stringify(file.path)}: ${reason}.`,
  })
  let bytes: Uint8Array | 'beyond' | undefined
  try {
    bytes = await read(() => change.head.readFile(file.path, { maxBytes: maxFileBytes }))
  } catch {
    return unread('it is larger than 512 KB or could not be read')
  }
  signal.throwIfAborted()
  if (bytes === 'beyond') return { found: [], note: undefined, textOnly: overParseLimit }
  if (!bytes) return unread('it is not a regular file at the head')
  const text = new TextDecoder().decode(bytes)
  const lines = text.split(/\r?\n/)
  const numbers = [...added.keys()].filter((number) => lines[number - 1] === added.get(number))
  // A line that isn't found would be one that no rule looks at.
  if (numbers.length < added.size) return unread('the diff and the file at the head differ')
  const imported = isScript(kind)
    ? await readImportedModules(
        file.path,
        text,
        numbers.map((number) => added.get(number)!.slice(0, maxLineLength)),
        change.head,
      )
    : []
  signal.throwIfAborted()
  const request = { path: file.path, kind, text, addedLines: numbers, imported }
  const result = await workers.run(request, { tenant: ownerOf(change.pullRequest.repo) })
  if (result.outcome === 'done') {
    const { findings, unparsed } = result.result
    const textOnly = unparsed ? 'not parsed where changed: searched as text only there' : undefined
    return { found: findings, note: undefined, textOnly }
  }
  return unread(
    result.outcome === 'too_slow'
      ? 'it took too long to parse'
      : 'it could not be parsed or checked',
  )
}
