// Measures `umpire review` without a model on a small change, compared to `git diff`.
import { execFile, spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'

const umpire = fileURLToPath(new URL('../bin/umpire', import.meta.url))
const node = fileURLToPath(new URL('../node_modules/.bin/node', import.meta.url))

const codeBefore = `import { readStock } from './stock.ts'

export async function reserve(article: string, count: number): Promise<boolean> {
  const stock = await readStock(article)
  return stock >= count
}
`
const codeAfter = codeBefore.replace('  return', '  audit(article)\n  return').concat(`
async function audit(article: string): Promise<void> {
  await readStock(article)
}
`)

/** Measured commands by name. */
const commands: Readonly<Record<string, readonly [string, ...string[]]>> = {
  'git diff HEAD': ['git', 'diff', 'HEAD'],
  'node, doing nothing': [node, '--eval', '0'],
  'umpire review (one TypeScript file)': [umpire, 'review', '--uncommitted', '--quiet'],
  'umpire review --staged': [umpire, 'review', '--staged', '--quiet'],
  'umpire review --base HEAD~1': [umpire, 'review', '--base', 'HEAD~1', '--quiet'],
}

const { values } = parseArgs({ options: { runs: { type: 'string', default: '20' } } })
const runs = Number(values.runs)
const root = await mkdtemp(join(tmpdir(), 'umpire-bench-'))
try {
  await prepareRepository()
  // The first run fills the compile cache, so it is reported separately.
  const first = await timeCommand(commands['umpire review (one TypeScript file)']!)
  const times = new Map(Object.keys(commands).map((name) => [name, [] as number[]]))
  for (let run = 0; run < runs; run++) {
    for (const [name, command] of Object.entries(commands))
      times.get(name)!.push(await timeCommand(command))
  }
  printReport(first, times)
} finally {
  await rm(root, { recursive: true, force: true })
}

/** Creates a repository with the change in the last commit, the index and the work tree. */
async function prepareRepository(): Promise<void> {
  await mkdir(join(root, 'home'))
  await mkdir(join(root, 'work'))
  const git = (...args: string[]) =>
    promisify(execFile)(
      'git',
      ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.org', ...args],
      processOptions(),
    )
  await git('init', '--quiet', '--initial-branch=main')
  const write = (name: string, text: string) => writeFile(join(root, 'work', name), text)
  await write('committed.ts', codeBefore)
  await write('staged.ts', codeBefore)
  await write(
    'stock.ts',
    'export async function readStock(article: string) {\n  return article.length\n}\n',
  )
  await git('add', '--all')
  await git('commit', '--quiet', '--message=Start')
  await write('committed.ts', codeAfter)
  await git('commit', '--quiet', '--all', '--message=Change')
  await write('staged.ts', codeAfter)
  await git('add', '--all')
}

function processOptions() {
  return { cwd: join(root, 'work'), env: { PATH: process.env.PATH, HOME: join(root, 'home') } }
}

/** Milliseconds from the start of a command to its end. */
function timeCommand([command, ...args]: readonly [string, ...string[]]): Promise<number> {
  const start = performance.now()
  const child = spawn(command, args, { ...processOptions(), stdio: 'ignore' })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', () => resolve(performance.now() - start))
  })
}

function printReport(first: number, times: ReadonlyMap<string, readonly number[]>): void {
  const load = loadavg()[0]!.toFixed(1)
  console.log(
    `${runs} runs, in turn, on ${cpus().length} cores with a load of ${load}; milliseconds\n`,
  )
  const rows = [...times].map(([name, measured]) => [
    name,
    ...[0.5, 0.1, 0.9].map((share) => quantile(measured, share)),
  ])
  const own =
    quantile(times.get('umpire review (one TypeScript file)')!, 0.5) -
    quantile(times.get('git diff HEAD')!, 0.5)
  for (const [name, median, low, high] of [['', 'median', 'p10', 'p90'], ...rows]) {
    const cells = [median, low, high].map((cell) =>
      (typeof cell === 'number' ? cell.toFixed(0) : String(cell)).padStart(8),
    )
    console.log(`${String(name).padEnd(38)}${cells.join('')}`)
  }
  console.log(`\nIn addition to git: ${own.toFixed(0)} ms (target: under 300).`)
  console.log(`First run: ${first.toFixed(0)} ms.`)
}

function quantile(measured: readonly number[], share: number): number {
  const sorted = measured.toSorted((a, b) => a - b)
  return sorted[Math.round((sorted.length - 1) * share)] as number
}
