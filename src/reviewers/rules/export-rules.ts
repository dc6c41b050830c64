// Rules about names and files that imports and calls no longer find in the code graph.
import { extname, posix } from 'node:path'
import type { BrokenImport, ChangedSymbol } from '../../domain/change-graph.ts'
import type { FileDiff } from '../../domain/diff.ts'
import { isTestPath } from '../../languages/test-paths.ts'
import {
  findDefinitionLine,
  findDeletedLine,
  type GraphLocation,
  isFixture,
  isGuardedImport,
  locationAt,
  quoteName,
} from './graph-locations.ts'
import type { GraphedChange, GraphHit, Rule, RuleEvidence } from './rule.ts'

/** Limits the findings of each rule in one review. */
const maxFindingsPerRule = 10
/** Limits the uses that a finding cites as evidence. */
const maxCitedUses = 5
/** Limits the uses of one name that are looked up in files. */
const maxUsesRead = 20
/** Uses without an import count only from this confidence of the code graph. */
const minConfidenceWithoutImport = 0.9

/** A use of something that the change removed. */
interface DanglingUse {
  readonly path: string
  readonly line: number
  /** Whether it fails as soon as the file is loaded or compiled, not only when the line runs. */
  readonly isImport: boolean
}

/** A name or file that the change removed while others still use it. */
interface Removal {
  readonly location: GraphLocation
  readonly name: string
  readonly uses: readonly DanglingUse[]
}

async function checkRemoved(change: GraphedChange): Promise<GraphHit[]> {
  const hits: GraphHit[] = []
  const reported = new Set<string>()
  const removals = [...listRemovedFiles(change), ...(await listRemovedNames(change))]
  for (const { location, name, uses } of removals) {
    if (hits.length === maxFindingsPerRule) break
    const keyOf = ({ path }: DanglingUse) => `${location.path}\n${path}`
    const dangling = await filterDanglingUses(change, uses)
    // A file that imports a removed file is reported once, not again for each name in it.
    const unreported = dangling.filter((use) => !reported.has(keyOf(use)))
    for (const use of unreported) reported.add(keyOf(use))
    if (unreported.length > 0) hits.push({ ...location, ...describeRemoval(name, unreported) })
  }
  return hits
}

/** Lists deleted and renamed files that other files still import. */
function listRemovedFiles({ graph, files }: GraphedChange): Removal[] {
  const removed = files.filter(({ status }) => status === 'deleted' || status === 'renamed')
  const usesByFile = new Map<FileDiff, DanglingUse[]>()
  for (const item of graph.brokenImports) {
    if (item.inChange || item.name !== null) continue
    const candidates = removed.filter(({ oldPath }) => mayResolveTo(item, oldPath))
    const [file] = candidates
    // An import that fits several removed files is ambiguous.
    if (!file || candidates.length > 1) continue
    const use: DanglingUse = { path: item.path, line: item.line, isImport: true }
    usesByFile.set(file, [...(usesByFile.get(file) ?? []), use])
  }
  return [...usesByFile].map(([file, uses]) => ({
    location: locationOfFile(file),
    name: file.oldPath,
    uses,
  }))
}

/** The first deleted line of a file; of one that only moved, its first line. */
function locationOfFile(file: FileDiff): GraphLocation {
  const deleted = findDeletedLine(file, { startLine: 1, endLine: Infinity })
  return deleted ?? locationAt(file.path, file.status === 'deleted' ? 'LEFT' : 'RIGHT', 1)
}

