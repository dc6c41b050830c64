// Measures recall and false calls of the code graph, compared to CodeGraph on the same tree.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { createSyntaxParser } from '../src/code/syntax-parser.ts'
import { createGitSnapshot } from '../src/git/git-snapshot.ts'
import { defaultGitRuntime } from '../src/git/run-git.ts'
import { createCodeView } from '../src/knowledge/resolution/code-view.ts'
import { createImportResolver } from '../src/knowledge/resolution/import-resolver.ts'
import { readImportConfig } from '../src/knowledge/resolution/read-import-config.ts'
import { resolveReferences } from '../src/knowledge/resolution/resolve-references.ts'
import type { FileIndex } from '../src/languages/code-index.ts'
import { type BenchTree, findBareRepositories, writeTree } from './graph-trees.ts'

/** A call that the TypeScript compiler resolves within the tree. Lines are 1-based. */
interface TrueCall {
  readonly path: string
  readonly line: number
  /** The name at the call. */
  readonly name: string
  readonly target: { readonly path: string; readonly line: number; readonly name: string }
}

/** The target that a program reports for a call. */
interface ReportedCall {
  readonly path: string
  readonly startLine: number
  readonly endLine: number
  readonly confidence: number
}

/** Reported targets by `path:line:name` of the call. */
type ReportedCalls = ReadonlyMap<string, readonly ReportedCall[]>

const { values } = parseArgs({
  options: {
    repositories: { type: 'string' },
    only: { type: 'string', default: 'cline,svelte' },
    calls: { type: 'string', default: '20000' },
  },
})
if (values.repositories === undefined)
  throw new Error('No repositories. Pass --repositories <folder of bare git repositories>.')
const codegraph = fileURLToPath(
  new URL('node_modules/@colbymchenry/codegraph-linux-x64/bin/codegraph', import.meta.url),
)
const root = mkdtempSync(join(tmpdir(), 'umpire-bench-edges-'))
try {
  const names = values.only.split(',')
  for (const source of findBareRepositories(values.repositories)) {
    if (!names.some((name) => source.includes(name))) continue
    await compareTree(await writeTree(source, join(root, 'trees')))
  }
} finally {
  rmSync(root, { recursive: true, force: true, maxRetries: 3 })
}

async function compareTree(tree: BenchTree): Promise<void> {
  const scripts = tree.sources.filter(
    (path) => /\.[cm]?[jt]sx?$/.test(path) && !path.endsWith('.d.ts'),
  )
  const calls = findTrueCalls(tree, scripts)
  const across = calls.filter(({ path, target }) => path !== target.path).length
  const count = `${calls.length} calls resolved by the TypeScript compiler`
  console.log(`${tree.name}: ${count}, ${across} into other files`)
  const umpireCalls = await readUmpireCalls(tree)
  printScore('umpire, confidence of 0.8 and more', calls, umpireCalls, 0.8)
  printScore('umpire, also possible ones', calls, umpireCalls, 0)
  printScore('codegraph', calls, readCodegraphCalls(tree), 0)
  console.log('')
}

function findTrueCalls({ folder }: BenchTree, paths: readonly string[]): TrueCall[] {
  const program = fileURLToPath(new URL('graph-truth.js', import.meta.url))
  const options = { input: paths.join('\n'), encoding: 'utf8', maxBuffer: 2 ** 30 } as const
  return JSON.parse(
    execFileSync(process.execPath, [program, folder, values.calls], options),
  ) as TrueCall[]
}

function printScore(
  name: string,
  calls: readonly TrueCall[],
  reported: ReportedCalls,
  minConfidence: number,
): void {
  for (const [scope, some] of [
    ['all', calls],
    ['into other files', calls.filter(({ path, target }) => path !== target.path)],
  ] as const) {
    let [right, wrong] = [0, 0]
    for (const { path, line, name: callee, target } of some) {
      const here = (reported.get(`${path}:${line}:${callee}`) ?? []).filter(
        ({ confidence }) => confidence >= minConfidence,
      )
      const isRight = (one: ReportedCall) =>
        one.path === target.path && one.startLine <= target.line && target.line <= one.endLine
      if (here.some(isRight)) right++
      wrong += here.filter((one) => !isRight(one)).length
    }
    const share = (part: number, whole: number) =>
      `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`
    const recall = `found ${share(right, some.length)} (${right})`
    const falseCalls = `false ${share(wrong, right + wrong)} (${wrong})`
    console.log(`  ${name.padEnd(36)} ${scope.padEnd(18)} ${recall}, ${falseCalls}`)
  }
}

