// Reads all that is needed of the code around a change: what is stored, and what differs at the head.
import type { FileDiff } from '../../domain/diff.ts'
import { isTestPath } from '../../workspace/languages.ts'
import type { Snapshot, TreeEntry } from '../../workspace/snapshot.ts'
import { type Definer, findDefiners, readTogether, requireShown } from '../graph/read-graph.ts'
import { type Family, familyOf } from '../resolution/families.ts'
import { createImportResolver, type ImportResolver } from '../resolution/imports/import-resolver.ts'
import { readResolution, saysWhereImportsLead } from '../resolution/read-resolution.ts'
import { emptyResolution, type Resolution } from '../resolution/resolution.ts'
import { type ChangedFile, listGonePaths } from './changed-file.ts'
import type { SymbolChange } from './compare-symbols.ts'
import type { TwoViews } from './find-callers.ts'
import type { GraphReading } from './graph-reading.ts'
import { createHeadCode, type HeadCode, listFresh } from './head-code.ts'
import { listUsedNames, loadDefinitions } from './load-definitions.ts'
import { openViews } from './open-views.ts'
import { findMentions } from './read-lines.ts'
import { mostUsers, type StoredCode } from './read-stored.ts'

/** Files that differ from the graph, whose texts are looked through for the change's names. */
export const mostFresh = 500
const mostWords = 100
/** For reading beyond the change: what is known by then is told. */
const loadingMs = 2_500
const mostNames = 300
/** Tests that the graph doesn't know. */
const mostNewTests = 50

/** Languages whose files pass on names of others. */
const passesOn: ReadonlySet<Family | undefined> = new Set(['script', 'python', 'rust'])

/** What is looked at. */
export interface CodeTask {
  readonly head: Snapshot
  /** All of the diff. */
  readonly diffs: readonly FileDiff[]
  readonly files: readonly ChangedFile[]
  /** Their changed definitions, as they are told. */
  readonly symbols: readonly SymbolChange[]
  /** What the graph has around the change; null without one. */
  readonly stored: StoredCode | null
  /** All files at the head. */
  readonly listed: Promise<readonly TreeEntry[]>
}

/** Everything that was read for it. */
export interface Known {
  readonly task: CodeTask
  readonly code: HeadCode
  readonly views: TwoViews
  /** Files outside of the change that may use it. */
  readonly users: readonly string[]
  /** At the head. */
  readonly entries: ReadonlyMap<string, TreeEntry>
}

/** Reads what the code around a change says, as far as there is time for it. */
export async function readKnown(
  reading: GraphReading,
  task: CodeTask,
  signal: AbortSignal,
): Promise<Known> {
  const { files, symbols, head, stored } = task
  const names = listNames(symbols)
  const used = listUsedNames(files)
  const asked = new Set([...names, ...[...used.values()].flatMap((list) => [...list])])
  // Looked up while the files at the head are gone through.
  const looking = findStoredDefiners(reading, stored, [...asked].slice(0, mostNames))
  const listed = await task.listed
  const entries = new Map(listed.map((entry) => [entry.path, entry]))
  const loading = AbortSignal.any([signal, AbortSignal.timeout(loadingMs)])
  const code = createHeadCode({
    db: reading.db,
    cache: reading.codeCache,
    stored,
    timeoutMs: reading.queryTimeoutMs,
    reader: { syntax: reading.syntax, cache: reading.codeCache, signal: loading },
    head,
    entries,
    fresh: chooseFresh(task, entries),
    known: new Map(
      files.flatMap(({ diff, after }) =>
        after === null ? [] : [[diff.path, after.facts] as const],
      ),
    ),
  })
  const imports = await openImports(reading, task, [...entries.keys()])
  const users = stored === null ? [] : await chooseUsers(task, stored, code, loading)
  await code.load(users)
  const definers = await looking
  // Between a file and what it uses there may be others that only pass names on.
  const asking = [
    ...users.filter((path) => passesOn.has(familyOf(path))),
    ...files.map(({ diff }) => diff.path),
  ]
  await loadDefinitions(code, imports.after, new Map(asking.map((path) => [path, names])), definers)
  await loadDefinitions(code, imports.after, used, definers)
  const views = openViews({ files, facts: code.facts, whole: code.fresh, names, definers, imports })
  return { task, code, views, users, entries }
}

