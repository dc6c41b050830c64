// Mirrors: bare repositories with the commits under review, fetched at depth 1, never checked out.
import { hash } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { GitError } from '../domain/errors.ts'
import type { Snapshot } from '../domain/snapshot.ts'
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
import { defaultGitRuntime, type GitCommand, type GitRuntime, runGit } from './run-git.ts'

const MEBIBYTE = 1024 * 1024
const FETCH_MS = 10 * 60_000
const QUERY_MS = 60_000

export interface MirrorOptions {
  /** This folder contains all mirrors. */
  readonly directory: string
  readonly address: RepositoryAddress
  /**
   * `host:port` of the configured platform, which may be on this machine, in a private network,
   * or on plain http.
   */
  readonly trustedHosts?: readonly string[]
  readonly runtime?: GitRuntime
}

interface GitLimits {
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number
}

interface DiffLimits extends GitLimits {
  readonly maxBytes?: number
}

/**
 * Opens the mirror of a repository without reading or fetching anything.
 *
 * @throws GitError if the address isn't allowed
 */
export function openMirror(options: MirrorOptions): Mirror {
  return new Mirror(options)
}

/** A repository's mirror. All methods throw `GitError`, or the reason of an aborted signal. */
export class Mirror {
  readonly gitDirectory: string
  /** Shared by all snapshots of the mirror, because starting git takes much of a review's time. */
  readonly objects: ObjectReader
  readonly #mirrorsDirectory: string
  readonly #url: URL
  readonly #runtime: GitRuntime
  /** What commands that talk to the host need in addition. */
  readonly #network: Pick<GitCommand, 'protocols' | 'settings'>

  constructor({ address, directory, runtime, trustedHosts }: MirrorOptions) {
    const url = checkCloneAddress(address, trustedHosts ?? [])
    this.#url = url
    this.#runtime = runtime ?? defaultGitRuntime
    this.#mirrorsDirectory = directory
    this.gitDirectory = resolve(directory, mirrorName(url))
    this.objects = new ObjectReader(this.#runtime, this.gitDirectory)
    const headers = Object.entries(address.headers)
    this.#network = {
      protocols: url.protocol === 'http:' ? 'http:https' : 'https',
      settings: headers.map(([name, value]) => [
        `http.${url.href}.extraHeader`,
        `${name}: ${value}`,
      ]),
    }
  }

  /**
   * Fetches the commits (full object ids) that the mirror lacks. Commits that it has are not
   * requested from the host, so the caller must have checked that the requester may see them.
   * A damaged mirror is deleted and fetched again.
   */
  async fetchCommits(shas: readonly string[], limits: GitLimits = {}): Promise<void> {
    const commits = [...new Set(shas.map(checkCommitId))]
    if (!(await this.#hasCommits(commits))) {
      await mkdir(this.#mirrorsDirectory, { recursive: true, mode: 0o700 })
      await using _lock = await this.#lock(limits)
      await this.#repairIfDamaged(() => this.#fetchMissing(commits, limits))
    }
    await markUsed(this.gitDirectory)
  }

  /** The commit that a branch (default: the default branch) points at now; undefined if none. */
  async branchHead(branch?: string, limits: GitLimits = {}): Promise<string | undefined> {
    const ref = branch === undefined ? 'HEAD' : checkRef(`refs/heads/${branch}`)
    const { stdout } = await runGit(this.#runtime, {
      args: ['ls-remote', '--quiet', '--end-of-options', this.#url.href, ref],
      ...this.#network,
      timeoutMs: limits.timeoutMs ?? QUERY_MS,
      maxBytes: MEBIBYTE,
      signal: limits.signal,
    })
    // ls-remote also lists every other ref whose name ends with the requested one.
    for (const line of stdout.toString('utf8').split('\n')) {
      const [sha, name] = line.split('\t')
      if (name === ref) return sha
    }
    return undefined
  }

  /**
   * git's diff between two commits that the mirror has, as bytes for `parseDiff`. A diff of more
   * than `maxBytes` (default 50 MiB) is cut in the middle of a line, which `parseDiff` detects.
   * If the mirror turns out to be damaged, the commits are fetched again.
   */
  async diff(base: string, head: string, limits: DiffLimits = {}): Promise<Buffer> {
    const commits = [checkCommitId(base), checkCommitId(head)]
    const compare = () => readDiff(this.#runtime, this.gitDirectory, commits, limits)
    try {
      return await compare()
    } catch (error) {
      // git reports a commit that was never fetched with the same message as a damaged one.
      const missing = await listMissingCommits(this.gitDirectory, commits)
      if (missing.length > 0 || !isMirrorDamaged(error)) throw error
    }
    await using _lock = await this.#lock(limits)
    return this.#repairIfDamaged(async () => {
      await this.#fetchMissing(commits, limits)
      return compare()
    })
  }

  /** The files at a commit that the mirror has. */
  snapshot(sha: string): Snapshot {
    const commit = checkCommitId(sha)
    return createGitSnapshot(this.#runtime, this.gitDirectory, commit, this.objects)
  }

  #lock(limits: GitLimits): Promise<AsyncDisposable> {
    return acquireLock(mirrorLockPath(this.gitDirectory), {
      waitMs: limits.timeoutMs ?? FETCH_MS,
      signal: limits.signal,
    })
  }

  async #hasCommits(shas: readonly string[]): Promise<boolean> {
    const missing = await listMissingCommits(this.gitDirectory, shas)
    if (missing.length > 0) return false
    try {
      await this.#checkReadable(shas)
      return true
    } catch (error) {
      if (isMirrorDamaged(error)) return false
      throw error
    }
  }

