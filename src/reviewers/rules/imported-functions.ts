// Finds the async functions in the modules that a script imports from its own repository.
import { posix } from 'node:path'
import type { Snapshot } from '../../domain/snapshot.ts'
import type { AsyncFunction } from './async-callees.ts'
import type { ImportedName, KnownModule } from './imported-names.ts'

const maxFileBytes = 256 * 1024

type ListAsyncExports = (path: string, text: string) => Promise<readonly AsyncFunction[]>

/**
 * Reads the modules of imported names.
 *
 * @returns all of the modules, or none if none of the names is an async function
 */
export async function readImportedModules(
  path: string,
  names: readonly ImportedName[],
  head: Pick<Snapshot, 'readFile'>,
  listAsyncExports: ListAsyncExports,
): Promise<KnownModule[]> {
  const modules: KnownModule[] = []
  let hasAsync = false
  for (const [from, imported] of Map.groupBy(names, (item) => item.from)) {
    const file = await readModule(posix.join(posix.dirname(path), from), head)
    const functions = file ? await listAsyncExports(file.path, file.text) : []
    hasAsync ||= functions.some(({ name }) => imported.some((item) => item.name === name))
    modules.push({ from, path: file?.path ?? from, functions })
  }
  return hasAsync ? modules : []
}

async function readModule(
  path: string,
  head: Pick<Snapshot, 'readFile'>,
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
