// Measures how many planted bugs the rules find, and what they report in the corrected code.
import { parseArgs } from 'node:util'
import type { ProposedFinding } from '../src/domain/finding.ts'
import { addedFiles, emptyContext } from '../test/samples/change-of-files.ts'
import { createStaticReviewer } from '../test/samples/static-reviewer.ts'
import { type PlantedBug, readPlantedBugs } from './planted-cases.ts'

const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: new URL('planted', import.meta.url).pathname },
    list: { type: 'boolean', default: false },
  },
})

interface Outcome {
  readonly bug: PlantedBug
  /** What is reported at the bug, and not in the corrected code. */
  readonly found: string | undefined
  readonly falseAlarms: readonly string[]
}

await using reviewer = createStaticReviewer()
const outcomes: Outcome[] = []
for (const bug of readPlantedBugs(values.cases)) outcomes.push(await examine(bug))
if (values.list) listOutcomes()
printReport()

async function examine(bug: PlantedBug): Promise<Outcome> {
  const clean = await review(bug.path, bug.clean.text)
  const [start, end] = bug.buggy.region
  const findings = await review(bug.path, bug.buggy.text)
  const found = findings.find(
    ({ startLine, title }) =>
      // A finding may be on the line of the statement around the bug.
      startLine >= start - 1 && startLine <= end && !clean.some((other) => other.title === title),
  )
  return { bug, found: found?.title, falseAlarms: clean.map(({ title }) => title) }
}

async function review(path: string, text: string): Promise<readonly ProposedFinding[]> {
  const signal = AbortSignal.timeout(60_000)
  const change = addedFiles({ [path]: text })
  return (await reviewer.review(change, emptyContext, signal)).findings
}

function listOutcomes(): void {
  for (const { bug, found, falseAlarms } of outcomes) {
    console.log(
      `${found === undefined ? 'missed' : 'found '} ${bug.group} ${bug.id}: ${found ?? ''}`,
    )
    for (const title of falseAlarms) console.log(`  in the corrected code: ${title}`)
  }
}

function printReport(): void {
  console.log('| language | planted | found | share | findings in corrected code |')
  console.log('|---|---|---|---|---|')
  const groups = Map.groupBy(outcomes, ({ bug }) => bug.group)
  for (const [name, group] of groups) printRow(name, group)
  printRow('all', outcomes)
}

function printRow(name: string, group: readonly Outcome[]): void {
  const found = group.filter((outcome) => outcome.found !== undefined).length
  const alarms = group.reduce((sum, { falseAlarms }) => sum + falseAlarms.length, 0)
  const share = Math.round((100 * found) / group.length)
  console.log(`| ${name} | ${group.length} | ${found} | ${share} % | ${alarms} |`)
}
