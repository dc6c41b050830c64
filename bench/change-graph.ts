// Measures how long it takes to read the code graph, history and memories of real changes.
import { cpus, loadavg, tmpdir } from 'node:os'
import { parseArgs } from 'node:util'
import { createSyntaxParser } from '../src/code/syntax-parser.ts'
import type { Change } from '../src/domain/change.ts'
import { defaultGitRuntime, type GitRuntime } from '../src/git/run-git.ts'
import { createProgramSpawner } from '../src/lib/program-spawner.ts'
import { type GraphBuilder, openGraphBuilder } from './context-graph.ts'
import { findRepositories, type Repository, readChanges } from './static-changes.ts'

const { values } = parseArgs({
  options: {
    repositories: { type: 'string' },
    only: { type: 'string', default: 'svelte' },
    changes: { type: 'string', default: '40' },
    /** Builds the graph for the base of each change; otherwise only for the newest change. */
    exact: { type: 'boolean', default: false },
    engine: { type: 'string', default: 'embedded' },
  },
})
if (values.repositories === undefined)
  throw new Error('No repositories. Pass --repositories <folder of bare git repositories>.')
const wanted = values.only.split(',')
const engine = values.engine === 'postgresql' ? 'postgresql' : 'embedded'

await using syntax = createSyntaxParser()
// The service uses a program spawner too.
await using starter = createProgramSpawner(tmpdir())
const host: GitRuntime = { ...defaultGitRuntime, spawn: starter.spawn }
await using graphs = await openGraphBuilder(syntax, engine)
const load = loadavg()[0]!.toFixed(1)
console.log(`${cpus().length} cores, load ${load}, Node ${process.version}, ${engine}`)
for (const repository of await findRepositories(values.repositories)) {
  if (wanted.some((name) => repository.name.includes(name))) await measure(repository, graphs)
}

async function measure(repository: Repository, { build, read }: GraphBuilder): Promise<void> {
  const [wallMs, cpuMs, itemCounts]: [number[], number[], number[]] = [[], [], []]
  for await (const change of readChanges(repository, host)) {
    if (wallMs.length === 0) await warmUp(change, { build, read }, repository)
    else if (values.exact) await build(change, repository.gitDirectory)
    const used = process.cpuUsage()
    const startedAt = performance.now()
    const graph = await read(change)
    wallMs.push(performance.now() - startedAt)
    const { user, system } = process.cpuUsage(used)
    cpuMs.push((user + system) / 1000)
    itemCounts.push(
      (graph?.callers.length ?? 0) + (graph?.definitions.length ?? 0) + (graph?.tests.length ?? 0),
    )
    if (wallMs.length === Number(values.changes)) break
  }
  const withItems = itemCounts.filter((count) => count > 0).length
  console.log(
    `${repository.name}: ${wallMs.length} changes, ` +
      `${withItems} with callers, definitions or tests`,
  )
  console.log(`  wall: ${formatPercentiles(wallMs)}`)
  console.log(
    `  CPU:  ${formatPercentiles(cpuMs)} (with the embedded database, without git and servers)`,
  )
}

/** Loads grammars and caches before the measurement. */
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
  return `median ${at(0.5)} ms, p90 ${at(0.9)} ms, max ${at(0.999)} ms`
}