async function readUmpireCalls(tree: BenchTree): Promise<ReportedCalls> {
  await using reader = createSyntaxParser()
  const results = await reader.index(
    tree.sources.map((path) => ({ path, bytes: readFileSync(join(tree.folder, path)) })),
  )
  const indexes = new Map<string, FileIndex>()
  for (const [at, result] of results.entries())
    if ('index' in result) indexes.set(tree.sources[at]!, result.index)
  const paths = execFileSync('git', ['-C', tree.folder, 'ls-files', '-z'], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
    .split('\0')
    .filter((path) => path !== '')
  const head = execFileSync('git', ['-C', tree.folder, 'rev-parse', 'HEAD'], {
    encoding: 'utf8',
  }).trim()
  await using snapshot = createGitSnapshot(defaultGitRuntime, tree.gitDirectory, head)
  const view = createCodeView(
    indexes,
    createImportResolver(paths, await readImportConfig(snapshot, paths)),
  )
  const reported = new Map<string, ReportedCall[]>()
  for (const [path, { references }] of indexes) {
    for (const { reference, targets } of resolveReferences(view, path)) {
      const { name, line, kind } = references[reference]!
      if (kind !== 'call' && kind !== 'new') continue
      const key = `${path}:${line}:${name}`
      const list = reported.get(key) ?? []
      const symbols = targets.map((one) => ({
        ...one,
        symbol: indexes.get(one.path)!.symbols[one.ordinal]!,
      }))
      for (const { path: target, confidence, symbol } of symbols) {
        // For `new`, the graph reports the class and its constructor; only the class counts.
        if (symbol.name === 'constructor' && symbols.length > 1) continue
        list.push({
          path: target,
          startLine: symbol.startLine,
          endLine: symbol.endLine,
          confidence,
        })
      }
      reported.set(key, list)
    }
  }
  return reported
}

/** Reads calls and constructor calls from the database of CodeGraph. */
function readCodegraphCalls(tree: BenchTree): ReportedCalls {
  const copy = join(root, 'codegraph')
  rmSync(copy, { recursive: true, force: true })
  cpSync(tree.folder, copy, { recursive: true })
  const home = join(root, 'home')
  mkdirSync(home, { recursive: true })
  if (!existsSync(codegraph))
    throw new Error('CodeGraph is not installed. Run npm ci --prefix bench.')
  const env = { PATH: process.env.PATH, HOME: home, DO_NOT_TRACK: '1', CODEGRAPH_TELEMETRY: '0' }
  execFileSync(codegraph, ['init', '.'], { cwd: copy, env, stdio: 'ignore' })
  using database = new DatabaseSync(join(copy, '.codegraph', 'codegraph.db'), { readOnly: true })
  const rows = database
    .prepare(
      `select s.file_path as path, e.line, t.name, t.file_path as target,
         t.start_line as start, t.end_line as end,
         json_extract(e.metadata, '$.refName') as reference
       from edges e join nodes s on s.id = e.source join nodes t on t.id = e.target
       where e.kind in ('calls', 'instantiates', 'references')`,
    )
    .all()
  const reported = new Map<string, ReportedCall[]>()
  for (const row of rows) {
    const name = String(row.reference ?? row.name).replace(/^.*[.:>]/, '')
    const key = `${row.path}:${row.line}:${name}`
    const one = {
      path: String(row.target),
      startLine: Number(row.start),
      endLine: Number(row.end),
      confidence: 1,
    }
    reported.set(key, [...(reported.get(key) ?? []), one])
  }
  return reported
}
