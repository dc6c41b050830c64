// Finds the git repository around a folder, and looks commits up in it. Nothing is written to it, nothing of it is run.
import { readFile, realpath, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { UmpireError } from '../domain/errors.ts'
import { ObjectReader } from './object-reader.ts'
import { type GitRuntime, runGit } from './run-git.ts'

const QUERY_MS = 60_000
/** As in `core.bigFileThreshold`. */
const maxBlobBytes = 8 * 1024 * 1024

/** Where the parts of a repository on this machine are; absolute paths without symbolic links. */
export interface LocalPaths {
  readonly workTree: string
  /** Of this work tree: HEAD and index. */
  readonly gitDirectory: string
  /** The objects of all work trees of the repository. */
  readonly objectsDirectory: string
}

/** A repository on this machine, for reading only. Dispose of it: it holds a process. */
export interface LocalRepository extends LocalPaths, AsyncDisposable {
  readonly runtime: GitRuntime
  /**
   * The commit that a name stands for, `HEAD`, a branch or anything else that git understands; undefined where there
   * is none.
   */
  findCommit(name: string): Promise<string | undefined>
  /** Whether the repository's own settings hold such a word; true too where they are too long to tell. */
  configMentions(word: RegExp): Promise<boolean>
  /** Digits of its object ids: 40, or 64 for SHA-256. */
  oidLength(): Promise<number>
  /** The bytes of a blob; undefined where there is none, or it is larger than git compares. */
  readBlob(oid: string): Promise<Uint8Array | undefined>
  /** The commit where two others parted; undefined where they have none in common. */
  mergeBase(one: string, other: string, signal: AbortSignal): Promise<string | undefined>
  /** The branch that is checked out; undefined for a detached HEAD. */
  readonly branch: string | undefined
  /** The name of the remote's default branch; undefined where a clone didn't write it down. */
  readonly remoteDefaultBranch: string | undefined
  /** Part of the history is not here. */
  readonly isShallow: boolean
}

/**
 * Opens the repository that `folder` is in.
 *
 * @throws UmpireError of code `no_repository` with what to do about it
 */
export async function openLocalRepository(
  host: GitRuntime,
  folder: string,
): Promise<LocalRepository> {
  const { commonDirectory, ...paths } = await findPaths(folder)
  const objects = new ObjectReader(host, paths.gitDirectory)
  const head = await readSmallFile(join(paths.gitDirectory, 'HEAD'))
  const remoteHead = await readSmallFile(join(commonDirectory, 'refs/remotes/origin/HEAD'))
  return {
    ...paths,
    objectsDirectory: join(commonDirectory, 'objects'),
    runtime: host,
    branch: /^ref: refs\/heads\/(.+)$/m.exec(head ?? '')?.[1],
    remoteDefaultBranch: /^ref: refs\/remotes\/origin\/(.+)$/m.exec(remoteHead ?? '')?.[1],
    isShallow: await exists(join(commonDirectory, 'shallow')),
    async findCommit(name) {
      // The name goes to git as one line.
      if (name === '' || /[\n\0]/.test(name)) return undefined
      return (await objects.info(`${name}^{commit}`))?.oid
    },
    async configMentions(word) {
      const mentions = (text: string | undefined) => text === undefined || word.test(text)
      const files = [join(commonDirectory, 'config'), join(paths.gitDirectory, 'config.worktree')]
      for (const file of files) {
        if ((await exists(file)) && mentions(await readSmallFile(file))) return true
      }
      return false
    },
    async oidLength() {
      const { stdout } = await runGit(host, {
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
      const { stdout } = await runGit(host, {
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

/** Walks up as git does, but trusts no setting: the work tree is the folder that holds `.git`. */
async function findPaths(
  folder: string,
): Promise<Pick<LocalPaths, 'workTree' | 'gitDirectory'> & { commonDirectory: string }> {
  const start = await realpath(folder)
  for (let at = start; ; at = dirname(at)) {
    const gitDirectory = await readGitDirectory(join(at, '.git'))
    if (gitDirectory !== undefined) {
      return {
        workTree: at,
        gitDirectory,
        commonDirectory: await findCommonDirectory(gitDirectory),
      }
    }
    if (await isGitDirectory(at)) {
      const message =
        'This is a bare repository, or the inside of one: go to a folder with its files checked out.'
      throw new UmpireError('no_repository', message)
    }
    if (dirname(at) === at) break
  }
  throw new UmpireError(
    'no_repository',
    'This is not a git repository: go to one, or give the address of a pull request.',
  )
}

/** `.git` is a folder, or in worktrees and submodules a file that names one. */
async function readGitDirectory(path: string): Promise<string | undefined> {
  const isFile = (await stat(path).catch(() => undefined))?.isFile()
  if (isFile === undefined) return undefined
  const named = isFile ? /^gitdir: (.+)$/m.exec((await readSmallFile(path)) ?? '')?.[1] : '.'
  const directory = named && (isFile ? resolve(dirname(path), named) : path)
  return directory && (await isGitDirectory(directory)) ? realpath(directory) : undefined
}

async function isGitDirectory(path: string): Promise<boolean> {
  const found = await Promise.all(
    ['HEAD', 'objects', 'commondir'].map((name) => exists(join(path, name))),
  )
  return found[0] === true && (found[1] === true || found[2] === true)
}

async function findCommonDirectory(gitDirectory: string): Promise<string> {
  const named = (await readSmallFile(join(gitDirectory, 'commondir')))?.trim()
  return named ? realpath(resolve(gitDirectory, named)) : gitDirectory
}

/** The text of a regular file; undefined where there is none, or a large one. */
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
