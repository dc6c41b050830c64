// Measures scan and code graph on real repositories, beside ctags and CodeGraph on the same files in the same run.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { findPostgresql, startPostgresql } from '../test/fakes/postgresql-server.ts'
import { measureScans, type ScanFigures } from './graph-scan.ts'
import { type BenchTree, findBareRepositories, writeTree } from './graph-trees.ts'
import { type Measured, measureCommand } from './measured-command.ts'

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
  throw new Error('--repositories <folder of bare git repositories> is missing.')
const runs = Number(values.runs)
/** Of one file each, one after the other. */
const changes = 5
const wanted = values.only?.split(',')
const without = new Set(values.without.split(','))
const root = mkdtempSync(join(tmpdir(), 'umpire-bench-graph-'))
const codegraph = fileURLToPath(
  new URL('node_modules/@colbymchenry/codegraph-linux-x64/bin/codegraph', import.meta.url),
)

try {
  console.log(
    `${runs} runs, in turn, on ${cpus().length} cores with a load of ${loadavg()[0]!.toFixed(1)} at the start\n`,
  )
  const sources = findBareRepositories(values.repositories).filter(
    (path) => wanted === undefined || wanted.some((name) => path.includes(name)),
  )
  for (const source of sources) await compare(await writeTree(source, join(root, 'trees')))
} finally {
  rmSync(root, { recursive: true, force: true, maxRetries: 3 })
}

async function compare(tree: BenchTree): Promise<void> {
  console.log(`${tree.name}: ${tree.files} files, ${(tree.bytes / 1e6).toFixed(1)} MB`)
  const measured = new Map<string, Measured[]>()
  const scans = new Map<string, ScanFigures[]>()
  for (let run = 0; run < runs; run++) {
    if (!without.has('ctags')) add(measured, 'ctags -R', [await runCtags(tree)])
    if (!without.has('codegraph')) {
      for (const [name, figures] of Object.entries(await runCodegraph(tree)))
        add(measured, name, figures)
    }
    for (const engine of values.engines.split(','))
      add(scans, `umpire, ${engine}`, [await runScan(tree, engine)])
  }
  report(measured, scans)
}

function add<T>(map: Map<string, T[]>, name: string, figures: readonly T[]): void {
  map.set(name, [...(map.get(name) ?? []), ...figures])
}

function runCtags({ folder }: BenchTree): Promise<Measured> {
  const tags = join(root, 'tags')
  return measureCommand(['ctags', '-R', '-f', tags, '.'], {
    cwd: folder,
    env: { PATH: process.env.PATH },
  })
}

/** Its index from nothing, and after each change of one file. It works in a copy: it leaves its database there. */
async function runCodegraph(tree: BenchTree): Promise<Record<string, Measured[]>> {
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
  const whole = await measureCommand([codegraph, 'init', '.'], { cwd: copy, env })
  const ones: Measured[] = []
  for (const path of pickChanged(tree)) {
    const changed = join(copy, path)
    writeFileSync(changed, `${readFileSync(changed, 'utf8')}\n`)
    ones.push(await measureCommand([codegraph, 'sync', '.'], { cwd: copy, env }))
  }
  return { codegraph: [whole], 'codegraph, one file changed': ones }
}

/** Some source files, far from one another by path. */
function pickChanged({ sources }: BenchTree): string[] {
  return Array.from(
    { length: changes },
    (_, at) => sources[Math.floor((sources.length * (at + 1)) / (changes + 1))]!,
  )
}

async function runScan(tree: BenchTree, engine: string): Promise<ScanFigures> {
  if (engine === 'embedded') return measureScans(tree, {}, pickChanged(tree))
  const programs = findPostgresql()
  if (programs === null)
    throw new Error('PostgreSQL is not installed: leave it out with --engines embedded.')
  await using server = await startPostgresql(programs, { durable: true })
  return await measureScans(
    tree,
    { DATABASE_URL: server.url, SECRET_KEY: 'a key of the benchmark and of nothing else' },
    pickChanged(tree),
  )
}

function report(
  measured: ReadonlyMap<string, readonly Measured[]>,
  scans: ReadonlyMap<string, readonly ScanFigures[]>,
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
    row([name, time.toFixed(0), megabytes(list), name.endsWith('changed') ? '' : ratio(time)])
  }
  for (const [name, list] of scans) {
    const time = median(list.map((one) => one.wholeMs))
    row([
      name,
      time.toFixed(0),
      megabytes(list),
      ratio(time),
      median(list.map((one) => one.cpuMs)).toFixed(0),
    ])
    row([
      `${name}, one file changed`,
      median(list.flatMap((one) => one.oneFileMs)).toFixed(0),
      '',
      '',
    ])
    console.log(
      `  at rest before: ${Math.round(median(list.map((one) => one.restBytes)) / 1e6)} MB; ${list.at(-1)!.described}`,
    )
  }
  console.log('')
}

function megabytes(list: readonly { peakBytes: number }[]): string {
  return (median(list.map((one) => one.peakBytes)) / 1e6).toFixed(0)
}

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((one, other) => one - other)
  return sorted[Math.floor((sorted.length - 1) / 2)]!
}
