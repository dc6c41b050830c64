// The files of a change as those who judge it read them: each once, and what is said to stand there only if it does.
import type { FileDiff } from '../../domain/diff.ts'
import type { Evidence, Finding } from '../../domain/finding.ts'
import { createLineReader, type LineReader } from '../../git/line-reader.ts'
import type { Change } from '../../reviewers/reviewer.ts'
import { type SearchableHunk, toSearchableHunks } from './find-quote.ts'

/** Most places that a finding rests on. */
export const maxEvidence = 5

/** The files of a change as lines, at the head and at the merge base, and what the diff shows of them. */
export interface ChangeFiles {
  readonly head: LineReader
  readonly base: LineReader
  readonly hunks: (file: FileDiff) => readonly SearchableHunk[]
}

/** Reads each file once for all who judge the same change. */
export function createChangeFiles({ head, base }: Pick<Change, 'head' | 'base'>): ChangeFiles {
  const read = new Map<FileDiff, readonly SearchableHunk[]>()
  const hunks = (file: FileDiff) => {
    const known = read.get(file) ?? toSearchableHunks(file)
    read.set(file, known)
    return known
  }
  return { head: createLineReader(head), base: createLineReader(base), hunks }
}

/** The places that exist at the head; those of a claim about deleted lines may exist at the base only. */
export async function filterExistingEvidence(
  files: ChangeFiles,
  side: Finding['side'],
  evidence: readonly Evidence[],
): Promise<Evidence[]> {
  const kept: Evidence[] = []
  for (const item of evidence.slice(0, 2 * maxEvidence)) {
    const { path, line } = item
    const exists = async (read: LineReader) =>
      Number.isInteger(line) && line >= 1 && line <= ((await read(path))?.length ?? 0)
    if (kept.some((other) => other.path === path && other.line === line)) continue
    if ((await exists(files.head)) || (side === 'LEFT' && (await exists(files.base))))
      kept.push(item)
  }
  return kept.slice(0, maxEvidence)
}
