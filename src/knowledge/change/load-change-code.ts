// Reads all that is needed of the code around a change: what is stored, and what differs at the head.

import { isTestPath } from '../../code/languages.ts'
import type { FileDiff } from '../../domain/diff.ts'
import type { Snapshot, TreeEntry } from '../../git/snapshot.ts'
import {
  findDefinitionsByName,
  readInOneSnapshot,
  requireCurrent,
  type StoredDefinition,
} from '../graph/read-graph.ts'
import { emptyImportConfig, type ImportConfig } from '../resolution/import-config.ts'
import { createImportResolver, type ImportResolver } from '../resolution/imports/import-resolver.ts'
import { familyOfPath, type LanguageFamily } from '../resolution/language-families.ts'
import { affectsImportConfig, readImportConfig } from '../resolution/read-import-config.ts'
import type { ChangeGraphContext } from './change-graph-context.ts'
import { type ChangedFile, listRemovedPaths } from './changed-file.ts'
import type { SymbolChange } from './compare-symbols.ts'
import type { ChangeViews } from './find-change-callers.ts'
import { createHeadIndex, type HeadIndex, listDifferingFiles } from './head-index.ts'
import { listUsedNames, loadDefinitions } from './load-definitions.ts'
import { openChangeViews } from './open-change-views.ts'
import { findFilesMentioning } from './read-head-texts.ts'
import { maxUsingFiles, type StoredCode } from './read-stored-code.ts'

/** Files that differ from the graph, whose texts are looked through for the change's names. */
export const maxDifferingFiles = 500
const maxWords = 100
/** For reading beyond the change: what is known by then is told. */
const loadTimeoutMs = 2_500
const maxNames = 300
/** Tests that the graph doesn't know. */
const maxNewTests = 50

/** Languages whose files pass on names of others. */
const reexportingFamilies: ReadonlySet<LanguageFamily | undefined> = new Set([
  'script',
  'python',
  'rust',
])

/** What is looked at. */
export interface CodeImpactInput {
  readonly head: Snapshot
  /** All of the diff. */
  readonly diffs: readonly FileDiff[]
  readonly files: readonly ChangedFile[]
  /** Their changed definitions, as they are told. */
  readonly symbols: readonly SymbolChange[]
  /** What the graph has around the change; null without one. */
  readonly stored: StoredCode | null
  /** All files at the head. */
  readonly headEntries: Promise<readonly TreeEntry[]>
}

/** Everything that was read for it. */
export interface ChangeCode {
  readonly input: CodeImpactInput
  readonly headIndex: HeadIndex
  readonly views: ChangeViews
  /** Files outside of the change that may use it. */
  readonly usingPaths: readonly string[]
  /** At the head. */
  readonly entries: ReadonlyMap<string, TreeEntry>
}

/** Reads what the code around a change says, as far as there is time for it. */
export async function loadChangeCode(
  reading: ChangeGraphContext,
  task: CodeImpactInput,
  signal: AbortSignal,
): Promise<ChangeCode> {
  const { files, symbols, head, stored } = task
  const names = listNames(symbols)
  const used = listUsedNames(files)
  const asked = new Set([...names, ...[...used.values()].flatMap((list) => [...list])])
  // Looked up while the files at the head are gone through.
  const looking = findStoredDefinitions(reading, stored, [...asked].slice(0, maxNames))
  const listed = await task.headEntries
  const entries = new Map(listed.map((entry) => [entry.path, entry]))
  const loading = AbortSignal.any([signal, AbortSignal.timeout(loadTimeoutMs)])
  const code = createHeadIndex({
    db: reading.db,
    cache: reading.codeCache,
    stored,
    timeoutMs: reading.queryTimeoutMs,
    reader: { syntax: reading.syntax, cache: reading.codeCache, signal: loading },
    head,
    entries,
    fresh: chooseDifferingFiles(task, entries),
    known: new Map(
      files.flatMap(({ diff, after }) =>
        after === null ? [] : [[diff.path, after.fileIndex] as const],
      ),
    ),
  })
  const imports = await openImports(reading, task, [...entries.keys()])
  const users = stored === null ? [] : await chooseUsingPaths(task, stored, code, loading)
  await code.load(users)
  const definers = await looking
  // Between a file and what it uses there may be others that only pass names on.
  const asking = [
    ...users.filter((path) => reexportingFamilies.has(familyOfPath(path))),
    ...files.map(({ diff }) => diff.path),
  ]
  await loadDefinitions(code, imports.after, new Map(asking.map((path) => [path, names])), definers)
  await loadDefinitions(code, imports.after, used, definers)
  const views = openChangeViews({
    files,
    fileIndexes: code.fileIndexes,
    completePaths: code.differingFiles,
    names,
    definitions: definers,
    imports,
  })
  return { input: task, headIndex: code, views, usingPaths: users, entries }
}

