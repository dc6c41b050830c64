// Finds out which functions that a script imports from its own repository are asynchronous.
import { posix } from 'node:path'
import type { Snapshot } from '../../workspace/snapshot.ts'
import type { ImportedFunction } from './rule.ts'

/** How many files a script's imports may make us read, and how large each. */
const mostFiles = 12
const maxFileBytes = 256 * 1024

const importClause = /\bimport\s{1,5}\{([^{}]{1,2000})\}\s{0,5}from\s{0,5}['"](\.{1,2}\/[^'"\s]{1,200})['"]/g

/**
 * The async functions that a script imports by name from files of its own repository and calls in `added`. Only
 * relative paths are followed, and only one step: a file that passes on what it imports doesn't count.
 */
export async function findImportedFunctions(
  path: string,
  text: string,
  added: string,
  head: Snapshot,
): Promise<ImportedFunction[]> {
  const found: ImportedFunction[] = []
  let files = 0
  for (const [, clause = '', specifier = ''] of text.matchAll(importClause)) {
    const names = readClause(clause).filter(({ local }) => added.includes(`${local}(`))
    if (names.length === 0 || ++files > mostFiles) continue
    const file = await readModule(posix.join(posix.dirname(path), specifier), head)
    for (const { imported, local } of file ? names : []) {
      const line = file!.lines.findIndex((candidate) => definesAsync(candidate, imported))
      if (line >= 0) found.push({ name: local, path: file!.path, line: line + 1, neverFails: false })
    }
  }
  return found
}

function readClause(clause: string): { imported: string; local: string }[] {
  return clause.split(',').flatMap((part) => {
    const match = /^\s*([\w$]+)(?:\s+as\s+([\w$]+))?\s*$/.exec(part)
    return match ? [{ imported: match[1]!, local: match[2] ?? match[1]! }] : []
  })
}

/** Whether a line exports an async function under the name, or one that says that it returns a promise. */
function definesAsync(line: string, name: string): boolean {
  if (!line.startsWith('export ')) return false
  const head = line.slice(0, 500)
  const match = /^export (?:default )?(async )?function ([\w$]+)|^export const ([\w$]+)[^=]{0,200}= (async\b)/.exec(
    head,
  )
  if ((match?.[2] ?? match?.[3]) !== name) return false
  return match?.[1] !== undefined || match?.[4] !== undefined || /\): Promise<[^{]{0,200}\{\s*$/.test(head)
}

async function readModule(
  path: string,
  head: Snapshot,
): Promise<{ path: string; lines: readonly string[] } | undefined> {
  if (path.startsWith('..')) return undefined
  for (const candidate of candidatesOf(path)) {
    // A file that can't be read says nothing; the rules go on without it.
    const bytes = await head.readFile(candidate, { maxBytes: maxFileBytes }).catch(() => undefined)
    if (bytes) return { path: candidate, lines: new TextDecoder().decode(bytes).split(/\r?\n/) }
  }
  return undefined
}

function candidatesOf(path: string): string[] {
  if (/\.[cm]?tsx?$/.test(path)) return [path]
  const compiled = /^(.*)\.([cm]?)js$/.exec(path)
  if (compiled) return [path, `${compiled[1]}.${compiled[2]}ts`, `${compiled[1]}.tsx`]
  return [`${path}.ts`, `${path}.tsx`, `${path}.js`, `${path}/index.ts`, `${path}/index.js`]
}
