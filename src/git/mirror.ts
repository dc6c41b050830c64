// Mirrors: bare repositories that hold the commits under review, fetched at depth 1 and never checked out.
import { createHash } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { GitError } from '../domain/errors.ts'
import { checkCloneAddress, type RepositoryAddress } from './clone-address.ts'
import { createGitSnapshot } from './git-snapshot.ts'
import { acquireLock } from './lock-file.ts'
import {
  checkCommits,
  commitRef,
  discardMirror,
  isMirrorDamaged,
  listMissingCommits,
  markUsed,
  prepareMirror,
} from './mirror-folder.ts'
import { ObjectReader } from './object-reader.ts'
import { defaultGitRuntime, type GitRuntime, runGit } from './run-git.ts'
import type { Snapshot } from './snapshot.ts'

const MEBIBYTE = 1024 * 1024
const FETCH_MS = 10 * 60_000
const QUERY_MS = 60_000

/** Where a repository's mirror lies and what it is filled from. */
export interface MirrorOptions {
  /** Folder of all mirrors. */
  readonly directory: string
  readonly address: RepositoryAddress
  /** `host:port` of the configured platform: allowed to be on this machine, in a private network, or on plain http. */
  readonly trustedHosts?: readonly string[]
  readonly runtime?: GitRuntime
}

/** How long an operation may take, and what ends it. */
export interface GitLimits {
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number
}

/** A repository's mirror. All methods throw `GitError`, or the reason of an aborted signal. */
export interface Mirror {
  /** The bare repository. */
  readonly gitDirectory: string
  /** Reads its objects by their ids. */
  readonly objects: ObjectReader
  /**
   * Makes sure that the mirror has these commits (whole object ids). Asks nobody for those that it has, so that
   * the caller must have checked that they may be seen. A damaged mirror is thrown away and made anew.
   */
  fetchCommits(shas: readonly string[], limits?: GitLimits): Promise<void>
  /** The commit that a branch points at now, by default the default branch; undefined where there is none. */
  branchHead(branch?: string, limits?: GitLimits): Promise<string | undefined>
  /**
   * git's diff between two commits that the mirror has, as bytes for `parseDiff`. One of more than `maxContentBytes`
   * (default 50 MiB) is cut in the middle of a line, which `parseDiff` sees. Where the mirror turns out to be
   * damaged, the commits are fetched anew.
   */
  diff(
    base: string,
    head: string,
    limits?: GitLimits & { readonly maxBytes?: number },
  ): Promise<Buffer>
  /** The files at a commit that the mirror has. */
  snapshot(sha: string): Snapshot
}

