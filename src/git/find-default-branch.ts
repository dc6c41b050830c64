// Finds the branch that local changes are compared with by default.
import { UmpireError } from '../domain/errors.ts'
import type { LocalRepository } from './local-repository.ts'

const commonBranchNames = ['main', 'master']

/**
 * Finds the default branch, either the local one or the remote's, whichever diverged from `head`
 * later: the local one may be weeks old, and the remote's may lack what was merged locally.
 *
 * @throws UmpireError of code `nothing_to_compare` with what to do about it
 */
export async function findDefaultBranch(
  repository: LocalRepository,
  head: string,
  signal: AbortSignal,
): Promise<string> {
  const { remoteDefaultBranch } = repository
  const names =
    remoteDefaultBranch === undefined
      ? commonBranchNames
      : [remoteDefaultBranch, ...commonBranchNames]
  for (const name of names) {
    const remoteName = `origin/${name}`
    const remoteCommit = await repository.findCommit(remoteName)
    const localCommit = await repository.findCommit(name)
    if (remoteCommit === undefined && localCommit === undefined) continue
    if (remoteCommit === undefined) return name
    // The checked-out branch contains the changes themselves, so only the remote's can be a base.
    if (localCommit === undefined || name === repository.branch) return remoteName
    const commits = { local: localCommit, remote: remoteCommit, head }
    return (await isLocalForkLater(repository, commits, signal)) ? name : remoteName
  }
  throw nothingToCompareError(
    'There is no branch main or master to compare with: name one with --base.',
  )
}

async function isLocalForkLater(
  repository: LocalRepository,
  { local, remote, head }: { local: string; remote: string; head: string },
  signal: AbortSignal,
): Promise<boolean> {
  const localFork = await repository.mergeBase(local, head, signal)
  const remoteFork = await repository.mergeBase(remote, head, signal)
  if (localFork === undefined || localFork === remoteFork) return false
  if (remoteFork === undefined) return true
  // Both forks are ancestors of the head, so the later one descends from the other.
  const commonFork = await repository.mergeBase(localFork, remoteFork, signal)
  return commonFork === remoteFork
}

export function nothingToCompareError(message: string): UmpireError {
  return new UmpireError('nothing_to_compare', message)
}

export function noCommitsError(): UmpireError {
  return nothingToCompareError('There are no commits yet: review what is --staged.')
}
