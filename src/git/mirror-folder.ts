// A mirror's folder: made, checked for the commits it is to hold, and thrown away when it is damaged.
import { access, readdir, rename, rm, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { GitError } from '../domain/errors.ts'
import { type GitRuntime, runGit } from './run-git.ts'

const QUERY_MS = 60_000

/** Makes the mirror where there is none, and clears what a killed git left. Only under the lock. */
export async function prepareMirror(host: GitRuntime, gitDirectory: string): Promise<void> {
  if (await exists(join(gitDirectory, 'HEAD'))) {
    await rm(join(gitDirectory, 'shallow.lock'), { force: true })
    const packs = join(gitDirectory, 'objects/pack')
    const left = (await readdir(packs).catch(() => [])).filter((name) => name.startsWith('tmp_'))
    await Promise.all(left.map((name) => rm(join(packs, name), { force: true })))
    return
  }
  const fresh = `${gitDirectory}.new`
  await rm(fresh, { recursive: true, force: true })
  await rm(gitDirectory, { recursive: true, force: true })
  await runGit(host, {
    args: ['init', '--quiet', '--bare', '--template=', '--end-of-options', fresh],
    timeoutMs: QUERY_MS,
  })
  await rename(fresh, gitDirectory)
}

/** Throws the mirror away. What is left when that ends halfway is pruned later. Only under the lock. */
export async function discardMirror(gitDirectory: string): Promise<void> {
  const aside = `${gitDirectory}.old`
  await rm(aside, { recursive: true, force: true })
  await rename(gitDirectory, aside)
  await rm(aside, { recursive: true, force: true })
}

/** A ref for each commit keeps it, tells later fetches what is here, and leaves HEAD on a branch that isn't born. */
export function commitRef(sha: string): string {
  return `refs/umpire/${sha}`
}

/** Those of the commits that the mirror doesn't say it has. */
export async function listMissingCommits(
  gitDirectory: string,
  shas: readonly string[],
): Promise<string[]> {
  const there = await Promise.all(shas.map((sha) => exists(join(gitDirectory, commitRef(sha)))))
  return shas.filter((_, index) => !there[index])
}

/**
 * Checks that the commits which the mirror says it has can be read, with their trees: after a loss of power a file
 * may be empty that was written before it.
 *
 * @throws GitError that `isMirrorDamaged` knows
 */
export async function checkCommits(
  host: GitRuntime,
  gitDirectory: string,
  shas: readonly string[],
): Promise<void> {
  const outcomes = await Promise.all(
    shas.map((sha) =>
      runGit(host, {
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

/** Whether a git command failed for what the mirror has lost, and not for what it was asked to do. */
export function isMirrorDamaged(error: unknown): boolean {
  const damage =
    /damaged|corrupt|loose object|packed object|packfile|missing (blob|tree|commit|object)|bad (object|config|shallow)|unable to (parse|read (tree|[\da-f]{40}))|not a git repository|necessary objects|unresolved deltas/i
  return error instanceof GitError && damage.test(error.message)
}

/** The mirror's own time says when it was used last. */
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
