// Reads texts at the head: lines of callers, targets of broken imports, files that mention names.
import type { BrokenImport, CallSite } from '../../domain/change-graph.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import { isConfirmed, type SuspectedImport } from './find-broken-imports.ts'
import type { UnreadCallSite } from './find-change-callers.ts'
import { forEachConcurrently } from './read-changed-files.ts'

const maxLineLength = 300
const maxFileBytes = 512 * 1024

/** Adds the texts of their lines to call sites. Those whose file can't be read are left out. */
export async function readCallerLines(
  head: Pick<Snapshot, 'readFile'>,
  callSites: readonly UnreadCallSite[],
  signal: AbortSignal,
): Promise<CallSite[]> {
  const sitesByPath = Map.groupBy(callSites, ({ path }) => path)
  const texts = new Map<UnreadCallSite, string>()
  await forEachConcurrently([...sitesByPath], signal, async ([path, sites]) => {
    const lines = (await readText(head, path))?.split('\n')
    for (const site of sites) {
      const line = lines?.[site.line - 1]
      if (line !== undefined) texts.set(site, line.trim().slice(0, maxLineLength))
    }
  })
  return callSites.flatMap((site) => {
    const text = texts.get(site)
    return text === undefined ? [] : [{ ...site, text }]
  })
}

/** Removes suspected imports that are valid according to the texts of their targets. */
export async function confirmBrokenImports(
  head: Pick<Snapshot, 'readFile'>,
  suspected: readonly SuspectedImport[],
  signal: AbortSignal,
): Promise<BrokenImport[]> {
  const texts = new Map<string, string | undefined>()
  const targets = new Set(suspected.map(({ target }) => target).filter((path) => path !== null))
  await forEachConcurrently([...targets], signal, async (path) =>
    texts.set(path, await readText(head, path)),
  )
  return suspected.flatMap((item) => {
    const text = item.target === null ? '' : texts.get(item.target)
    const { isRemoved: _, ...brokenImport } = item
    return text !== undefined && isConfirmed(item, text) ? [brokenImport] : []
  })
}

/** Finds the files that contain one of the terms, in the order of `paths`. */
export async function findFilesMentioning(
  head: Pick<Snapshot, 'readFile'>,
  paths: readonly string[],
  terms: readonly string[],
  signal: AbortSignal,
): Promise<string[]> {
  const found = new Set<string>()
  await forEachConcurrently(paths, signal, async (path) => {
    const text = await readText(head, path)
    if (text !== undefined && terms.some((term) => text.includes(term))) found.add(path)
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
