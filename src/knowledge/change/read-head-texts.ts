// Reads texts at the head: lines of callers, what could refute that an import is broken, who mentions a name.
import type { BrokenImport, CallSite } from '../../domain/change-graph.ts'
import type { Snapshot } from '../../git/snapshot.ts'
import { isConfirmed, type SuspectedImport } from './find-broken-imports.ts'
import type { UnreadCallSite } from './find-change-callers.ts'
import { forEachConcurrently } from './read-changed-files.ts'

const maxLineLength = 300
const maxFileBytes = 512 * 1024

/** The uses with the text of their lines; those whose file can't be read are left out. */
export async function readCallerLines(
  head: Pick<Snapshot, 'readFile'>,
  uses: readonly UnreadCallSite[],
  signal: AbortSignal,
): Promise<CallSite[]> {
  const wanted = Map.groupBy(uses, ({ path }) => path)
  const texts = new Map<UnreadCallSite, string>()
  await forEachConcurrently([...wanted], signal, async ([path, sites]) => {
    const lines = (await readText(head, path))?.split('\n')
    for (const site of sites) {
      const line = lines?.[site.line - 1]
      if (line !== undefined) texts.set(site, line.trim().slice(0, maxLineLength))
    }
  })
  return uses.flatMap((use) => {
    const text = texts.get(use)
    return text === undefined ? [] : [{ ...use, text }]
  })
}

/** Those that the texts of their targets don't refute. */
export async function confirmBrokenImports(
  head: Pick<Snapshot, 'readFile'>,
  suspicions: readonly SuspectedImport[],
  signal: AbortSignal,
): Promise<BrokenImport[]> {
  const texts = new Map<string, string | undefined>()
  const targets = new Set(suspicions.flatMap(({ target }) => (target === null ? [] : [target])))
  await forEachConcurrently([...targets], signal, async (path) =>
    texts.set(path, await readText(head, path)),
  )
  return suspicions.flatMap((suspicion) => {
    const text = suspicion.target === null ? '' : texts.get(suspicion.target)
    const { isRemoved: _, ...broken } = suspicion
    return text !== undefined && isConfirmed(suspicion, text) ? [broken] : []
  })
}

/** Those of the files whose text has one of the words, in their order. */
export async function findFilesMentioning(
  head: Pick<Snapshot, 'readFile'>,
  paths: readonly string[],
  words: readonly string[],
  signal: AbortSignal,
): Promise<string[]> {
  const found = new Set<string>()
  await forEachConcurrently(paths, signal, async (path) => {
    const text = await readText(head, path)
    if (text !== undefined && words.some((word) => text.includes(word))) found.add(path)
  })
  return paths.filter((path) => found.has(path))
}

async function readText(
  head: Pick<Snapshot, 'readFile'>,
  path: string,
): Promise<string | undefined> {
  const bytes = await head.readFile(path, { maxBytes: maxFileBytes })
  return bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
}
