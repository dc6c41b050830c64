// Rules about names and files that imports and calls don't find any more; they rest on the code graph.
import { extname, posix } from 'node:path'
import { isTestPath } from '../../code/languages.ts'
import type { BrokenImport, CallSite, ChangedSymbol } from '../../domain/change-graph.ts'
import type { FileDiff } from '../../domain/diff.ts'
import { bindsName } from './bound-names.ts'
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

/** Findings of each rule in one review, and the uses that each shows. */
const maxFindingsPerRule = 10
const maxShownUses = 5
/** Of one name so many uses are looked at. */
const maxUsesRead = 20
/** A use without an import must be as sure as this. */
const minConfidenceWithoutImport = 0.9

/** What a file leaves behind that uses a thing that is gone. */
interface DanglingUse {
  readonly path: string
  readonly line: number
  /** Finds nothing as soon as the file is loaded or compiled, rather than where the code gets there. */
  readonly isImport: boolean
}

/** A thing that is gone. */
interface Removal {
  readonly place: GraphLocation
  readonly what: string
  readonly leftovers: readonly DanglingUse[]
}

async function checkRemoved(change: GraphedChange): Promise<GraphHit[]> {
  const hits: GraphHit[] = []
  const told = new Set<string>()
  for (const { place, what, leftovers } of [
    ...listRemovedFiles(change),
    ...(await listRemovedNames(change)),
  ]) {
    if (hits.length === maxFindingsPerRule) break
    // Whoever imports a file that is gone needn't hear of each name in it.
    const standing = (await filterDanglingUses(change, leftovers)).filter(
      ({ path }) => !told.has(`${place.path}\n${path}`),
    )
    for (const { path } of standing) told.add(`${place.path}\n${path}`)
    if (standing.length > 0) hits.push({ ...place, ...describeRemoval(what, standing) })
  }
  return hits
}

/** Files that were deleted or renamed, and imports elsewhere that still name them. */
function listRemovedFiles({ graph, files }: GraphedChange): Removal[] {
  const gone = files.filter(({ status }) => status === 'deleted' || status === 'renamed')
  const byFile = new Map<FileDiff, DanglingUse[]>()
  for (const item of graph.brokenImports) {
    if (item.inChange || item.name !== null) continue
    const meant = gone.filter(({ oldPath }) => mayResolveTo(item, oldPath))
    // Which of several files was meant can't be told.
    if (meant.length !== 1) continue
    const known = byFile.get(meant[0]!) ?? []
    byFile.set(meant[0]!, [...known, { path: item.path, line: item.line, isImport: true }])
  }
  return [...byFile].map(([file, leftovers]) => ({
    place: locationOfFile(file),
    what: file.oldPath,
    leftovers,
  }))
}

/** A file that only moved shows no lines: then its first one stands for it. */
function locationOfFile(file: FileDiff): GraphLocation {
  const deleted = findDeletedLine(file, { startLine: 1, endLine: Infinity })
  return deleted ?? locationAt(file.path, file.status === 'deleted' ? 'LEFT' : 'RIGHT', 1)
}

/** Whether an import can have led to a file, by the end of the file's path. */
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

/** Names that others could use and that are gone, with imports and calls elsewhere that still mean them. */
async function listRemovedNames(change: GraphedChange): Promise<Removal[]> {
  const { graph, files, head } = change
  const losses: Removal[] = []
  for (const [index, symbol] of graph.symbols.entries()) {
    const { change: kind, path, name, exported } = symbol
    const isGone = kind === 'removed' || kind === 'signature'
    // A member may be inherited.
    if (!isGone || !exported || name.includes('.')) continue
    const file = files.find((each) => each.path === path || each.oldPath === path)
    const place =
      file &&
      (kind === 'removed'
        ? findDeletedLine(file, symbol)
        : findDefinitionLine(change, path, symbol))
    if (!file || !place) continue
    const imports = graph.brokenImports
      .filter((item) => !item.inChange && item.name === name && item.target === file.path)
      .map((item) => ({ path: item.path, line: item.line, isImport: true }))
    const calls =
      kind === 'removed' && !isDefinedElsewhere(change, symbol)
        ? listCalls(graph.callers, index)
        : []
    const leftovers = [...imports, ...calls]
    if (leftovers.length === 0 || bindsName(file.path, await head(file.path), name)) continue
    losses.push({ place, what: name, leftovers })
  }
  return losses
}

/** Whether the change defines the name anew somewhere: from where it may be reached all the same. */
function isDefinedElsewhere({ graph }: GraphedChange, { name }: ChangedSymbol): boolean {
  return graph.symbols.some(
    (other) => other.change !== 'removed' && other.name.split('.').at(-1) === name,
  )
}

/** Languages in which a name may come from where no import shows it: macros, reopened classes, globals. */
const looseExtensions = new Set(
  '.c .h .cc .cpp .cxx .hh .hpp .hxx .m .mm .rb .php .js .jsx .cjs .mjs'.split(' '),
)