/** Opens the mirror of a repository; nothing is read or fetched yet. Throws `GitError` for an address that isn't allowed. */
export function openMirror(options: MirrorOptions): Mirror {
  const url = checkCloneAddress(options.address, options.trustedHosts ?? [])
  const host = options.runtime ?? defaultGitRuntime
  const gitDirectory = resolve(options.directory, mirrorName(url))
  // One for both commits of a change: starting git is a good part of what a review costs.
  const objects = new ObjectReader(host, gitDirectory)
  const online = {
    protocols: url.protocol === 'http:' ? 'http:https' : 'https',
    settings: Object.entries(options.address.headers).map(
      ([name, value]) => [`http.${url.href}.extraHeader`, `${name}: ${value}`] as const,
    ),
  } as const

  const lock = (limits: GitLimits) =>
    acquireLock(mirrorLockPath(gitDirectory), {
      waitMs: limits.timeoutMs ?? FETCH_MS,
      signal: limits.signal,
    })

  /** Asks the git that reads the files afterwards; where that can't say yes, another one says what is wrong. */
  const check = async (shas: readonly string[]) => {
    const trees = await Promise.all(
      shas.map((sha) => objects.info(`${sha}^{tree}`).catch(() => undefined)),
    )
    if (trees.some((tree) => tree?.type !== 'tree')) await checkCommits(host, gitDirectory, shas)
  }

  const hasCommits = async (shas: readonly string[]) => {
    if ((await listMissingCommits(gitDirectory, shas)).length > 0) return false
    return check(shas).then(
      () => true,
      (error) => {
        if (isMirrorDamaged(error)) return false
        throw error
      },
    )
  }

  /** Only under the lock. */
  const fetchMissing = async (shas: readonly string[], limits: GitLimits) => {
    await prepareMirror(host, gitDirectory)
    const missing = await listMissingCommits(gitDirectory, shas)
    if (missing.length > 0)
      await runGit(host, {
        gitDirectory,
        args: [...fetchArgs, url.href, ...missing.map((sha) => `+${sha}:${commitRef(sha)}`)],
        ...online,
        timeoutMs: limits.timeoutMs ?? FETCH_MS,
        signal: limits.signal,
      })
    await check(shas)
  }

  /** Does it again, with a new mirror, where this one is damaged. Only under the lock. */
  const mending = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work()
    } catch (error) {
      if (!isMirrorDamaged(error)) throw error
      // It would go on reading what is thrown away.
      await objects.closeIdle()
      await discardMirror(gitDirectory)
      return work()
    }
  }

  return {
    gitDirectory,
    objects,

    async fetchCommits(shas, limits = {}) {
      const wanted = [...new Set(shas.map(checkCommitId))]
      if (await hasCommits(wanted)) return markUsed(gitDirectory)
      await mkdir(options.directory, { recursive: true, mode: 0o700 })
      await using _lock = await lock(limits)
      await mending(() => fetchMissing(wanted, limits))
      await markUsed(gitDirectory)
    },

    async branchHead(branch, limits = {}) {
      const ref = branch === undefined ? 'HEAD' : checkRef(`refs/heads/${branch}`)
      const { stdout } = await runGit(host, {
        args: ['ls-remote', '--quiet', '--end-of-options', url.href, ref],
        ...online,
        timeoutMs: limits.timeoutMs ?? QUERY_MS,
        maxBytes: MEBIBYTE,
        signal: limits.signal,
      })
      // The answer holds every ref that ends like the one that was asked for.
      const lines = stdout.toString('utf8').split('\n')
      return lines.find((line) => line.slice(line.indexOf('\t') + 1) === ref)?.split('\t')[0]
    },

    async diff(base, head, limits = {}) {
      const commits = [base, head].map(checkCommitId)
      const compare = () =>
        runGit(host, {
          gitDirectory,
          args: [...diffArgs, ...commits],
          timeoutMs: limits.timeoutMs ?? QUERY_MS,
          maxBytes: limits.maxBytes ?? 50 * MEBIBYTE,
          signal: limits.signal,
        })
      const { stdout, cut } = await compare().catch(async (error) => {
        // Of a commit that was never fetched git says the same.
        const isHere = (await listMissingCommits(gitDirectory, commits)).length === 0
        if (!isHere || !isMirrorDamaged(error)) throw error
        await using _lock = await lock(limits)
        return mending(async () => {
          await fetchMissing(commits, limits)
          return compare()
        })
      })
      return cut && stdout.at(-1) === 0x0a ? stdout.subarray(0, -1) : stdout
    },

    snapshot: (sha) => createGitSnapshot(host, gitDirectory, checkCommitId(sha), objects),
  }
}

const fetchArgs = [
  'fetch',
  '--quiet',
  '--depth=1',
  '--force',
  '--no-tags',
  '--no-write-fetch-head',
  '--no-auto-maintenance',
  '--no-recurse-submodules',
  '--end-of-options',
]

/** As platforms show it, so that the same lines can be commented on. */
export const diffArgs = [
  'diff-tree',
  '-r',
  '-p',
  '--find-renames',
  '--full-index',
  '--unified=3',
  '--src-prefix=a/',
  '--dst-prefix=b/',
  '--submodule=short',
  '--no-color',
  '--no-ext-diff',
  '--no-textconv',
  '--end-of-options',
]

/** File name for a mirror: readable, and its own for every URL, also where case makes no difference. */
function mirrorName(url: URL): string {
  const readable = `${url.host}${url.pathname}`
    .replace(/(\.git)?\/*$/, '')
    .replaceAll(/[^\w.-]+/g, '_')
  return `${readable.slice(0, 100)}-${createHash('sha256').update(url.href).digest('hex').slice(0, 16)}.git`
}

/** The lock lies beside the mirror, so that it holds while the mirror itself comes and goes. */
export function mirrorLockPath(gitDirectory: string): string {
  return `${gitDirectory}.lock`
}

/** Whole object ids only: nothing else could be an option, a range, or another name for a commit. */
function checkCommitId(sha: string): string {
  if (!/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(sha))
    throw new GitError('A commit must be given by its whole id.')
  return sha
}

/** The rules of git-check-ref-format(1) that matter where a name is taken apart or matched as a pattern. */
function checkRef(ref: string): string {
  if (/[\0-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|\/$|\.lock(\/|$)/.test(ref))
    throw new GitError('There is no such branch name.')
  return ref
}
