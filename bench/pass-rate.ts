// Measures the share of merged pull requests with complete coverage, with and without a model.
import { parseArgs } from 'node:util'
import { createSyntaxParser } from '../src/code/syntax-parser.ts'
import type { Change } from '../src/domain/change.ts'
import { noUsage } from '../src/domain/review.ts'
import type { PackedContext } from '../src/reviewers/packed-context.ts'
import type { ReviewerReport } from '../src/reviewers/reviewer.ts'
import { measureCoverage } from '../src/workflows/measure-coverage.ts'
import { loadTokenCounter, packContext } from '../src/workflows/pack-context.ts'
import { createStaticReviewer } from '../test/samples/static-reviewer.ts'
import { findRepositories, readMergedPullRequests } from './static-changes.ts'

const { values } = parseArgs({
  options: {
    repositories: { type: 'string' },
    changes: { type: 'string', default: '10' },
    /** Prints the unread files of each change. */
    verbose: { type: 'boolean', default: false },
  },
})
if (values.repositories === undefined)
  throw new Error('No repositories. Pass --repositories <folder of bare repositories>.')

/** A judgment without findings, so that only coverage decides. */
const noFindings = { dropped: {}, setAside: [], notes: [] } as unknown as Parameters<
  typeof measureCoverage
>[3]
/** The defaults of the configuration. */
const budget = { tokensPerRound: 48_000, maxRounds: 4 }

await using reviewer = createStaticReviewer()
await using syntax = createSyntaxParser()
const countTokens = await loadTokenCounter()
const emptyContext: PackedContext = { rounds: [], omitted: [] }

/** A model that passes every attention check. */
const attentiveReport: ReviewerReport & { reviewer: string } = {
  ...{ reviewer: 'model', findings: [], summary: '', usage: { ...noUsage, calls: 1 }, notes: [] },
  ...{ unread: [], complete: true },
}

async function measureCoverages(change: Change) {
  const rules = await reviewer.review(change, emptyContext, AbortSignal.timeout(600_000))
  const report = { ...rules, reviewer: 'static' }
  const without = measureCoverage(
    change,
    emptyContext,
    { reports: [report], failures: [] },
    noFindings,
  )
  const packed = await packContext({ syntax }, change, budget, countTokens)
  const reports = [report, attentiveReport]
  return { without, with: measureCoverage(change, packed, { reports, failures: [] }, noFindings) }
}

const rows: Record<string, { changes: number; model: number; rules: number }> = {}
for (const repository of await findRepositories(values.repositories)) {
  const row = { changes: 0, model: 0, rules: 0 }
  for await (const change of readMergedPullRequests(repository)) {
    if (row.changes === Number(values.changes)) break
    const coverage = await measureCoverages(change)
    row.changes += 1
    row.model += coverage.with.complete ? 1 : 0
    row.rules += coverage.without.complete ? 1 : 0
    if (!values.verbose) continue
    for (const [how, { skipped }] of Object.entries(coverage)) {
      for (const { path, reason, matters } of skipped) {
        if (matters)
          console.error(
            `${repository.name} ${change.headSha.slice(0, 8)} ${how}: ${path}: ${reason}`,
          )
      }
    }
  }
  rows[repository.name] = row
}
const sum = (key: 'changes' | 'model' | 'rules') =>
  Object.values(rows).reduce((total, row) => total + row[key], 0)
console.table({
  ...rows,
  all: { changes: sum('changes'), model: sum('model'), rules: sum('rules') },
})
