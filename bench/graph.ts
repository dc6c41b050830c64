// Measures scans of real repositories, compared to ctags and CodeGraph on the same files.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { findPostgresql, startPostgresql } from '../test/fakes/postgresql-server.ts'
import { type BenchTree, findBareRepositories, writeTree } from './graph-trees.ts'
import { type CommandMeasurement, measureCommand } from './measure-command.ts'
import { measureScans, type ScanMeasurement } from './measure-scans.ts'

const { values } = parseArgs({
  options: {
    repositories: { type: 'string' },
    only: { type: 'string' },
    runs: { type: 'string', default: '3' },
    engines: { type: 'string', default: 'embedded,postgresql' },
    without: { type: 'string', default: '' },
  },
})
if (values.repositories === undefined)
  throw new Error('No repositories. Pass --repositories <folder of bare git repositories>.')
const runs = Number(values.runs)
/** Number of incremental scans, each after a change of one file. */
const changedFileCount = 5
const wanted = values.only?.split(',')
const excludedTools = new Set(values.without.split(','))
const root = mkdtempSync(join(tmpdir(), 'umpire-bench-graph-'))
const codegraph = fileURLToPath(
  new URL('node_modules/@colbymchenry/codegraph-linux-x64/bin/codegraph', import.meta.url),
)

try {
  const load = loadavg()[0]!.toFixed(1)
  console.log(`${runs} alternating runs on ${cpus().length} cores, load ${load} at the start\n`)
  const sources = findBareRepositories(values.repositories).filter(
    (path) => wanted === undefined || wanted.some((name) => path.includes(name)),
  )
  for (const source of sources) await measureTree(await writeTree(source, join(root, 'trees')))
} finally {
  rmSync(root, { recursive: true, force: true, maxRetries: 3 })
}

async function measureTree(tree: BenchTree): Promise<void> {
  console.log(`${tree.name}: ${tree.files} files, ${(tree.bytes / 1e6).toFixed(1)} MB`)
  const measured = new Map<string, CommandMeasurement[]>()
  const scans = new Map<string, ScanMeasurement[]>()
  for (let run = 0; run < runs; run++) {
    if (!excludedTools.has('ctags')) append(measured, 'ctags -R', [await runCtags(tree)])
    if (!excludedTools.has('codegraph')) {
      for (const [name, measurements] of Object.entries(await runCodegraph(tree)))
        append(measured, name, measurements)
    }
    for (const engine of values.engines.split(','))
      append(scans, `umpire, ${engine}`, [await runScan(tree, engine)])
  }
  printReport(measured, scans)
}

function append<T>(map: Map<string, T[]>, name: string, measurements: readonly T[]): void {
  map.set(name, [...(map.get(name) ?? []), ...measurements])
}

function runCtags({ folder }: BenchTree): Promise<CommandMeasurement> {
  const tags = join(root, 'tags')
  return measureCommand(['ctags', '-R', '-f', tags, '.'], {
    cwd: folder,
    env: { PATH: process.env.PATH },
  })
}

/** Measures a full index and incremental updates in a copy, because the tool writes into it. */
async function runCodegraph(tree: BenchTree): Promise<Record<string, CommandMeasurement[]>> {
  const copy = join(root, 'codegraph')
  rmSync(copy, { recursive: true, force: true })
  cpSync(tree.folder, copy, { recursive: true })
  const home = join(root, 'home')
  mkdirSync(home, { recursive: true })
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    DO_NOT_TRACK: '1',
    CODEGRAPH_TELEMETRY: '0',
    NO_COLOR: '1',
  }
  const fullIndex = await measureCommand([codegraph, 'init', '.'], { cwd: copy, env })
  const updates: CommandMeasurement[] = []
  for (const path of pickChangedPaths(tree)) {
    const changed = join(copy, path)
    writeFileSync(changed, `${readFileSync(changed, 'utf8')}\n`)
    updates.push(await measureCommand([codegraph, 'sync', '.'], { cwd: copy, env }))
  }
  return { codegraph: [fullIndex], 'codegraph, one file changed': updates }
}

/** Source files spread evenly over the sorted paths. */
function pickChangedPaths({ sources }: BenchTree): string[] {
  return Array.from(
    { length: changedFileCount },
    (_, at) => sources[Math.floor((sources.length * (at + 1)) / (changedFileCount + 1))]!,
  )
}

async function runScan(tree: BenchTree, engine: string): Promise<ScanMeasurement> {
  if (engine === 'embedded') return measureScans(tree, {}, pickChangedPaths(tree))
  const programs = findPostgresql()
  if (programs === null)
    throw new Error('PostgreSQL is not installed. Install it or pass --engines embedded.')
  await using server = await startPostgresql(programs, { durable: true })
  return await measureScans(
    tree,
    { DATABASE_URL: server.url, SECRET_KEY: 'a key of the benchmark and of nothing else' },
    pickChangedPaths(tree),
  )
}

function printReport(
  measured: ReadonlyMap<string, readonly CommandMeasurement[]>,
  scans: ReadonlyMap<string, readonly ScanMeasurement[]>,
) {
  const row = (cells: readonly (string | number)[]) =>
    console.log(
      cells
        .map((cell, at) => (at === 0 ? String(cell).padEnd(36) : String(cell).padStart(12)))
        .join(''),
    )
  row(['', 'median ms', 'peak MB', 'ratio', 'CPU ms'])
  const rival = measured.get('codegraph')
  const ratio = (own: number) =>
    rival ? (median(rival.map((one) => one.milliseconds)) / own).toFixed(1) : ''
  for (const [name, list] of measured) {
    const time = median(list.map((one) => one.milliseconds))
    row([
      name,
      time.toFixed(0),
      medianPeakMegabytes(list),
      name.endsWith('changed') ? '' : ratio(time),
    ])
  }
  for (const [name, list] of scans) {
    const time = median(list.map((one) => one.fullScanMs))
    row([
      name,
      time.toFixed(0),
      medianPeakMegabytes(list),
      ratio(time),
      median(list.map((one) => one.cpuMs)).toFixed(0),
    ])
    row([
      `${name}, one file changed`,
      median(list.flatMap((one) => one.incrementalScanMs)).toFixed(0),
      '',
      '',
    ])
    const idleMegabytes = Math.round(median(list.map((one) => one.idleBytes)) / 1e6)
    console.log(`  idle before: ${idleMegabytes} MB; ${list.at(-1)!.summary}`)
  }
  console.log('')
}

function medianPeakMegabytes(list: readonly { peakBytes: number }[]): string {
  return (median(list.map((one) => one.peakBytes)) / 1e6).toFixed(0)
}

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((one, other) => one - other)
  return sorted[Math.floor((sorted.length - 1) / 2)]!
}
