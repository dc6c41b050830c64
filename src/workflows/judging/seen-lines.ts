// Which changed lines models have read by now, kept from review to review.
import type { Coverage } from '../../domain/review.ts'
import { identifyLines } from '../../git/hunk-identity.ts'
import type { Change } from '../../reviewers/reviewer.ts'
import type { ReviewersOutcome } from '../run-reviewers.ts'

/** Lines beyond count as unseen: the ratchet doesn't hold there. */
const mostLines = 20_000
/** Hexadecimal digits of one identity. */
const digits = 16

/**
 * The changed lines that a model has read, this time or in an earlier review. A file that one of the model's reviewers
 * could not read wholly is none that they read; where one failed, nothing new was read.
 */
export function collectSeenLines(
  change: Change,
  { reports, failures }: Pick<ReviewersOutcome, 'reports' | 'failures'>,
  coverage: Pick<Coverage, 'skipped'>,
): Set<string> {
  const byModels = reports.filter((report) => report.usage.calls > 0)
  const unread = new Set([
    ...coverage.skipped.map(({ path }) => path),
    ...byModels.flatMap(({ unread }) => unread),
  ])
  const readFile = (path: string) =>
    byModels.length > 0 && failures.length === 0 && !unread.has(path)
  const before = change.earlier.seenLines
  const seen = new Set<string>()
  for (const file of change.files) {
    const isRead = readFile(file.path)
    if (!isRead && before.size === 0) continue
    for (const identity of file.hunks.flatMap((hunk) => [...identifyLines(hunk).values()])) {
      if (isRead || before.has(identity)) seen.add(identity)
      if (seen.size === mostLines) return seen
    }
  }
  return seen
}

/** As they are stored: 8 bytes each. */
export function encodeLines(lines: ReadonlySet<string>): Buffer {
  return Buffer.from([...lines].join(''), 'hex')
}

export function decodeLines(bytes: Uint8Array): Set<string> {
  const hex = Buffer.from(bytes).toString('hex')
  return new Set(
    Array.from({ length: hex.length / digits }, (_, at) =>
      hex.slice(at * digits, (at + 1) * digits),
    ),
  )
}