type Definers = ReadonlyMap<string, readonly Definer[]>

function findStoredDefiners(
  reading: GraphReading,
  stored: StoredCode | null,
  names: readonly string[],
) {
  const { db, queryTimeoutMs, attempt } = reading
  if (stored === null) return new Map<string, readonly Definer[]>()
  return attempt<Definers>('Who defines what the change uses', new Map(), () =>
    readTogether(db, queryTimeoutMs, async (tx) => {
      await requireShown(tx, stored.graph)
      return findDefiners(tx, stored.graph, names)
    }),
  )
}

/** Names by which changed definitions are used: a constructor by that of its class. */
function listNames(symbols: readonly SymbolChange[]): Set<string> {
  return new Set(symbols.flatMap(({ name }) => name.split('.').slice(-2)))
}

/** What isn't as in the graph, beside the change itself. */
function chooseFresh(
  { diffs, stored }: CodeTask,
  entries: ReadonlyMap<string, TreeEntry>,
): Set<string> {
  if (stored?.blobs === null) return new Set()
  const fresh = listFresh(entries.values(), stored?.blobs ?? new Map())
  for (const { path } of diffs) fresh.delete(path)
  return fresh
}

async function chooseUsers(
  { diffs, files, symbols, head }: CodeTask,
  { users, blobs }: StoredCode,
  code: HeadCode,
  signal: AbortSignal,
): Promise<string[]> {
  const changed = new Set(diffs.map(({ path }) => path))
  const stems = [...files.map(({ diff }) => diff.path), ...listGonePaths(diffs)].map((path) =>
    stemOf(path),
  )
  const words = [...new Set([...listNames(symbols), ...stems])].filter((word) => word.length > 2)
  // What came after the graph, or stands otherwise at the head, may have become a user.
  const fresh = [...code.fresh].slice(0, mostFresh)
  const mentioning = await findMentions(head, fresh, words.slice(0, mostWords), signal)
  const tests = fresh
    .filter((path) => isTestPath(path) && blobs?.has(path) === false)
    .slice(0, mostNewTests)
  return [...new Set([...users.slice(0, mostUsers), ...mentioning, ...tests])].filter(
    (path) => !changed.has(path),
  )
}

/** What an import calls a file: its name without extension, or that of its folder where it stands for that. */
function stemOf(path: string): string {
  const [folder = '', filename = ''] = path.split('/').slice(-2)
  const stem = (filename === '' ? folder : filename).split('.', 1)[0] ?? ''
  return /^(index|mod|lib|main|__init__)$/.test(stem) ? folder : stem
}

/** Imports before and after the change: by the manifests that the graph was built with, unless the change touches one. */
async function openImports(
  reading: GraphReading,
  { head, diffs, stored }: CodeTask,
  paths: readonly string[],
): Promise<{ before: ImportResolver; after: ImportResolver }> {
  const known = stored?.graph.resolution as unknown as Resolution | undefined
  const isKnown =
    known !== undefined &&
    !diffs.some(
      ({ path, oldPath }) =>
        saysWhereImportsLead(path, known) || saysWhereImportsLead(oldPath, known),
    )
  const resolution = isKnown
    ? known
    : await reading.attempt('Where imports lead', known ?? emptyResolution, () =>
        readResolution(head, paths),
      )
  const after = createImportResolver(paths, resolution)
  const gone = listGonePaths(diffs)
  // Nothing that leads nowhere now led somewhere before.
  const before = gone.size === 0 ? after : createImportResolver([...paths, ...gone], resolution)
  return { before, after }
}
