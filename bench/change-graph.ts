// How long it takes to read what is known around real changes: code graph, history, memories.
import { cpus, loadavg, tmpdir } from 'node:os'
import { parseArgs } from 'node:util'
import { createSyntaxParser } from '../src/code/syntax-parser.ts'
import { defaultGitRuntime, type GitRuntime } from '../src/git/run-git.ts'
import { createProgramSpawner } from '../src/lib/program-spawner.ts'
import type { Change } from '../src/reviewers/reviewer.ts'
import { type GraphBuilder, openGraphBuilder } from './context-graph.ts'
import { findRepositories, type Repository, readChanges } from './static-changes.ts'

const { values } = parseArgs({
  options: {
    repositories: { type: 'string' },
    only: { type: 'string', default: 'svelte' },
    changes: { type: 'string', default: '40' },
    /** The graph shows the very commit that a change began at; otherwise that of the newest change for all of them. */
    exact: { type: 'boolean', default: false },
    engine: { type: 'string', default: 'embedded' },
  },
})
if (values.repositories === undefined)
  throw new Error('--repositories <folder of bare git repositories> is missing.')
const wanted = values.only.split(',')
const engine = values.engine === 'postgresql' ? 'postgresql' : 'embedded'

await using syntax = createSyntaxParser()
// As the service has it.
await using starter = createProgramSpawner(tmpdir())
const host: GitRuntime = { ...defaultGitRuntime, spawn: starter.spawn }
await using graphs = await openGraphBuilder(syntax, engine)
console.log(
  `${cpus().length} cores with a load of ${loadavg()[0]!.toFixed(1)}, Node ${process.version}, ${engine}`,
)
for (const repository of await findRepositories(values.repositories)) {
  if (wanted.some((name) => repository.name.includes(name))) await measure(repository, graphs)
}

async function measure(repository: Repository, { build, read }: GraphBuilder): Promise<void> {
  const [clock, processor, told]: [number[], number[], number[]] = [[], [], []]
  for await (const change of readChanges(repository, host)) {
    if (clock.length === 0) await warmUp(change, { build, read }, repository)
    else if (values.exact) await build(change, repository.gitDirectory)
    const used = process.cpuUsage()
    const startedAt = performance.now()
    const graph = await read(change)
    clock.push(performance.now() - startedAt)
    const { user, system } = process.cpuUsage(used)
    processor.push((user + system) / 1000)
    told.push(
      (graph?.callers.length ?? 0) + (graph?.definitions.length ?? 0) + (graph?.tests.length ?? 0),
    )
    if (clock.length === Number(values.changes)) break
  }
  console.log(
    `${repository.name}: ${clock.length} changes, of which ${told.filter((count) => count > 0).length} have callers, definitions or tests`,
  )
  console.log(`  clock:     ${formatPercentiles(clock)}`)
  console.log(
    `  processor: ${formatPercentiles(processor)} (threads and the embedded database included, git and a server not)`,
  )
}

/** What is loaded once isn't counted. */
async function warmUp(
  change: Change,
  { build, read }: Pick<GraphBuilder, 'build' | 'read'>,
  { gitDirectory }: Repository,
) {
  await build(change, gitDirectory)
  await read(change)
}

function formatPercentiles(list: readonly number[]): string {
  const sorted = list.toSorted((one, other) => one - other)
  const at = (share: number) => (sorted[Math.floor(sorted.length * share)] ?? Number.NaN).toFixed(0)
  return `median ${at(0.5)} ms, 90 % within ${at(0.9)} ms, most ${at(0.999)} ms`
}
