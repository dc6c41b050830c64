// Reserves memory for a change before it is gathered, so that waiting reviews hold nothing.
import type { AppContext } from '../../context.ts'
import type { Diff } from '../../domain/diff.ts'
import { ownerOf, type PullRequest } from '../../domain/pull-request.ts'

/** Estimated bytes per object, without its text. */
const bytesPerChange = 100_000
const bytesPerFile = 4_000
const bytesPerLine = 150
const averageLineLength = 50

/** A reservation; dispose of it when the change is no longer held. */
interface ChangeMemory extends Disposable {
  /** Reserves more if the diff is larger than the platform reported. */
  fit(diff: Diff): void
}

/**
 * Waits until memory is free for a change of the size that the platform reports. Throws the reason
 * of an aborted signal.
 */
export async function reserveChangeMemory(
  { changeMemory }: Pick<AppContext, 'changeMemory'>,
  { repo, changedFiles, additions, deletions }: PullRequest,
  signal: AbortSignal,
): Promise<ChangeMemory> {
  const owner = ownerOf(repo)
  const reportedBytes =
    bytesPerChange +
    changedFiles * bytesPerFile +
    (additions + deletions) * (bytesPerLine + averageLineLength)
  const stack = new DisposableStack()
  stack.defer(await changeMemory.acquire(owner, signal, reportedBytes))
  return {
    fit(diff) {
      const surplus = estimateBytes(diff) - reportedBytes
      if (surplus > 0) stack.defer(changeMemory.acquireNow(owner, surplus))
    },
    [Symbol.dispose]: () => stack.dispose(),
  }
}

function estimateBytes({ files }: Diff): number {
  let bytes = bytesPerChange + files.length * bytesPerFile
  for (const { hunks } of files) {
    for (const { lines } of hunks) for (const { text } of lines) bytes += bytesPerLine + text.length
  }
  return bytes
}