function listCalls(callers: readonly CallSite[], symbol: number): DanglingUse[] {
  return callers
    .filter(
      (use) =>
        use.symbol === symbol &&
        use.confidence >= minConfidenceWithoutImport &&
        use.kind !== 'value',
    )
    .filter(({ path }) => !looseExtensions.has(extname(path).toLowerCase()))
    .map(({ path, line, kind }) => ({ path, line, isImport: kind === 'import' }))
}

/** Those that don't expect to find nothing, once a file and line; those of programs before those of tests. */
async function filterDanglingUses(
  { head }: GraphedChange,
  leftovers: readonly DanglingUse[],
): Promise<DanglingUse[]> {
  const standing = new Map<string, DanglingUse>()
  for (const leftover of leftovers.slice(0, maxUsesRead)) {
    const { path, line } = leftover
    if (isFixture(path) || isGuardedImport(await head(path), line)) continue
    standing.set(`${line} ${path}`, standing.get(`${line} ${path}`) ?? leftover)
  }
  return [...standing.values()].sort(
    (one, other) => Number(isTestPath(one.path)) - Number(isTestPath(other.path)),
  )
}

function describeRemoval(what: string, standing: readonly DanglingUse[]) {
  const [first] = standing as [DanglingUse, ...DanglingUse[]]
  const count = new Set(standing.map(({ path }) => path)).size
  const files = count === 1 ? '1 other file still uses' : `${count} other files still use`
  const isCertain = standing.some(({ path, isImport }) => isImport && !isTestPath(path))
  return {
    title: `${quoteName(what)} is gone, and ${files} it`,
    body:
      `When ${quoteName(first.path)} is ` +
      `${first.isImport ? 'compiled or loaded' : 'compiled or run'}, line ${first.line} fails: ` +
      `it still names ${quoteName(what)}, which this change removes or renames.`,
    ...(isCertain && { severity: 'critical' as const }),
    evidence: standing.slice(0, maxShownUses).map(
      ({ path, line, isImport }): RuleEvidence => ({
        path,
        line,
        note: isImport ? 'imports it' : 'uses it',
      }),
    ),
  }
}

async function checkImports(change: GraphedChange): Promise<GraphHit[]> {
  const { graph, files, head } = change
  const hits: GraphHit[] = []
  for (const item of graph.brokenImports) {
    const { path, line, inChange } = item
    const isReviewed = files.some((file) => file.path === path)
    if (
      !inChange ||
      !isReviewed ||
      isFixture(path) ||
      mayBeGenerated(item) ||
      isGuardedImport(await head(path), line)
    )
      continue
    if (
      item.name !== null &&
      item.target !== null &&
      bindsName(item.target, await head(item.target), item.name)
    )
      continue
    hits.push({ ...locationAt(path, 'RIGHT', line), ...describeImport(item) })
    if (hits.length === maxFindingsPerRule) break
  }
  return hits
}

/** Languages whose imports name files, or folders of them: in others programs write much of what is imported. */
const checkedExtensions = /\.(?:[cm]?[jt]sx?|vue|svelte|py|go|rb)$/

/** What programs write before the code runs, or loaders make something of. */
const generatedPath =
  /[?!]|^virtual:|(?:^|[/._-])_*(?:generated|gen|dist|build|out|target|codegen|pb2?|grpc|proto|version)_*(?:[/._-]|$)/i
const assets =
  /\.(?:css|s[ac]ss|less|styl|svg|png|jpe?g|gif|webp|avif|ico|json5?|ya?ml|toml|mdx?|html?|txt|csv|xml|gql|graphql|wasm|node|glsl|frag|vert|woff2?|ttf|mp[34]|proto|po|d)$/i

function mayBeGenerated({ path, from }: BrokenImport): boolean {
  return (
    !checkedExtensions.test(path) ||
    generatedPath.test(from) ||
    (from.includes('/') && assets.test(from))
  )
}

function describeImport({ path, from, name, target }: BrokenImport) {
  const isTest = isTestPath(path)
  const lead =
    name === null
      ? {
          title: `The import of ${quoteName(from)} leads to no file`,
          finds: 'there is no such file',
        }
      : {
          title: `${quoteName(name)} is not exported by ${quoteName(target ?? from)}`,
          finds: `there is no ${quoteName(name)} in ${quoteName(target ?? from)}`,
        }
  return {
    title: lead.title,
    body: `When ${quoteName(path)} is compiled or loaded, it fails at this import: ${lead.finds}.`,
    ...(name === null && !isTest && { severity: 'critical' as const }),
    ...(name !== null &&
      target !== null && { evidence: [{ path: target, line: 1, note: 'has no such name' }] }),
  }
}

export const exportRules: readonly Rule[] = [
  {
    id: 'removed-export',
    summary:
      'A name or file is removed or renamed, and files that were left as they are still import ' +
      'or call it. Critical when one that is no test imports it.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.9,
    graph: checkRemoved,
  },
  {
    id: 'broken-import',
    summary:
      'An added import leads nowhere: there is no such file, or no such name in it. Critical ' +
      'without such a file.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.9,
    graph: checkImports,
  },
]
