// Reads what the changed files say, at the base and at the head.
import type { FileDiff } from '../../domain/diff.ts'
import { GitError } from '../../domain/errors.ts'
import { sourceKindOf } from '../../workspace/facts/source-kind.ts'
import type { Snapshot } from '../../workspace/snapshot.ts'
import type { Syntax } from '../../workspace/syntax.ts'
import type { ChangedFile } from './changed-file.ts'
import { mapLines } from './changed-lines.ts'
import { compareSymbols, type FileVersion } from './compare-symbols.ts'

/** Of one file; larger ones were written by programs. */
const mostBytes = 512 * 1024
/** Of all texts together. */
const mostText = 32 * 1024 * 1024
const mostFiles = 300
/** Read and parsed at the same time: there are two threads, and git answers one after the other. */
const atOnce = 4

/** What is needed to read code at a commit. */
export interface CodeReader {
  readonly syntax: Pick<Syntax, 'facts'>
  readonly signal: AbortSignal
}

/** Reads one file; undefined where it isn't, is too large, or can't be parsed. */
export async function readVersion(
  { syntax }: CodeReader,
  snapshot: Pick<Snapshot, 'readFile'>,
  path: string,
): Promise<FileVersion | undefined> {
  try {
    const bytes = await snapshot.readFile(path, { maxBytes: mostBytes })
    if (bytes === undefined) return undefined
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
    const facts = await syntax.facts(path, text)
    return facts && { path, text, facts }
  } catch (error) {
    // Too large, or damaged: as good as not there. What may pass is for the caller.
    if (error instanceof GitError && !error.retryable) return undefined
    throw error
  }
}

/** Does something with many, some at the same time, until the signal is aborted. Returns how many were begun. */
export async function forEachOf<Item>(
  items: readonly Item[],
  signal: AbortSignal,
  work: (item: Item) => Promise<unknown>,
): Promise<number> {
  let next = 0
  const runner = async () => {
    while (next < items.length && !signal.aborted) await work(items[next++] as Item)
  }
  await Promise.all(Array.from({ length: atOnce }, runner))
  return next
}

/** The source files of a change with their facts, and what could not be read, one sentence each. */
export async function readChangedFiles(
  reader: CodeReader,
  { files, head, base }: { files: readonly FileDiff[]; head: Snapshot; base: Snapshot },
): Promise<{ files: readonly ChangedFile[]; notes: readonly string[] }> {
  const sources = files.filter(({ path, oldPath, binary, submodule }) => {
    return !binary && !submodule && (sourceKindOf(path) !== undefined || sourceKindOf(oldPath) !== undefined)
  })
  const read = new Map<FileDiff, ChangedFile>()
  let text = 0
  let unread = Math.max(0, sources.length - mostFiles)
  const begun = await forEachOf(sources.slice(0, mostFiles), reader.signal, async (diff) => {
    if (text > mostText) {
      unread++
      return
    }
    const { status, path, oldPath } = diff
    const [before = null, after = null] = await Promise.all([
      status === 'added' || status === 'copied' ? undefined : readVersion(reader, base, oldPath),
      status === 'deleted' ? undefined : readVersion(reader, head, path),
    ])
    text += (before?.text.length ?? 0) + (after?.text.length ?? 0)
    const isHalf = (before === null && hasBefore(diff)) || (after === null && status !== 'deleted')
    const symbols = isHalf ? [] : compareSymbols(before, after)
    if (before !== null || after !== null) read.set(diff, { diff, before, after, lines: mapLines(diff), symbols })
  })
  unread += Math.min(sources.length, mostFiles) - begun
  return {
    files: sources.flatMap((diff) => read.get(diff) ?? []),
    notes: unread === 0 ? [] : [`${countFiles(unread)} of the change were not looked at for what they define and use.`],
  }
}

function hasBefore({ status }: FileDiff): boolean {
  return status === 'modified' || status === 'renamed' || status === 'deleted'
}

function countFiles(count: number): string {
  return count === 1 ? '1 source file' : `${count} source files`
}