/** Whether an import may have resolved to a file, judged by the end of the file's path. */
function mayResolveTo({ path, from }: BrokenImport, target: string): boolean {
  const bare = target.replace(/\.\w+$/, '').replace(/\/(?:index|__init__|mod)$/, '')
  if (/^\.{1,2}(?:\/|$)/.test(from)) {
    const wanted = posix.join(posix.dirname(path), from)
    return wanted === target || wanted.replace(/\.\w+$/, '') === bare || wanted === bare
  }
  const parts = from
    .split(/[./\\:]+/)
    .filter((part) => part !== '' && !/^(?:[@~#]|crate|self|super)$/.test(part))
  if (parts.length === 0) return false
  const end = parts.join('/')
  return (
    `/${bare}`.endsWith(`/${end}`) ||
    `/${end}`.endsWith(`/${bare}`) ||
    `/${posix.dirname(bare)}` === `/${end}`
  )
}

/** Lists exported names that are removed or changed and that other files still import or call. */
async function listRemovedNames(change: GraphedChange): Promise<Removal[]> {
  const removals: Removal[] = []
  for (const [index, symbol] of change.graph.symbols.entries()) {
    const { path, name, exported } = symbol
    // A member may still be inherited.
    if (!exported || name.includes('.')) continue
    const file = change.files.find((each) => each.path === path || each.oldPath === path)
    const location = file && findRemovedLine(change, file, symbol)
    if (!file || !location) continue
    const uses = [
      ...listBrokenImports(change, file, name),
      ...listDanglingCalls(change, symbol, index),
    ]
    if (uses.length === 0) continue
    if (!(await change.bindsName(file.path, name))) removals.push({ location, name, uses })
  }
  return removals
}

/** Finds the line for a finding about a symbol that is removed or has another signature. */
function findRemovedLine(
  change: GraphedChange,
  file: FileDiff,
  symbol: ChangedSymbol,
): GraphLocation | undefined {
  if (symbol.change === 'removed') return findDeletedLine(file, symbol)
  if (symbol.change === 'signature') return findDefinitionLine(change, symbol.path, symbol)
  return undefined
}

function listBrokenImports(
  { graph }: GraphedChange,
  file: FileDiff,
  name: string,
): readonly DanglingUse[] {
  return graph.brokenImports
    .filter((item) => !item.inChange && item.name === name && item.target === file.path)
    .map(({ path, line }) => ({ path, line, isImport: true }))
}

/** Whether the change defines the name somewhere else, where its callers may still find it. */
function isDefinedElsewhere({ graph }: GraphedChange, { name }: ChangedSymbol): boolean {
  return graph.symbols.some(
    (other) => other.change !== 'removed' && other.name.split('.').at(-1) === name,
  )
}

/** Languages in which macros, reopened classes or globals may define a name without an import. */
const looseExtensions = new Set(
  '.c .h .cc .cpp .cxx .hh .hpp .hxx .m .mm .rb .php .js .jsx .cjs .mjs'.split(' '),
)

function listDanglingCalls(
  change: GraphedChange,
  symbol: ChangedSymbol,
  index: number,
): readonly DanglingUse[] {
  if (symbol.change !== 'removed' || isDefinedElsewhere(change, symbol)) return []
  return change.graph.callers
    .filter(
      (use) =>
        use.symbol === index &&
        use.confidence >= minConfidenceWithoutImport &&
        use.kind !== 'value' &&
        !looseExtensions.has(extname(use.path).toLowerCase()),
    )
    .map(({ path, line, kind }) => ({ path, line, isImport: kind === 'import' }))
}

/** Keeps one use per line that isn't expected to fail, with those outside of tests first. */
async function filterDanglingUses(
  { head }: GraphedChange,
  uses: readonly DanglingUse[],
): Promise<DanglingUse[]> {
  const byLine = new Map<string, DanglingUse>()
  for (const use of uses.slice(0, maxUsesRead)) {
    const { path, line } = use
    if (isFixture(path) || isGuardedImport(await head(path), line)) continue
    const key = `${line} ${path}`
    if (!byLine.has(key)) byLine.set(key, use)
  }
  return [...byLine.values()].sort(
    (one, other) => Number(isTestPath(one.path)) - Number(isTestPath(other.path)),
  )
}

function describeRemoval(name: string, uses: readonly DanglingUse[]) {
  const [first] = uses as [DanglingUse, ...DanglingUse[]]
  const count = new Set(uses.map(({ path }) => path)).size
  const files = count === 1 ? '1 other file still uses' : `${count} other files still use`
  const isCertain = uses.some(({ path, isImport }) => isImport && !isTestPath(path))
  const event = first.isImport ? 'compiled or loaded' : 'compiled or run'
  return {
    title: `${quoteName(name)} is removed or renamed, but ${files} it`,
    body:
      `When ${quoteName(first.path)} is ${event}, line ${first.line} fails: it still names ` +
      `${quoteName(name)}, which this change removes or renames.`,
    ...(isCertain && { severity: 'critical' as const }),
    evidence: uses.slice(0, maxCitedUses).map(
      ({ path, line, isImport }): RuleEvidence => ({
        path,
        line,
        note: isImport ? 'imports it' : 'uses it',
      }),
    ),
  }
}

async function checkImports(change: GraphedChange): Promise<GraphHit[]> {
  const { graph, files } = change
  const hits: GraphHit[] = []
  for (const item of graph.brokenImports) {
    const { path, line } = item
    const isReviewed = item.inChange && files.some((file) => file.path === path)
    if (!isReviewed || isFixture(path) || mayBeGenerated(item)) continue
    if (await mayResolve(change, item)) continue
    hits.push({ ...locationAt(path, 'RIGHT', line), ...describeImport(item) })
    if (hits.length === maxFindingsPerRule) break
  }
  return hits
}

/** Whether the code expects that the import may fail, or its target binds the name after all. */
async function mayResolve(
  { head, bindsName }: GraphedChange,
  { path, line, name, target }: BrokenImport,
): Promise<boolean> {
  if (isGuardedImport(await head(path), line)) return true
  return name !== null && target !== null && bindsName(target, name)
}

/** Languages whose imports name files or folders. In others, much imported code is generated. */
const checkedExtensions = /\.(?:[cm]?[jt]sx?|vue|svelte|py|go|rb)$/

/** Imports of files that exist only after a build, or that a loader creates. */
const generatedPath = new RegExp(
  '[?!]|^virtual:|(?:^|[/._-])_*' +
    '(?:generated|gen|dist|build|out|target|codegen|pb2?|grpc|proto|version)' +
    '_*(?:[/._-]|$)',
  'i',
)

/** Files that a bundler imports as data. */
const assets = new RegExp(
  String.raw`\.(?:${[
    'css|s[ac]ss|less|styl',
    'svg|png|jpe?g|gif|webp|avif|ico',
    'json5?|ya?ml|toml|mdx?|html?|txt|csv|xml|gql|graphql',
    'wasm|node',
    'glsl|frag|vert',
    'woff2?|ttf|mp[34]',
    'proto|po|d',
  ].join('|')})$`,
  'i',
)

function mayBeGenerated({ path, from }: BrokenImport): boolean {
  return (
    !checkedExtensions.test(path) ||
    generatedPath.test(from) ||
    (from.includes('/') && assets.test(from))
  )
}

function describeImport({ path, from, name, target }: BrokenImport) {
  return name === null
    ? describeMissingFile(path, from)
    : describeMissingName({ path, from, name, target })
}

function describeMissingFile(path: string, from: string) {
  return {
    title: `The import of ${quoteName(from)} doesn't resolve to a file`,
    body: describeImportError(path, 'there is no such file'),
    ...(!isTestPath(path) && { severity: 'critical' as const }),
  }
}

function describeMissingName({
  path,
  from,
  name,
  target,
}: Pick<BrokenImport, 'path' | 'from' | 'target'> & { readonly name: string }) {
  const exporter = quoteName(target ?? from)
  return {
    title: `${quoteName(name)} is not exported by ${exporter}`,
    body: describeImportError(path, `there is no ${quoteName(name)} in ${exporter}`),
    ...(target !== null && { evidence: [{ path: target, line: 1, note: 'has no such name' }] }),
  }
}

function describeImportError(path: string, reason: string): string {
  return `When ${quoteName(path)} is compiled or loaded, it fails at this import: ${reason}.`
}

export const exportRules: readonly Rule[] = [
  {
    id: 'removed-export',
    summary:
      'A name or file is removed or renamed, and unchanged files still import or call it. ' +
      'Critical if a file other than a test imports it.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.9,
    graph: checkRemoved,
  },
  {
    id: 'broken-import',
    summary:
      "An added import doesn't resolve: no such file, or no such export in it. Critical if the " +
      "file doesn't exist.",
    seeAlso: ['`import/no-unresolved`', '`import/named`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.9,
    graph: checkImports,
  },
]