type DefinitionsByName = ReadonlyMap<string, readonly StoredDefinition[]>

function findStoredDefinitions(
  reading: ChangeGraphContext,
  stored: StoredCode | null,
  names: readonly string[],
) {
  const { db, queryTimeoutMs, withFallback: attempt } = reading
  if (stored === null) return new Map<string, readonly StoredDefinition[]>()
  return attempt<DefinitionsByName>('Who defines what the change uses', new Map(), () =>
    readInOneSnapshot(db, queryTimeoutMs, async (tx) => {
      await requireCurrent(tx, stored.graph)
      return findDefinitionsByName(tx, stored.graph, names)
    }),
  )
}

/** Names by which changed definitions are used: a constructor by that of its class. */
function listNames(symbols: readonly SymbolChange[]): Set<string> {
  return new Set(symbols.flatMap(({ name }) => name.split('.').slice(-2)))
}

/** What isn't as in the graph, beside the change itself. */
function chooseDifferingFiles(
  { diffs, stored }: CodeImpactInput,
  entries: ReadonlyMap<string, TreeEntry>,
): Set<string> {
  if (stored?.blobs === null) return new Set()
  const fresh = listDifferingFiles(entries.values(), stored?.blobs ?? new Map())
  for (const { path } of diffs) fresh.delete(path)
  return fresh
}

async function chooseUsingPaths(
  { diffs, files, symbols, head }: CodeImpactInput,
  { usingPaths: users, blobs }: StoredCode,
  code: HeadIndex,
  signal: AbortSignal,
): Promise<string[]> {
  const changed = new Set(diffs.map(({ path }) => path))
  const stems = [...files.map(({ diff }) => diff.path), ...listRemovedPaths(diffs)].map((path) =>
    stemOf(path),
  )
  const words = [...new Set([...listNames(symbols), ...stems])].filter((word) => word.length > 2)
  // What came after the graph, or stands otherwise at the head, may have become a user.
  const fresh = [...code.differingFiles].slice(0, maxDifferingFiles)
  const mentioning = await findFilesMentioning(head, fresh, words.slice(0, maxWords), signal)
  const tests = fresh
    .filter((path) => isTestPath(path) && blobs?.has(path) === false)
    .slice(0, maxNewTests)
  return [...new Set([...users.slice(0, maxUsingFiles), ...mentioning, ...tests])].filter(
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
  reading: ChangeGraphContext,
  { head, diffs, stored }: CodeImpactInput,
  paths: readonly string[],
): Promise<{ before: ImportResolver; after: ImportResolver }> {
  const known = stored?.graph.resolution as unknown as ImportConfig | undefined
  const isKnown =
    known !== undefined &&
    !diffs.some(
      ({ path, oldPath }) =>
        affectsImportConfig(path, known) || affectsImportConfig(oldPath, known),
    )
  const resolution = isKnown
    ? known
    : await reading.withFallback('Where imports lead', known ?? emptyImportConfig, () =>
        readImportConfig(head, paths),
      )
  const after = createImportResolver(paths, resolution)
  const gone = listRemovedPaths(diffs)
  // Nothing that leads nowhere now led somewhere before.
  const before = gone.size === 0 ? after : createImportResolver([...paths, ...gone], resolution)
  return { before, after }
}
