// Has a model review all rounds of a change, and splits rounds that are too long.
import { ModelError, type ModelErrorCode } from '../domain/errors.ts'
import type { Assignment, RoundReport } from './ask-for-findings.ts'
import type { ContextRound, ContextSpan, PackedContext } from './packed-context.ts'
import {
  addAttention,
  type CheckedRoundReport,
  reviewWithAttentionCheck,
} from './review-with-attention-check.ts'
import type { ReviewerReport } from './reviewer.ts'

/** Limits how often a round that is too long for the model is split in half. */
const maxHalvings = 2
const maxNamedFiles = 5

/** After one of these errors, further calls would fail in the same way. */
export const fatalErrorCodes: readonly ModelErrorCode[] = [
  'model_unauthorized',
  'model_misconfigured',
  'model_budget_spent',
  'model_rate_limited',
  'model_unavailable',
]

interface WaitingRound {
  readonly round: ContextRound
  /** How often it was split already. */
  readonly halvings: number
}

/** Reviews all rounds in sequence. Throws `ModelError` when all of them failed. */
export async function reviewRounds(
  assignment: Assignment,
  context: PackedContext,
  signal: AbortSignal,
): Promise<ReviewerReport> {
  const reports: PlacedReport[] = []
  const notes: string[] = []
  const unread = new Set<string>()
  const waiting = context.rounds.map((round): WaitingRound => ({ round, halvings: 0 }))
  const failures: ModelError[] = []
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { round } = next
    try {
      const report = await reviewWithAttentionCheck(assignment, round, nameFiles([round]), signal)
      reports.push({ ...report, paths: listPaths([round]) })
      if (report.failure) failures.push(report.failure)
      if (report.unreadReason === null) continue
      for (const path of listPaths([round])) unread.add(path)
      notes.push(
        `${describeFiles([round])} not reviewed by ${assignment.label}. ${report.unreadReason}`,
      )
    } catch (error) {
      if (!(error instanceof ModelError)) throw error
      const halves = splitAfterOverflow(error, next)
      if (halves !== undefined) {
        waiting.unshift(...halves)
        continue
      }
      failures.push(error)
      const missed = [round]
      if (fatalErrorCodes.includes(error.code))
        missed.push(...waiting.splice(0).map((each) => each.round))
      for (const path of listPaths(missed)) unread.add(path)
      notes.push(
        `${describeFiles(missed)} not reviewed by ${assignment.label}. ${error.publicMessage}`,
      )
    }
  }
  if (failures.length > 0 && reports.length === 0) throw failures[0]
  return mergeReports(assignment, reports, { notes, unread, failures })
}

interface PlacedReport extends CheckedRoundReport {
  /** The files of the round. */
  readonly paths: ReadonlySet<string>
}

interface RoundFailures {
  readonly notes: readonly string[]
  readonly unread: ReadonlySet<string>
  readonly failures: readonly ModelError[]
}

function mergeReports(
  assignment: Assignment,
  reports: readonly PlacedReport[],
  { notes, unread, failures }: RoundFailures,
): ReviewerReport {
  const { model } = assignment
  const unsettled = reports.filter(
    ({ complete, dropped, answeredBy }) =>
      !complete || dropped > 0 || answeredBy.some((name) => name !== model.name),
  )
  return {
    findings: reports.flatMap((report) => report.findings),
    summary: joinParagraphs(reports.map((report) => report.summary)),
    usage: assignment.budget.usage,
    notes: [
      ...reports.flatMap((report) => report.notes),
      ...describeModelAnswers(assignment, reports),
      ...notes,
    ],
    unread: [...unread],
    unsettled: unsettled.flatMap(({ paths }) => [...paths]),
    attention: addAttention(reports.map((report) => report.attention)),
    failures,
    complete:
      failures.length === 0 &&
      reports.every(({ complete, unreadReason }) => complete && unreadReason === null),
  }
}

/** Notes about all rounds: which models stood in, and how many proposals were dropped. */
function describeModelAnswers(
  { model, label }: Assignment,
  reports: readonly RoundReport[],
): string[] {
  const others = new Set(reports.flatMap((report) => report.answeredBy))
  others.delete(model.name)
  const dropped = reports.reduce((sum, report) => sum + report.dropped, 0)
  const standIns = [...others].map(
    (name) => `${name} stood in for ${model.name}, which was unavailable.`,
  )
  if (dropped === 0) return standIns
  const note =
    dropped === 1
      ? `1 proposal of ${label} did not fit and was dropped.`
      : `${dropped} proposals of ${label} did not fit and were dropped.`
  return [...standIns, note]
}

/** Lists the files of which rounds show at least a part. */
export function listPaths(rounds: readonly ContextRound[]): Set<string> {
  return new Set(rounds.flatMap((round) => round.spans.flatMap((span) => span.path ?? [])))
}

function joinParagraphs(paragraphs: readonly string[]): string {
  return paragraphs.filter((paragraph) => paragraph !== '').join('\n\n')
}

/** Splits a round that was too long for the model; undefined for other errors, and at the limit. */
function splitAfterOverflow(
  { code }: ModelError,
  { round, halvings }: WaitingRound,
): WaitingRound[] | undefined {
  if (code !== 'model_context_overflow' || halvings >= maxHalvings) return undefined
  return halve(round)?.map((half) => ({ round: half, halvings: halvings + 1 }))
}

/**
 * Splits the files of a round in two parts of similar size. Spans of no file are in both.
 * Returns undefined when there is only one file.
 */
function halve(round: ContextRound): ContextRound[] | undefined {
  const shared = round.spans.filter((span) => span.path === null)
  const ofFiles = round.spans.filter((span) => span.path !== null)
  if (ofFiles.length < 2) return undefined
  const half = sumTokens(ofFiles) / 2
  let firstTokens = ofFiles[0]!.tokens
  let middle = 1
  while (middle < ofFiles.length - 1 && firstTokens + ofFiles[middle]!.tokens <= half) {
    firstTokens += ofFiles[middle]!.tokens
    middle += 1
  }
  return [ofFiles.slice(0, middle), ofFiles.slice(middle)].map((part) => {
    const spans = [...shared, ...part]
    return { ...round, spans, tokens: sumTokens(spans) }
  })
}

function sumTokens(spans: readonly ContextSpan[]): number {
  return spans.reduce((sum, span) => sum + span.tokens, 0)
}

function describeFiles(rounds: readonly ContextRound[]): string {
  const files = nameFiles(rounds)
  const verb = files.includes(', ') ? 'were' : 'was'
  return `${files[0]!.toUpperCase()}${files.slice(1)} ${verb}`
}

function nameFiles(rounds: readonly ContextRound[]): string {
  const paths = listPaths(rounds)
  if (paths.size === 0) return 'the change'
  const names = [...paths].slice(0, maxNamedFiles).map((path) => `\`${path}\``)
  if (paths.size > maxNamedFiles) names.push(`${paths.size - maxNamedFiles} more files`)
  return names.join(', ')
}
