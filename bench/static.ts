// Measures findings and duration of the static reviewer on real changes.
import { appendFile, writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import type { Change } from '../src/domain/change.ts'
import type { ProposedFinding } from '../src/domain/finding.ts'
import { isTestPath } from '../src/languages/test-paths.ts'
import { ruleFileKindOf } from '../src/reviewers/rules/rule-file-kind.ts'
import { createStaticReviewer } from '../test/samples/static-reviewer.ts'
import { findRepositories, type Repository, readChanges, readWholeFiles } from './static-changes.ts'

const { values } = parseArgs({
  options: {
    repositories: { type: 'string' },
    changes: { type: 'string', default: '40' },
    skip: { type: 'string', default: '0' },
    findings: { type: 'string' },
    /** Reviews all source files of the newest commit instead of changes. */
    'whole-files': { type: 'boolean', default: false },
    /** Lines of code around each finding in the output file. */
    context: { type: 'string', default: '8' },
  },
})

const emptyContext = { rounds: [], omitted: [] }

/** The largest file that the rules read is smaller, but lock files are checked too. */
const maxShownBytes = 64 * 1024 * 1024

interface ReviewResult {
  readonly repository: Repository
  readonly commit: string
  readonly findings: readonly ProposedFinding[]
  readonly notes: readonly string[]
  /** Whether the change has a file in a language with rules. */
  readonly isParsed: boolean
  readonly addedLines: number
  readonly milliseconds: number
}

if (values.repositories === undefined)
  throw new Error('No repositories. Pass --repositories <folder of bare repositories>.')
if (values.findings !== undefined) await writeFile(values.findings, '')
const readParts = values['whole-files'] ? readWholeFiles : readChanges
const results = await reviewAll(values.repositories, Number(values.changes), Number(values.skip))
printReport(results)

async function reviewAll(folder: string, count: number, skip: number): Promise<ReviewResult[]> {
  await using reviewer = createStaticReviewer()
  const review = (change: Change) =>
    reviewer.review(change, emptyContext, AbortSignal.timeout(600_000))
  const all: ReviewResult[] = []
  for (const repository of await findRepositories(folder)) {
    let index = 0
    for await (const change of readParts(repository)) {
      if (index === skip + count) break
      if (index++ < skip) continue
      // Loads grammars before the same change is measured.
      if (index === skip + 1) await review(change)
      const start = performance.now()
      const { findings, notes } = await review(change)
      const milliseconds = performance.now() - start
      if (values.findings !== undefined)
        await appendFile(values.findings, await describeFindings(change, findings))
      all.push({
        repository,
        commit: change.headSha,
        findings,
        notes,
        ...sizeOf(change),
        milliseconds,
      })
    }
    console.error(`${repository.name}: ${Math.max(0, index - skip)} changes`)
  }
  return all
}

function sizeOf(change: Change): Pick<ReviewResult, 'isParsed' | 'addedLines'> {
  const isParsed = change.files.some(
    ({ path, additions }) =>
      additions > 0 && ruleFileKindOf(path) !== undefined && !isTestPath(path),
  )
  return { isParsed, addedLines: change.files.reduce((sum, { additions }) => sum + additions, 0) }
}

/** Formats the findings with their code. */
async function describeFindings(
  change: Change,
  findings: readonly ProposedFinding[],
): Promise<string> {
  const context = Number(values.context)
  let report = ''
  for (const { path, rule, startLine, severity, title, body, suggestion } of findings) {
    const bytes = await change.head.readFile(path, { maxBytes: maxShownBytes })
    const lines = new TextDecoder().decode(bytes).split('\n')
    const from = Math.max(0, startLine - 1 - context)
    const code = lines.slice(from, startLine + context).map((line, index) => {
      const number = from + index + 1
      return `${number === startLine ? '>' : ' '} ${number} ${line.slice(0, 200)}`
    })
    const commit = `${change.pullRequest.repo} ${change.headSha.slice(0, 10)}`
    const heading = `## ${rule} · ${severity} · ${commit} ${path}:${startLine}`
    const offer = suggestion === null ? '' : `\nSuggestion: ${suggestion}`
    report += `${heading}\n${title}. ${body}${offer}\n${code.join('\n')}\n\n`
  }
  return report
}

function printReport(all: readonly ReviewResult[]): void {
  console.log(`${cpus()[0]?.model.trim()}, ${cpus().length} cores, Node ${process.version}`)
  console.log(
    '\n| changes | number | added lines | findings | per change | with none | median ms | p90 ms |',
  )
  console.log('|---|---|---|---|---|---|---|---|')
  printRow('all', all)
  printRow(
    'with code that the rules parse',
    all.filter(({ isParsed }) => isParsed),
  )
  for (const name of new Set(all.map(({ repository }) => repository.name))) {
    printRow(
      name,
      all.filter(({ repository }) => repository.name === name),
    )
  }
  console.log('\n| rule | findings |\n|---|---|')
  const counts = Object.groupBy(
    all.flatMap(({ findings }) => findings),
    ({ rule }) => rule ?? '',
  )
  for (const [rule, found = []] of Object.entries(counts).sort(
    ([, one], [, other]) => other!.length - one!.length,
  ))
    console.log(`| ${rule} | ${found.length} |`)
  for (const { repository, commit, notes } of all)
    for (const note of notes) console.log(`${repository.name} ${commit.slice(0, 10)}: ${note}`)
}

function printRow(name: string, some: readonly ReviewResult[]): void {
  const findings = some.reduce((sum, result) => sum + result.findings.length, 0)
  const clean = some.filter((result) => result.findings.length === 0).length
  const times = some.map(({ milliseconds }) => milliseconds).sort((one, other) => one - other)
  const at = (share: number) =>
    (times[Math.floor((times.length - 1) * share)] ?? Number.NaN).toFixed(1)
  const cells = [
    some.length,
    some.reduce((sum, { addedLines }) => sum + addedLines, 0),
    findings,
    (findings / some.length).toFixed(2),
    `${((100 * clean) / some.length).toFixed(0)} %`,
    at(0.5),
    at(0.9),
  ]
  console.log(`| ${name} | ${cells.join(' | ')} |`)
}