  /**
   * Checks the commits through the running git that reads the files afterwards. Only if that
   * fails is another git started, for its error message.
   */
  async #checkReadable(shas: readonly string[]): Promise<void> {
    const trees = await Promise.all(
      shas.map((sha) => this.objects.info(`${sha}^{tree}`).catch(() => undefined)),
    )
    const areReadable = trees.every((tree) => tree?.type === 'tree')
    if (!areReadable) await checkCommits(this.#runtime, this.gitDirectory, shas)
  }

  /** The caller must hold the lock. */
  async #fetchMissing(shas: readonly string[], limits: GitLimits): Promise<void> {
    await prepareMirror(this.#runtime, this.gitDirectory)
    const missing = await listMissingCommits(this.gitDirectory, shas)
    if (missing.length > 0) {
      const refspecs = missing.map((sha) => `+${sha}:${commitRef(sha)}`)
      await runGit(this.#runtime, {
        gitDirectory: this.gitDirectory,
        args: [...fetchArgs, this.#url.href, ...refspecs],
        ...this.#network,
        timeoutMs: limits.timeoutMs ?? FETCH_MS,
        signal: limits.signal,
      })
    }
    await this.#checkReadable(shas)
  }

  /** If the mirror is damaged, deletes it and repeats `work`. The caller must hold the lock. */
  async #repairIfDamaged<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work()
    } catch (error) {
      if (!isMirrorDamaged(error)) throw error
    }
    // A running git would go on reading the deleted files.
    await this.objects.closeIdle()
    await discardMirror(this.gitDirectory)
    return work()
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

/** The diff must match the one that platforms show, because comments are placed on its lines. */
const diffArgs = [
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

/** Reads git's diff between two ids. `parseDiff` recognizes a cut one by its missing line end. */
export async function readDiff(
  runtime: GitRuntime,
  gitDirectory: string,
  ids: readonly string[],
  { timeoutMs = QUERY_MS, maxBytes = 50 * MEBIBYTE, signal }: DiffLimits,
): Promise<Buffer> {
  const args = [...diffArgs, ...ids]
  const { stdout, cut } = await runGit(runtime, { gitDirectory, args, timeoutMs, maxBytes, signal })
  const endsWithLineFeed = stdout.at(-1) === 0x0a
  return cut && endsWithLineFeed ? stdout.subarray(0, -1) : stdout
}

/** A readable folder name, unique for every URL even on file systems that ignore case. */
function mirrorName(url: URL): string {
  const readable = `${url.host}${url.pathname}`
    .replace(/(\.git)?\/*$/, '')
    .replaceAll(/[^\w.-]+/g, '_')
    .slice(0, 100)
  const digest = hash('sha256', url.href).slice(0, 16)
  return `${readable}-${digest}.git`
}

/** The lock lies next to the mirror, so that it holds while the mirror is deleted and recreated. */
export function mirrorLockPath(gitDirectory: string): string {
  return `${gitDirectory}.lock`
}

/** Accepts only full object ids: no option, range or other name of a commit has this form. */
function checkCommitId(sha: string): string {
  if (!/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(sha))
    throw new GitError('A commit must be given by its whole id.')
  return sha
}

/** Sequences that git-check-ref-format(1) forbids and that could change what the name matches. */
const invalidRefParts = [/[\0-\x20\x7f~^:?*[\\]/, /\.\./, /@\{/, /\/\//, /\/$/, /\.lock(\/|$)/]

function checkRef(ref: string): string {
  if (invalidRefParts.some((part) => part.test(ref)))
    throw new GitError('There is no such branch name.')
  return ref
}
