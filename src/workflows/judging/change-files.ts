// Reads the files of a change for the judge, each once, and checks that cited lines exist.

import type { Change } from '../../domain/change.ts'
import type { DiffHunk, DiffLine, FileDiff } from '../../domain/diff.ts'
import type { Evidence, Finding } from '../../domain/finding.ts'
import { identifyLines } from '../../git/hunk-identity.ts'
import { createLineReader, type LineReader } from '../../git/line-reader.ts'
import { type SearchableHunk, toSearchableHunks } from './find-quote.ts'
import { type ComparableLine, toComparableLines } from './match-code.ts'

/** A finding cites at most this many locations. */
export const maxEvidence = 5

export interface ChangeFiles {
  readonly head: LineReader
  /** Reads at the merge base. */
  readonly base: LineReader
  readonly hunks: (file: FileDiff) => readonly SearchableHunk[]
  /** Prepares the lines of a whole file for comparisons with quotes. */
  readonly comparable: (lines: readonly string[]) => readonly ComparableLine[]
  /** Returns the identities of the changed lines of a hunk, see `identifyLines`. */
  readonly identities: (hunk: DiffHunk) => ReadonlyMap<DiffLine, string>
}

/** The result caches what it reads, for all steps that judge the same change. */
export function createChangeFiles({ head, base }: Pick<Change, 'head' | 'base'>): ChangeFiles {
  return {
    head: createLineReader(head),
    base: createLineReader(base),
    hunks: cacheResults(toSearchableHunks),
    comparable: cacheResults((lines) =>
      toComparableLines(lines.map((text, index) => ({ number: index + 1, text }))),
    ),
    identities: cacheResults(identifyLines),
  }
}

function cacheResults<Key extends WeakKey, Result>(
  compute: (key: Key) => Result,
): (key: Key) => Result {
  // The readers drop files that weren't read for a while.
  const results = new WeakMap<Key, Result>()
  return (key) => {
    const result = results.get(key) ?? compute(key)
    results.set(key, result)
    return result
  }
}

/** Keeps evidence whose line exists at the head, or at the base for a claim about deleted lines. */
export async function filterExistingEvidence(
  files: ChangeFiles,
  side: Finding['side'],
  evidence: readonly Evidence[],
): Promise<Evidence[]> {
  const existing: Evidence[] = []
  for (const item of evidence.slice(0, 2 * maxEvidence)) {
    const { path, line } = item
    const exists = async (read: LineReader) =>
      Number.isInteger(line) && line >= 1 && line <= ((await read(path))?.length ?? 0)
    if (existing.some((other) => other.path === path && other.line === line)) continue
    if ((await exists(files.head)) || (side === 'LEFT' && (await exists(files.base))))
      existing.push(item)
  }
  return existing.slice(0, maxEvidence)
}
