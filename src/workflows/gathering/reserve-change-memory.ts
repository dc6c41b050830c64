// The room in memory that a change takes: waited for before anything is gathered, so that reviews that wait hold nothing.
import type { AppContext } from '../../context.ts'
import type { Diff } from '../../domain/diff.ts'
import { ownerOf, type PullRequest } from '../../domain/pull-request.ts'

/** About what they take in memory beside their texts, in bytes. */
const ofChange = 100_000
const ofFile = 4_000
const ofLine = 150
const textOfLine = 50

/** Dispose of it when the change is no longer held. */
export interface ChangeMemory extends Disposable {
  /** Takes more where the change turns out to be larger than the platform said. */
  fit(diff: Diff): void
}

/** Waits until there is room for a change of the size that the platform tells. Throws the reason of an aborted signal. */
export async function reserveChangeMemory(
  { changeMemory }: Pick<AppContext, 'changeMemory'>,
  { repo, changedFiles, additions, deletions }: PullRequest,
  signal: AbortSignal,
): Promise<ChangeMemory> {
  const owner = ownerOf(repo)
  const told = ofChange + changedFiles * ofFile + (additions + deletions) * (ofLine + textOfLine)
  const stack = new DisposableStack()
  stack.defer(await changeMemory.acquire(owner, signal, told))
  return {
    fit(diff) {
      const surplus = estimateBytes(diff) - told
      if (surplus > 0) stack.defer(changeMemory.acquireNow(owner, surplus))
    },
    [Symbol.dispose]: () => stack.dispose(),
  }
}

function estimateBytes({ files }: Diff): number {
  let bytes = ofChange + files.length * ofFile
  for (const { hunks } of files) {
    for (const { lines } of hunks) for (const { text } of lines) bytes += ofLine + text.length
  }
  return bytes
}
