// Describes where lines that a model has read before use what the lines to read define.
import type { FileDiff } from '../../domain/diff.ts'
import type { ContextSpan } from '../../reviewers/packed-context.ts'
import type { CountTokens } from './count-tokens.ts'
import { linesOf, type Passage } from './cut-passages.ts'
import { type Entry, fillSpan } from './fill-span.ts'
import { findNames } from './identify-passages.ts'
import { listChangedSymbols } from './list-changed-symbols.ts'
import type { HeadReader } from './read-head.ts'

const maxUses = 60
const maxLineLength = 160

/**
 * The round of a push leaves out what was read before. Those of its lines that use what changed are
 * shown like other callers, as a review of the whole change shows them in the diff.
 */
export async function describeKeptUses(
  head: HeadReader,
  { files, kept }: { files: readonly FileDiff[]; kept: readonly Passage[] },
  maxTokens: number,
  measure: CountTokens,
): Promise<ContextSpan[]> {
  if (kept.length === 0) return []
  const entries = listUses(kept, await listChangedNames(head, files))
  const heading = 'Other changed lines, which were read before, use what these lines define:'
  const group = { heading, entries, more: 0 }
  const span = fillSpan({ origin: 'callers', trust: 'untrusted' }, [group], maxTokens, measure)
  return span === undefined ? [] : [span]
}

async function listChangedNames(
  head: HeadReader,
  files: readonly FileDiff[],
): Promise<ReadonlySet<string>> {
  const names: string[] = []
  for (const file of files) {
    const view = file.status === 'deleted' ? undefined : await head.readChanged(file.path)
    names.push(...listChangedSymbols(file, view).map(({ name }) => name))
  }
  return new Set(names)
}

/** Lists each line once: passages may overlap. */
function listUses(passages: readonly Passage[], names: ReadonlySet<string>): Entry[] {
  const entries = new Map<string, Entry>()
  for (const passage of passages) {
    const { path } = passage.file
    for (const { newLine: line, text } of linesOf(passage)) {
      if (line === null || !findNames(text).some((name) => names.has(name))) continue
      if (entries.size === maxUses) return [...entries.values()]
      const lines = { path, side: 'RIGHT' as const, start: line, end: line }
      const code = text.trim().slice(0, maxLineLength).toWellFormed()
      entries.set(`${path}:${line}`, { text: `${path}:${line}: ${code}`, lines })
    }
  }
  return [...entries.values()]
}
