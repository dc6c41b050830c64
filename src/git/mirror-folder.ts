// Creates, checks and deletes the folder of a mirror.
import { access, readdir, rename, rm, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { GitError } from '../domain/errors.ts'
import { longPattern } from '../lib/long-pattern.ts'
import { type GitRuntime, runGit } from './run-git.ts'

const QUERY_MS = 60_000

/**
 * Creates the mirror if there is none, and removes temporary files that a killed git left behind.
 * The caller must hold the lock.
 */
export async function prepareMirror(runtime: GitRuntime, gitDirectory: string): Promise<void> {
  if (await exists(join(gitDirectory, 'HEAD'))) {
    await rm(join(gitDirectory, 'shallow.lock'), { force: true })
    const packs = join(gitDirectory, 'objects/pack')
    const names = await readdir(packs).catch(() => [])
    const leftovers = names.filter((name) => name.startsWith('tmp_'))
    await Promise.all(leftovers.map((name) => rm(join(packs, name), { force: true })))
    return
  }
  const newDirectory = `${gitDirectory}.new`
  await rm(newDirectory, { recursive: true, force: true })
  await rm(gitDirectory, { recursive: true, force: true })
  await runGit(runtime, {
    args: ['init', '--quiet', '--bare', '--template=', '--end-of-options', newDirectory],
    timeoutMs: QUERY_MS,
  })
  await rename(newDirectory, gitDirectory)
}

/**
 * Deletes the mirror. If that is interrupted, `pruneMirrors` deletes the rest. The caller must hold
 * the lock.
 */
export async function discardMirror(gitDirectory: string): Promise<void> {
  const oldDirectory = `${gitDirectory}.old`
  await rm(oldDirectory, { recursive: true, force: true })
  await rename(gitDirectory, oldDirectory)
  await rm(oldDirectory, { recursive: true, force: true })
}

/**
 * A ref for each commit protects it from garbage collection and lets later fetches build on it.
 * HEAD stays on an unborn branch.
 */
export function commitRef(sha: string): string {
  return `refs/umpire/${sha}`
}

/** Lists those of the commits that have no ref in the mirror. */
export async function listMissingCommits(
  gitDirectory: string,
  shas: readonly string[],
): Promise<string[]> {
  const refs = shas.map((sha) => join(gitDirectory, commitRef(sha)))
  const hasRef = await Promise.all(refs.map(exists))
  return shas.filter((_, index) => !hasRef[index])
}

/**
 * Checks that the commits and their trees can be read: after a loss of power, files that were
 * written shortly before may be empty.
 *
 * @throws GitError for which `isMirrorDamaged` is true
 */
export async function checkCommits(
  runtime: GitRuntime,
  gitDirectory: string,
  shas: readonly string[],
): Promise<void> {
  const outcomes = await Promise.all(
    shas.map((sha) =>
      runGit(runtime, {
        gitDirectory,
        args: ['cat-file', '-e', `${sha}^{tree}`],
        timeoutMs: QUERY_MS,
        successCodes: [0, 1, 128],
      }),
    ),
  )
  if (outcomes.some(({ code }) => code !== 0))
    throw new GitError('The mirror of the repository is damaged.')
}

/** Parts of git's error messages about missing or unreadable files of the repository itself. */
const damagePattern = longPattern('i')`
  damaged
  |corrupt
  |loose object
  |packed object
  |packfile
  |missing (blob|tree|commit|object)
  |bad (object|config|shallow)
  |unable to (parse|read (tree|[\da-f]{40}))
  |not a git repository
  |necessary objects
  |unresolved deltas`

/** Whether a git command failed because the mirror is damaged, not because of its arguments. */
export function isMirrorDamaged(error: unknown): boolean {
  return error instanceof GitError && damagePattern.test(error.message)
}

/** `pruneMirrors` reads the time of last use from the folder's modification time. */
export async function markUsed(gitDirectory: string): Promise<void> {
  const now = new Date()
  await utimes(gitDirectory, now, now)
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
