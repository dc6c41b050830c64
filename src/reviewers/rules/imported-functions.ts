// Finds out which functions that a script imports from its own repository are asynchronous.
import { posix } from 'node:path'
import type { Snapshot } from '../../domain/snapshot.ts'
import type { ImportedFunction } from './rule.ts'

/** Limits the files that are read for the imports of one script. */
const maxFiles = 12
const maxFileBytes = 256 * 1024
/** Limits the imported names that are looked up for one script. */
const maxNames = 1_000

const importClause =
  /\bimport\s{1,5}\{([^{}]{1,2000})\}\s{0,5}from\s{0,5}['"](\.{1,2}\/[^'"\s]{1,200})['"]/g

interface ImportedName {
  readonly imported: string
  readonly local: string
}

/** A file that a script imports from, and the imported names that the added lines call. */
export interface ImportedModule {
  readonly path: string
  readonly text: string
  readonly names: readonly ImportedName[]
}

/**
 * Reads the files from which a script imports the functions that it calls in `added`. Follows only
 * relative paths, and no re-exports.
 *
 * @param added lines, cut to a bounded length
 */
export async function readImportedModules(
  path: string,
  text: string,
  added: readonly string[],
  head: Snapshot,
): Promise<ImportedModule[]> {
  const modules: ImportedModule[] = []
  for (const [specifier, names] of findCalledImports(text, findCalledNames(added))) {
    const file = await readModule(posix.join(posix.dirname(path), specifier), head)
    if (file) modules.push({ ...file, names })
  }
  return modules
}

/** Lists the imported functions that are async. `checkTime` may throw, to stop at slow files. */
export function findImportedFunctions(
  modules: readonly ImportedModule[],
  checkTime: () => void,
): ImportedFunction[] {
  return modules.flatMap(({ path, text, names }) => {
    checkTime()
    const lines = text.split(/\r?\n/)
    const exported = findAsyncExports(lines)
    return names.flatMap(({ imported, local }) => {
      const line = exported.get(imported)
      return line === undefined
        ? []
        : [{ name: local, path, line, neverFails: handlesErrors(lines, line) }]
    })
  })
}

function findCalledNames(lines: readonly string[]): Set<string> {
  const called = new Set<string>()
  for (const line of lines) {
    for (const [, name = '', bracket] of line.matchAll(/([\w$]+)(\(?)/g))
      if (bracket !== '') called.add(name)
  }
  return called
}

/** The imported names that are called, by the path they come from. */
function findCalledImports(text: string, called: ReadonlySet<string>): Map<string, ImportedName[]> {
  const found = new Map<string, ImportedName[]>()
  const locals = new Set<string>()
  if (called.size === 0) return found
  for (const [, clause = '', specifier = ''] of text.matchAll(importClause)) {
    // A name can be imported only once.
    const names = readClause(clause).filter(({ local }) => called.has(local) && !locals.has(local))
    if (names.length === 0 || (found.size >= maxFiles && !found.has(specifier))) continue
    found.set(specifier, [...(found.get(specifier) ?? []), ...names])
    for (const { local } of names) locals.add(local)
    if (locals.size >= maxNames) break
  }
  return found
}

function readClause(clause: string): ImportedName[] {
  return clause.split(',').flatMap((part) => {
    const match = /^\s*([\w$]+)(?:\s+as\s+([\w$]+))?\s*$/.exec(part)
    return match ? [{ imported: match[1]!, local: match[2] ?? match[1]! }] : []
  })
}

/** The 1-based lines that export an async function or one that returns a promise, by name. */
function findAsyncExports(lines: readonly string[]): Map<string, number> {
  const found = new Map<string, number>()
  for (const [index, line] of lines.entries()) {
    const name = line.startsWith('export ') ? asyncExportOf(line.slice(0, 500)) : undefined
    if (name !== undefined && !found.has(name)) found.set(name, index + 1)
  }
  return found
}

/**
 * Whether a function that begins on a line awaits only inside of `try … catch`, judged by its
 * indentation: every `await` lies between a `try` and the `catch` with the same indentation.
 */
function handlesErrors(lines: readonly string[], line: number): boolean {
  if (!/[{(]\s*$/.test(lines[line - 1]?.slice(0, 500) ?? '')) return false
  const end = lines.findIndex((text, index) => index >= line && /^[})]/.test(text))
  const body = lines
    .slice(line, Math.min(end < 0 ? line : end, line + 300))
    .map((text) => text.slice(0, 500))
  const depthOf = (text: string) => /^\s*/.exec(text)![0].length
  const opened = body.findIndex((text) => /^\s*try \{/.test(text))
  const awaits = body.flatMap((text, index) => (/\bawait\b/.test(text) ? [index] : []))
  const depth = depthOf(body[opened] ?? '')
  const closed = body.findIndex(
    (text, index) => index > opened && depthOf(text) === depth && /^\s*\} catch\b/.test(text),
  )
  return (
    opened >= 0 && awaits.length > 0 && awaits.every((index) => index > opened && index < closed)
  )
}

const asyncExport = new RegExp(
  String.raw`^export (?:default )?(async )?function ([\w$]+)` +
    String.raw`|^export const ([\w$]+)[^=]{0,200}= (async\b)`,
)

function asyncExportOf(line: string): string | undefined {
  const match = asyncExport.exec(line)
  const isAsync = match?.[1] !== undefined || match?.[4] !== undefined
  return isAsync || /\): Promise<[^{]{0,200}\{\s*$/.test(line)
    ? (match?.[2] ?? match?.[3])
    : undefined
}

async function readModule(
  path: string,
  head: Snapshot,
): Promise<{ path: string; text: string } | undefined> {
  if (path.startsWith('..')) return undefined
  for (const candidate of candidatesOf(path)) {
    // A file that can't be read is skipped; the rules run without it.
    const bytes = await head.readFile(candidate, { maxBytes: maxFileBytes }).catch(() => undefined)
    if (bytes) return { path: candidate, text: new TextDecoder().decode(bytes) }
  }
  return undefined
}

function candidatesOf(path: string): string[] {
  if (/\.[cm]?tsx?$/.test(path)) return [path]
  const compiled = /^(.*)\.([cm]?)js$/.exec(path)
  if (compiled) return [path, `${compiled[1]}.${compiled[2]}ts`, `${compiled[1]}.tsx`]
  return [`${path}.ts`, `${path}.tsx`, `${path}.js`, `${path}/index.ts`, `${path}/index.js`]
}
