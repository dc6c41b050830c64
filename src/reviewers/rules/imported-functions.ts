// Finds out which functions that a script imports from its own repository are asynchronous.
import { posix } from 'node:path'
import type { Snapshot } from '../../git/snapshot.ts'
import type { ImportedFunction } from './rule.ts'

/** How many files a script's imports may make us read, how large each, and how many names of them may matter. */
const mostFiles = 12
const maxFileBytes = 256 * 1024
const mostNames = 1_000

const importClause =
  /\bimport\s{1,5}\{([^{}]{1,2000})\}\s{0,5}from\s{0,5}['"](\.{1,2}\/[^'"\s]{1,200})['"]/g

interface ImportedName {
  readonly imported: string
  readonly local: string
}

/** A file that a script imports from, and the names that matter of it. */
export interface ImportedModule {
  readonly path: string
  readonly text: string
  readonly names: readonly ImportedName[]
}

/**
 * Reads the files of its own repository from which a script imports by name what it calls in `added`. Only relative
 * paths are followed, and only one step: a file that passes on what it imports doesn't count.
 *
 * @param added lines, cut to a length that people write
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

/** The async functions among what was imported. Takes long for hostile files: `checkTime` may throw to end it. */
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
    if (names.length === 0 || (found.size >= mostFiles && !found.has(specifier))) continue
    found.set(specifier, [...(found.get(specifier) ?? []), ...names])
    for (const { local } of names) locals.add(local)
    if (locals.size >= mostNames) break
  }
  return found
}

function readClause(clause: string): ImportedName[] {
  return clause.split(',').flatMap((part) => {
    const match = /^\s*([\w$]+)(?:\s+as\s+([\w$]+))?\s*$/.exec(part)
    return match ? [{ imported: match[1]!, local: match[2] ?? match[1]! }] : []
  })
}

/** Lines that export an async function, or one that says that it returns a promise, by its name; 1-based. */
function findAsyncExports(lines: readonly string[]): Map<string, number> {
  const found = new Map<string, number>()
  for (const [index, line] of lines.entries()) {
    const name = line.startsWith('export ') ? asyncExportOf(line.slice(0, 500)) : undefined
    if (name !== undefined && !found.has(name)) found.set(name, index + 1)
  }
  return found
}

/**
 * Whether a function that begins in a line waits for things only inside `try … catch`, as its indentation shows: all
 * that it awaits stands deeper than a `try` before it, and a `catch` comes after.
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

function asyncExportOf(line: string): string | undefined {
  const match =
    /^export (?:default )?(async )?function ([\w$]+)|^export const ([\w$]+)[^=]{0,200}= (async\b)/.exec(
      line,
    )
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
    // A file that can't be read says nothing; the rules go on without it.
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
