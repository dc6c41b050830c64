// Opens the git repository that contains a folder, read-only and without running its programs.
import { readFile, realpath, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { UmpireError } from '../domain/errors.ts'
import { ObjectReader } from './object-reader.ts'
import { type GitRuntime, runGit } from './run-git.ts'

const QUERY_MS = 60_000
/** This must equal `core.bigFileThreshold` in `run-git.ts`. */
const maxBlobBytes = 8 * 1024 * 1024

/** All paths are absolute and contain no symbolic links. */
interface LocalPaths {
  readonly workTree: string
  /** This directory contains HEAD and the index of this work tree. */
  readonly gitDirectory: string
  /** These objects are shared by all work trees of the repository. */
  readonly objectsDirectory: string
}

/** A read-only repository on this machine. It must be disposed of, because it has a process. */
export interface LocalRepository extends LocalPaths, AsyncDisposable {
  readonly runtime: GitRuntime
  /** The commit of a revision (`HEAD`, a branch, a tag, …); undefined if there is none. */
  findCommit(name: string): Promise<string | undefined>
  /** Whether the repository's own settings match; also true if they are too long to be read. */
  configMentions(pattern: RegExp): Promise<boolean>
  /** The object ids have 40 hex digits, or 64 with SHA-256. */
  oidLength(): Promise<number>
  /** The bytes of a blob; undefined if there is none, or it is larger than git compares. */
  readBlob(oid: string): Promise<Uint8Array | undefined>
  /** The commit where two others diverged; undefined if they have no common ancestor. */
  mergeBase(one: string, other: string, signal: AbortSignal): Promise<string | undefined>
  /** The address of the remote `origin`; undefined if there is none. */
  findOriginUrl(): Promise<string | undefined>
  /** The branch that is checked out; undefined for a detached HEAD. */
  readonly branch: string | undefined
  /** The name of the remote's default branch; undefined if the clone didn't record it. */
  readonly remoteDefaultBranch: string | undefined
  /** Part of the history is missing. */
  readonly isShallow: boolean
}

/**
 * Opens the repository that contains `folder`.
 *
 * @param options `allowsBare`: whether a repository without a work tree is accepted
 * @throws UmpireError of code `no_repository` with what to do about it
 */
export async function openLocalRepository(
  runtime: GitRuntime,
  folder: string,
  { allowsBare = false } = {},
): Promise<LocalRepository> {
  const { commonDirectory, ...paths } = await findPaths(folder, allowsBare)
  const objects = new ObjectReader(runtime, paths.gitDirectory)
  const head = await readSmallFile(join(paths.gitDirectory, 'HEAD'))
  const remoteHead = await readSmallFile(join(commonDirectory, 'refs/remotes/origin/HEAD'))
  return {
    ...paths,
    objectsDirectory: join(commonDirectory, 'objects'),
    runtime,
    branch: /^ref: refs\/heads\/(.+)$/m.exec(head ?? '')?.[1],
    remoteDefaultBranch: /^ref: refs\/remotes\/origin\/(.+)$/m.exec(remoteHead ?? '')?.[1],
    isShallow: await exists(join(commonDirectory, 'shallow')),
    async findCommit(name) {
      // git reads the name as one line of its input.
      if (name === '' || /[\n\0]/.test(name)) return undefined
      return (await objects.info(`${name}^{commit}`))?.oid
    },
    async configMentions(pattern) {
      const mentions = (text: string | undefined) => text === undefined || pattern.test(text)
      const files = [join(commonDirectory, 'config'), join(paths.gitDirectory, 'config.worktree')]
      for (const file of files) {
        if ((await exists(file)) && mentions(await readSmallFile(file))) return true
      }
      return false
    },
    async findOriginUrl() {
      const { stdout } = await runGit(runtime, {
        gitDirectory: paths.gitDirectory,
        args: ['config', '--file', join(commonDirectory, 'config'), '--get', 'remote.origin.url'],
        timeoutMs: QUERY_MS,
        successCodes: [0, 1],
      })
      return stdout.toString('utf8').trim() || undefined
    },
    async oidLength() {
      const { stdout } = await runGit(runtime, {
        gitDirectory: paths.gitDirectory,
        args: ['rev-parse', '--show-object-format'],
        timeoutMs: QUERY_MS,
      })
      return stdout.toString('latin1').trim() === 'sha256' ? 64 : 40
    },
    async readBlob(oid) {
      const info = await objects.info(oid)
      return info?.type === 'blob' && info.size <= maxBlobBytes ? objects.contents(oid) : undefined
    },
    async mergeBase(one, other, signal) {
      const { stdout } = await runGit(runtime, {
        gitDirectory: paths.gitDirectory,
        args: ['merge-base', '--end-of-options', one, other],
        timeoutMs: QUERY_MS,
        successCodes: [0, 1],
        signal,
      })
      return stdout.toString('latin1').trim() || undefined
    },
    [Symbol.asyncDispose]: () => objects[Symbol.asyncDispose](),
  }
}

/** Searches upwards as git does, but ignores settings: the work tree is the folder with `.git`. */
async function findPaths(
  folder: string,
  allowsBare: boolean,
): Promise<Pick<LocalPaths, 'workTree' | 'gitDirectory'> & { commonDirectory: string }> {
  let current = await realpath(folder)
  for (;;) {
    const gitDirectory = await readGitDirectory(join(current, '.git'))
    if (gitDirectory !== undefined) {
      const commonDirectory = await findCommonDirectory(gitDirectory)
      return { workTree: current, gitDirectory, commonDirectory }
    }
    if (await isGitDirectory(current)) {
      if (allowsBare) return { workTree: current, gitDirectory: current, commonDirectory: current }
      const message =
        'This is a bare repository, or the inside of one: ' +
        'go to a folder with its files checked out.'
      throw new UmpireError('no_repository', message)
    }
    const parent = dirname(current)
    if (parent === current) break
    current = parent
  }
  throw new UmpireError(
    'no_repository',
    'This is not a git repository: go to one, or give the address of a pull request.',
  )
}

/** Resolves `.git`, which is a folder, or in worktrees and submodules a file that names one. */
async function readGitDirectory(path: string): Promise<string | undefined> {
  const stats = await stat(path).catch(() => undefined)
  if (stats === undefined) return undefined
  const directory = stats.isFile() ? await readGitFile(path) : path
  if (directory === undefined || !(await isGitDirectory(directory))) return undefined
  return realpath(directory)
}

async function readGitFile(path: string): Promise<string | undefined> {
  const text = (await readSmallFile(path)) ?? ''
  const target = /^gitdir: (.+)$/m.exec(text)?.[1]
  return target === undefined ? undefined : resolve(dirname(path), target)
}

async function isGitDirectory(path: string): Promise<boolean> {
  const [hasHead, hasObjects, hasCommonDirectory] = await Promise.all([
    exists(join(path, 'HEAD')),
    exists(join(path, 'objects')),
    exists(join(path, 'commondir')),
  ])
  return hasHead && (hasObjects || hasCommonDirectory)
}

async function findCommonDirectory(gitDirectory: string): Promise<string> {
  const text = await readSmallFile(join(gitDirectory, 'commondir'))
  const target = text?.trim() ?? ''
  return target === '' ? gitDirectory : realpath(resolve(gitDirectory, target))
}

/** The text of a regular file below 64 KiB; undefined otherwise. */
export async function readSmallFile(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined)
  return found?.isFile() && found.size < 65_536 ? readFile(path, 'utf8') : undefined
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
