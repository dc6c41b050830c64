// Renders the results of the setup checks for people or as JSON.

import { toSafeJson, toTerminalLine, wrapText } from '../../lib/terminal-text.ts'
import type { CheckResult } from '../../workflows/diagnose/check.ts'
import { createPaint, type Paint } from './pretty-report.ts'

const styles = { ok: 'green', warning: 'yellow', problem: 'red', skipped: 'dim' } as const
/** In the order in which they are shown, because what has to be fixed must not be overlooked. */
const states = ['problem', 'warning', 'ok', 'skipped'] as const
const countableStates: ReadonlySet<string> = new Set(['problem', 'warning'])
/** The indent makes place for the longest state and two spaces. */
const indent = 9
const maxWidth = 80
const minWidth = 30

export function renderDiagnosis(
  results: readonly CheckResult[],
  exitCode: number,
  format: 'pretty' | 'json',
): string {
  if (format === 'json') return renderJson(results, exitCode)
  const { columns = maxWidth } = process.stdout
  const width = Math.max(Math.min(columns, maxWidth), minWidth) - indent
  return renderPretty(results, width, createPaint(process.stdout))
}

function renderPretty(results: readonly CheckResult[], width: number, paint: Paint): string {
  const lines = states
    .flatMap((state) => results.filter((result) => result.state === state))
    .flatMap((result) => renderResult(result, width, paint))
  const counts = states
    .map((state) => ({ state, count: results.filter((result) => result.state === state).length }))
    .filter(({ count }) => count > 0)
    .map(({ state, count }) => {
      const isPlural = countableStates.has(state) && count > 1
      return `${count} ${state}${isPlural ? 's' : ''}`
    })
  return `${[...lines, '', counts.join(', ')].join('\n')}\n`
}

function renderResult(
  { name, state, message, remedy }: CheckResult,
  width: number,
  paint: Paint,
): string[] {
  const [first = '', ...rest] = wrapText(`${name}: ${toTerminalLine(message)}`, width)
  const advice = remedy === undefined ? [] : wrapText(`- ${toTerminalLine(remedy)}`, width)
  const below = [...rest, ...advice.map((line) => paint('bold', line))]
  return [
    `${paint(styles[state], state.padEnd(indent))}${first}`,
    ...below.map((line) => ' '.repeat(indent) + line),
  ]
}

function renderJson(results: readonly CheckResult[], exitCode: number): string {
  const checks = results.map(({ name, state, message, remedy, unreachable }) => ({
    name,
    state,
    message,
    remedy: remedy ?? null,
    unreachable: unreachable ?? false,
  }))
  return `${toSafeJson({ schema_version: 1, exit_code: exitCode, checks }, 2)}\n`
}
