// Leads a model through all rounds of a change: halves what is too long, names what could not be looked at.
import { ModelError, type ModelErrorCode } from '../domain/errors.ts'
import type { Assignment, RoundReport } from './ask-for-findings.ts'
import { type CheckedRoundReport, reviewWithAttentionCheck } from './review-with-attention-check.ts'
import type { ContextRound, ContextSpan, PackedContext, ReviewerReport } from './reviewer.ts'

/** How often a round that is too long for the model is halved. */
const maxHalvings = 2

/** After these further calls would only fail in the same way. */
export const fatalErrorCodes: readonly ModelErrorCode[] = [
  'model_unauthorized',
  'model_misconfigured',
  'model_budget_spent',
  'model_rate_limited',
  'model_unavailable',
]

/** Reviews all rounds, one after the other. Throws `ModelError` when nothing came of any of them. */
export async function reviewRounds(
  assignment: Assignment,
  context: PackedContext,
  signal: AbortSignal,
): Promise<ReviewerReport> {
  const reports: CheckedRoundReport[] = []
  const notes: string[] = []
  const unread = new Set<string>()
  const waiting = context.rounds.map((round) => ({ round, halvings: 0 }))
  const failures: ModelError[] = []
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { round, halvings } = next
    try {
      const report = await reviewWithAttentionCheck(assignment, round, nameFiles([round]), signal)
      reports.push(report)
      if (report.failure) failures.push(report.failure)
      if (report.unreadReason === null) continue
      for (const path of listPaths([round])) unread.add(path)
      notes.push(
        `${describeFiles([round])} not reviewed by ${assignment.label}. ${report.unreadReason}`,
      )
    } catch (error) {
      if (!(error instanceof ModelError)) throw error
      const halves =
        error.code === 'model_context_overflow' && halvings < maxHalvings ? halve(round) : undefined
      if (halves !== undefined) {
        waiting.unshift(...halves.map((half) => ({ round: half, halvings: halvings + 1 })))
        continue
      }
      failures.push(error)
      const isFinal = fatalErrorCodes.includes(error.code)
      const missed = isFinal ? [round, ...waiting.splice(0).map((each) => each.round)] : [round]
      for (const path of listPaths(missed)) unread.add(path)
      notes.push(
        `${describeFiles(missed)} not reviewed by ${assignment.label}. ${error.publicMessage}`,
      )
    }
  }
  if (failures.length > 0 && reports.length === 0) throw failures[0]
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
    failures,
    complete:
      failures.length === 0 &&
      reports.every(({ complete, unreadReason: unproven }) => complete && unproven === null),
  }
}

/** What is to be said once about all rounds: which model stood in, and how much of what was proposed did not fit. */
function describeModelAnswers(
  { model, label: who }: Assignment,
  reports: readonly RoundReport[],
): string[] {
  const others = new Set(reports.flatMap((report) => report.answeredBy))
  others.delete(model.name)
  const dropped = reports.reduce((sum, report) => sum + report.dropped, 0)
  const standIns = [...others].map(
    (name) => `${name} stood in for ${model.name}, which was unavailable.`,
  )
  if (dropped === 0) return standIns
  const misfits =
    dropped === 1
      ? `1 proposal of ${who} did not fit and was`
      : `${dropped} proposals of ${who} did not fit and were`
  return [...standIns, `${misfits} dropped.`]
}

/** The files that rounds show, or something of them. */
export function listPaths(rounds: readonly ContextRound[]): Set<string> {
  return new Set(rounds.flatMap((round) => round.spans.flatMap((span) => span.path ?? [])))
}

function joinParagraphs(paragraphs: readonly string[]): string {
  return paragraphs.filter((paragraph) => paragraph !== '').join('\n\n')
}

/** A round in two of about the same size; what belongs to no file is in both. Undefined where there is one file only. */
function halve(round: ContextRound): ContextRound[] | undefined {
  const shared = round.spans.filter((span) => span.path === null)
  const own = round.spans.filter((span) => span.path !== null)
  if (own.length < 2) return undefined
  const total = sumTokens(own)
  let sum = 0
  let at = 0
  while (at < own.length - 1 && (at === 0 || sum + own[at]!.tokens <= total / 2))
    sum += own[at++]!.tokens
  return [own.slice(0, at), own.slice(at)].map((part) => {
    const spans = [...shared, ...part]
    return { ...round, spans, tokens: sumTokens(spans) }
  })
}

function sumTokens(spans: readonly ContextSpan[]): number {
  return spans.reduce((sum, span) => sum + span.tokens, 0)
}

function describeFiles(rounds: readonly ContextRound[]): string {
  const files = nameFiles(rounds)
  return `${files[0]!.toUpperCase()}${files.slice(1)} ${files.includes(', ') ? 'were' : 'was'}`
}

function nameFiles(rounds: readonly ContextRound[]): string {
  const paths = listPaths(rounds)
  if (paths.size === 0) return 'the change'
  const named = [...paths].slice(0, 5).map((path) => `\`${path}\``)
  return [...named, ...(paths.size > 5 ? [`${paths.size - 5} more files`] : [])].join(', ')
}
