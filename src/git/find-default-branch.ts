// Finds the branch that a local one is compared with when nobody names one.
import { UmpireError } from '../domain/errors.ts'
import type { LocalRepository } from './local-repository.ts'

const commonBranchNames = ['main', 'master']

/**
 * The default branch: as it is here or as the remote had it, whichever parted from `head` later. A local one may not
 * have been updated for weeks, and the remote's not know of what was merged here.
 *
 * @throws UmpireError of code `nothing_to_compare` with what to do about it
 */
export async function findDefaultBranch(
  repository: LocalRepository,
  head: string,
  signal: AbortSignal,
): Promise<string> {
  const { remoteDefaultBranch: remoteDefault } = repository
  for (const name of remoteDefault === undefined
    ? commonBranchNames
    : [remoteDefault, ...commonBranchNames]) {
    const remote = `origin/${name}`
    const [theirs, ours] = [await repository.findCommit(remote), await repository.findCommit(name)]
    if (theirs === undefined && ours === undefined) continue
    if (theirs === undefined) return name
    // A branch that is checked out says nothing about what came to it.
    if (ours === undefined || name === repository.branch) return remote
    const isOursNewer = await divergedLater(repository, { ours, theirs, head }, signal)
    return isOursNewer ? name : remote
  }
  throw nothingToCompareError(
    'There is no branch main or master to compare with: name one with --base.',
  )
}

async function divergedLater(
  repository: LocalRepository,
  { ours, theirs, head }: { ours: string; theirs: string; head: string },
  signal: AbortSignal,
): Promise<boolean> {
  const ourFork = await repository.mergeBase(ours, head, signal)
  const theirFork = await repository.mergeBase(theirs, head, signal)
  if (ourFork === undefined || ourFork === theirFork) return false
  // Both are ancestors of the head: the later one descends from the other.
  return (
    theirFork === undefined ||
    (await repository.mergeBase(ourFork, theirFork, signal)) === theirFork
  )
}

/** There are no two sides to compare. */
export function nothingToCompareError(message: string): UmpireError {
  return new UmpireError('nothing_to_compare', message)
}

/** There is no commit at all. */
export function noCommitsError(): UmpireError {
  return nothingToCompareError('There are no commits yet: review what is --staged.')
}
