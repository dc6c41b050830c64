// Renders what `umpire eval` measured.
import { toSnakeCase } from '../../contract/records.ts'
import { toSafeJson, toTerminalLine } from '../../lib/terminal-text.ts'
import { formatCount } from '../../lib/text.ts'
import type { EvaluatedChange } from '../evaluation/evaluate-change.ts'
import type { Estimate, EvaluationSummary } from '../evaluation/summarize-evaluation.ts'

export interface Evaluation {
  /** It is null if only the rules reviewed. */
  readonly model: string | null
  readonly tolerance: number
  readonly summary: EvaluationSummary
  readonly changes: readonly EvaluatedChange[]
  /** Changes that could not be reviewed. */
  readonly failures: readonly {
    readonly repository: string
    readonly head: string
    readonly reason: string
  }[]
}

export function renderEvaluation(evaluation: Evaluation, format: 'pretty' | 'json'): string {
  if (format === 'pretty') return renderPretty(evaluation)
  const { summary, changes } = evaluation
  const document = {
    schema_version: 1,
    ...toSnakeCase(evaluation),
    summary: { ...toSnakeCase(summary), usage: toSnakeCase(summary.usage) },
    changes: changes.map((change) => ({ ...change, usage: toSnakeCase(change.usage) })),
  }
  return `${toSafeJson(document, 2)}\n`
}

function renderPretty({ model, tolerance, summary, failures }: Evaluation): string {
  const { recall, precision, falseAlarms, chance } = summary
  const lines = [
    `${formatCount(summary.changes, 'change')} reviewed by ${model ?? 'rules only'}` +
      `, ${summary.incomplete} of them in part`,
    ...failures.map(({ repository, head, reason }) =>
      toTerminalLine(`not reviewed: ${repository} ${head.slice(0, 7)}: ${reason}`),
    ),
    '',
    `Expected places found            ${formatShare(recall)}`,
    `Findings at an expected place    ${formatShare(precision)}`,
    `  random changed lines           ${formatPercent(chance)}`,
    `Findings in a clean change       ${formatMean(falseAlarms)}`,
    `Planted defects not reported     ${formatAttention(summary)}`,
    `Cost                             ${formatCost(summary)}`,
    `Time of a change                 ${formatTime(summary)}`,
    '',
    `A finding is at a place if it is up to ${formatCount(tolerance, 'line')} away. ` +
      'In parentheses: counts, and the 95% confidence interval.',
  ]
  return `${lines.join('\n')}\n`
}

function formatPercent(value: number | null): string {
  return value === null ? 'none' : `${(value * 100).toFixed(1)}%`
}

function formatShare({ value, count, of, low, high }: Estimate): string {
  if (value === null) return 'none'
  const interval = `${formatPercent(low)} to ${formatPercent(high)}`
  return `${formatPercent(value)} (${count} of ${of}; ${interval})`
}

function formatMean({ value, count, of, low, high }: Estimate): string {
  if (value === null) return 'none: the corpus has no clean changes'
  const interval = `${low!.toFixed(2)} to ${high!.toFixed(2)}`
  return `${value.toFixed(2)} (${count} in ${of}; ${interval})`
}

function formatAttention({ attention: { shown, missed } }: EvaluationSummary): string {
  if (shown === 0) return 'none: no model was asked'
  return `${formatPercent(missed / shown)} (${missed} of ${shown})`
}

function formatCost({ usage, changes }: EvaluationSummary): string {
  const tokens = `${usage.inputTokens} tokens in, ${usage.outputTokens} out`
  if (usage.costUsd === null) return `unknown price; ${tokens}`
  const each = changes === 0 ? 0 : usage.costUsd / changes
  return `$${usage.costUsd.toFixed(2)}, $${each.toFixed(4)} a change; ${tokens}`
}

function formatTime({ secondsMedian, secondsP90 }: EvaluationSummary): string {
  if (secondsMedian === null || secondsP90 === null) return 'none'
  return `median ${secondsMedian.toFixed(1)} s, p90 ${secondsP90.toFixed(1)} s`
}
