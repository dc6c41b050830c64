// Measures how large pull requests of one owner delay a small one of another owner.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { git } from '../test/fakes/forge/git.ts'
import type { RealChange } from './overhead-changes.ts'
import { startBenchForge } from './overhead-forge.ts'
import { startBenchModel } from './overhead-model.ts'
import { type BenchProcess, startBenchProcess } from './overhead-process.ts'

const { values } = parseArgs({
  options: {
    large: { type: 'string', default: '48' },
    files: { type: 'string', default: '2500' },
    lines: { type: 'string', default: '40' },
    /** Seconds between the large pull requests and the small one. */
    head: { type: 'string', default: '5' },
    /** Response time of the model in seconds; no model if absent. */
    delay: { type: 'string' },
    /** Seconds to continue after the small review, to see the memory of the large ones. */
    watch: { type: 'string', default: '0' },
    profiles: { type: 'string' },
  },
})
const [large, files, lines] = [Number(values.large), Number(values.files), Number(values.lines)]
const { signal } = new AbortController()
const folder = mkdtempSync(join(tmpdir(), 'umpire-bench-neighbors-'))
try {
  await measure()
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
}
setTimeout(() => process.exit(), 5_000).unref()

async function measure(): Promise<void> {
  const [big, small] = [join(folder, 'big'), join(folder, 'small')]
  const largeChanges = await makeRepository(
    big,
    Array.from({ length: large }, (_, at) => makeFiles(at)),
  )
  const smallChanges = await makeRepository(small, [makeSmall(0), makeSmall(1)])
  await using model = values.delay === undefined ? null : await startBenchModel()
  if (model) model.delayMs = Number(values.delay) * 1000
  await using forge = await startBenchForge([big, small])
  const largePulls = await forge.openPullRequests(largeChanges, signal)
  const [warmUp, measured] = await forge.openPullRequests(smallChanges, signal)
  const environment = {
    ...forge.environment,
    ...model?.environment,
    REVIEW_CONCURRENCY: '64',
    LOG_LEVEL: 'info',
  }
  await using umpire = await startBenchProcess(environment, values.profiles)
  await forge.deliver(warmUp!, umpire.url)
  await umpire.waitForReview(warmUp!, 120_000, signal)
  console.log(`before: ${formatMegabytes(umpire.readMemory().now)}`)
  await using peak = watchMemory(umpire)
  for (const pull of largePulls) await forge.deliver(pull, umpire.url)
  console.log(`${large} pull requests of ${files} files of ${lines} lines delivered`)
  await wait(Number(values.head) * 1000)
  const sentAt = await forge.deliver(measured!, umpire.url)
  await umpire.waitForReview(measured!, 900_000, signal)
  console.log(
    `the small one was posted after ${((forge.postedAt(measured!) - sentAt) / 1000).toFixed(1)} s`,
  )
  peak.print('so far')
  await wait(Number(values.watch) * 1000)
  const done = largePulls.filter((pull) => forge.isReviewed(pull)).length
  peak.print(`after ${values.watch} s more, with ${done} of the large ones reviewed`)
  for (const complaint of new Set(umpire.problems)) console.log(`  log: ${complaint.slice(0, 200)}`)
}

/** Tracks the peak memory of the process and its children, sampled twice a second. */
function watchMemory(umpire: BenchProcess) {
  let together = 0
  const look = () => {
    const { now, children } = umpire.readMemory()
    together = Math.max(together, now + children.bytes)
  }
  const timer = setInterval(look, 500)
  return {
    print: (when: string) =>
      console.log(
        `memory ${when}: peak ${formatMegabytes(umpire.readMemory().peak)}, ` +
          `with children ${formatMegabytes(together)}`,
      ),
    [Symbol.asyncDispose]: async () => clearInterval(timer),
  }
}

/** Creates a bare repository with a base commit and one commit per list of files. */
async function makeRepository(
  directory: string,
  changes: readonly ReadonlyMap<string, string>[],
): Promise<RealChange[]> {
  await git(folder, ['init', '--quiet', '--bare', directory])
  const commit = (mark: number, from: string, added: ReadonlyMap<string, string>) => {
    const entries = [...added].map(
      ([path, text]) => `M 100644 inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`,
    )
    const header = `commit refs/heads/c${mark}\nmark :${mark}\n`
    const committer = 'committer A <a@example.com> 1767225600 +0000\ndata 1\nx\n'
    return `${header}${committer}${from}${entries.join('')}\n`
  }
  const stream = [
    commit(1, '', new Map([['README.md', '# Shop\n']])),
    ...changes.map((added, at) => commit(at + 2, 'from :1\n', added)),
  ]
  await git(directory, ['fast-import', '--quiet'], { input: stream.join('') })
  const heads = await git(directory, [
    'for-each-ref',
    '--format=%(refname:lstrip=2) %(objectname)',
    'refs/heads',
  ])
  const shas = new Map(
    heads
      .toString()
      .trim()
      .split('\n')
      .map((line) => line.split(' ') as [string, string]),
  )
  return changes.map((_, at) => ({
    source: directory,
    base: shas.get('c1')!,
    head: shas.get(`c${at + 2}`)!,
    subject: 'A change',
  }))
}

/** Generates plausible code that differs between files and changes. */
function makeFiles(change: number): Map<string, string> {
  return new Map(
    Array.from({ length: files }, (_, at) => {
      const name = `part${change}x${at}`
      const body = Array.from({ length: Math.ceil(lines / 4) }, (_line, step) => [
        `export function ${name}Step${step}(order: Order, count: number): number {`,
        '  const total = order.lines.reduce((sum, line) => sum + line.price * count, ' +
          `${change * files + at})`,
        `  return total > ${step * 10} ? total - order.discount : total`,
        '}',
      ]).flat()
      return [`src/area${at % 50}/${name}.ts`, `${body.join('\n')}\n`]
    }),
  )
}

function makeSmall(change: number): Map<string, string> {
  return new Map([
    ['README.md', `# Shop ${change}\n`],
    [`src/small${change}.ts`, `export const rate = ${change}\n`],
  ])
}

function formatMegabytes(bytes: number): string {
  return `${Math.round(bytes / 2 ** 20)} MB`
}
