// Lists staged or uncommitted changes of a work tree as edits of a commit's tree.
//
// git compares names, times and ids. Contents are read here, because git would run the
// repository's own filters over them.
import { lstat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { GitError } from '../domain/errors.ts'
import { createLimiter } from '../lib/semaphore.ts'
import { blobIdOf } from './blob-id.ts'
import { type LocalRepository, readSmallFile } from './local-repository.ts'
import { pathFromBytes } from './path-encoding.ts'
import { type RawRecord, readRawRecords, splitFields } from './raw-records.ts'
import { type GitCommand, type GitRun, runGit } from './run-git.ts'
import type { TreeEdit } from './scratch-repository.ts'
import { createWorkTreeReader, type ReadWorkTreeFile } from './work-tree-reader.ts'

const MEBIBYTE = 1024 * 1024
const QUERY_MS = 60_000
const maxConcurrentFiles = 16
/** The limit for all contents that are in memory at the same time. */
const maxContentBytes = 64 * MEBIBYTE
const maxFilters = 1000

/** A changed file whose content isn't reviewed. */
export interface UnreadFile {
  readonly path: string
  readonly reason: string
  /** Whether the review must mention it; `program`: only if it is program text. */
  readonly matters: boolean | 'program'
}

export interface LocalEdits {
  readonly edits: readonly TreeEdit[]
  readonly unread: readonly UnreadFile[]
}

interface EditsQuery {
  readonly repository: LocalRepository
  /** The commit or tree that the edits are relative to. */
  readonly from: string
  /** Used instead of the repository's own index; git passes its path to hooks. */
  readonly indexFile: string | undefined
  readonly signal: AbortSignal
}

/** Lists what `git commit` would commit now. */
export async function readStagedEdits(query: EditsQuery): Promise<LocalEdits> {
  const edits: TreeEdit[] = []
  const unread: UnreadFile[] = []
  for (const record of await listRecords(query, ['--cached'], [])) {
    if (record.status === 'U') {
      unread.push({
        path: pathFromBytes(record.path),
        reason: 'has conflicts that are not resolved',
        matters: true,
      })
    } else edits.push(toTreeEdit(record))
  }
  return { edits, unread }
}

/** Lists what `git add --all` and `git commit` would commit now. */
export async function readUncommittedEdits(query: EditsQuery): Promise<LocalEdits> {
  const [records, untracked] = await Promise.all([
    disableFilters(query).then((settings) => listRecords(query, [], settings)),
    listUntracked(query),
  ])
  const edits: TreeEdit[] = []
  const files: ChangedFile[] = []
  for (const record of records) {
    if (record.status !== 'D' && isZeroId(record.oid)) files.push(record)
    else edits.push(toTreeEdit(record))
  }
  for (const path of untracked) files.push({ path, mode: undefined, old: undefined })

  const unread: UnreadFile[] = []
  for (const result of await readChangedFiles(query, files)) {
    if (result === undefined) continue
    if ('reason' in result) unread.push(result)
    else edits.push(result)
  }
  return { edits, unread }
}

function toTreeEdit({ status, path, mode, oid }: RawRecord): TreeEdit {
  return status === 'D' ? { path, removed: true } : { path, mode, oid }
}

interface ChangedFile {
  readonly path: Buffer
  /** The mode that git detects; undefined for an untracked file. */
  readonly mode: string | undefined
  /** Before the change; undefined for an untracked file, its id zeros if there was no file. */
  readonly old: { readonly mode: string; readonly oid: string } | undefined
}

/** The bytes of contents that may still be read. */
interface ContentBudget {
  bytes: number
}

type FileResult = TreeEdit | UnreadFile | undefined

/** Reads the files from the work tree; results have the order of `files`. */
async function readChangedFiles(
  query: EditsQuery,
  files: readonly ChangedFile[],
): Promise<readonly FileResult[]> {
  const paths = files.map(({ path }) => path)
  const filters = await readFilterNames(query, paths)
  const read = createWorkTreeReader(query.repository.workTree)
  const limit = createLimiter(maxConcurrentFiles)
  const budget: ContentBudget = { bytes: maxContentBytes }
  return Promise.all(
    files.map((file) =>
      limit(async () => {
        query.signal.throwIfAborted()
        const filter = filters.get(file.path.toString('latin1'))
        const excluded = findExclusion(file, filter)
        return excluded ?? (await readEdit(query.repository, file, read, budget))
      }),
    ),
  )
}

/** The reason for not reading a file at all, if there is one. */
function findExclusion(file: ChangedFile, filter: string | undefined): UnreadFile | undefined {
  const { path, mode } = file
  if (mode === '160000') return unreadFile(path, 'submodule', false)
  // git lists a folder that is a repository of its own with a slash at its end.
  if (path.at(-1) === 0x2f) return unreadFile(path, 'a repository of its own', false)
  if (filter === undefined) return undefined
  return unreadFile(path, `stored through a filter (${filter}), which is not run`, 'program')
}

/** The edit that a file amounts to; undefined if only its time changed. */
async function readEdit(
  repository: LocalRepository,
  { path, mode, old }: ChangedFile,
  read: ReadWorkTreeFile,
  budget: ContentBudget,
): Promise<FileResult> {
  const file = await read(path)
  if ('problem' in file) return unreadFile(path, file.problem, file.matters)
  const content = await undoLineEndConversion(repository, file.content, old?.oid)
  const newMode = mode ?? file.mode
  const isSameContent = old !== undefined && blobIdOf(content, old.oid.length) === old.oid
  if (isSameContent) return old.mode === newMode ? undefined : { path, mode: newMode, oid: old.oid }
  budget.bytes -= content.length
  if (budget.bytes < 0) return unreadFile(path, 'more than 64 MB are changed at once', 'program')
  return { path, mode: newMode, content }
}

function unreadFile(path: Buffer, reason: string, matters: UnreadFile['matters']): UnreadFile {
  return { path: pathFromBytes(path), reason, matters }
}

async function undoLineEndConversion(
  repository: LocalRepository,
  content: Buffer,
  oldOid: string | undefined,
): Promise<Buffer> {
  if (oldOid === undefined || !content.includes('\r\n')) return content
  const oldContent = await repository.readBlob(oldOid)
  return oldContent === undefined ? content : restoreLineEnds(content, oldContent)
}

/**
 * git commits LF for the CR LF of a checkout that it converted itself: every line of the file ends
 * with CR LF, and the old content has no CR.
 */
function restoreLineEnds(content: Buffer, oldContent: Uint8Array): Buffer {
  if (Buffer.from(oldContent).includes('\r')) return content
  const text = content.toString('latin1')
  return /(?<!\r)\n|\r(?!\n)/.test(text)
    ? content
    : Buffer.from(text.replaceAll('\r\n', '\n'), 'latin1')
}

function isZeroId(oid: string): boolean {
  return /^0+$/.test(oid)
}

/** Lists the changed files; the id is zeros if the content must be read from the work tree. */
async function listRecords(
  query: EditsQuery,
  flags: readonly string[],
  settings: NonNullable<GitCommand['settings']>,
): Promise<readonly RawRecord[]> {
  const args = [
    'diff-index',
    '--raw',
    '-z',
    '--no-renames',
    '--no-abbrev',
    '--ita-invisible-in-index',
    ...flags,
    // Without this git would look for changes inside of submodules, with their settings.
    '--ignore-submodules=dirty',
    '--end-of-options',
    query.from,
    '--',
  ]
  return readRawRecords(await readOutput(query, { args, settings }))
}

/**
 * Settings that override each filter of the repository's settings with nothing. Without them git
 * may run a file through its filter even to compare times.
 */
async function disableFilters(query: EditsQuery): Promise<(readonly [string, string])[]> {
  if (!(await query.repository.configMentions(/filter|include/i))) return []
  const output = await readOutput(query, {
    args: ['config', '-z', '--includes', '--name-only', '--get-regexp', '^filter\\.'],
    successCodes: [0, 1],
  })
  const names = new Set(
    splitFields(output).map((key) => key.toString('utf8').replace(/\.[^.]*$/, '')),
  )
  if (names.size > maxFilters) throw new GitError('The repository defines too many filters.')
  return [...names].flatMap((name): [string, string][] => [
    [`${name}.clean`, ''],
    [`${name}.process`, ''],
    [`${name}.required`, 'false'],
  ])
}

/** Lists files that git neither tracks nor ignores by the repository's or the user's rules. */
async function listUntracked(query: EditsQuery): Promise<Buffer[]> {
  const settings = [['core.excludesFile', await findUserExcludesFile(query)]] as const
  const args = ['ls-files', '-z', '--others', '--exclude-standard']
  return splitFields(await readOutput(query, { args, settings }))
}

/** The path of the user's own ignore rules, the only user setting that is read. */
async function findUserExcludesFile({ repository, signal }: EditsQuery): Promise<string> {
  const home = homedir()
  const defaultFile = join(home, '.config/git/ignore')
  const configFile = join(home, '.gitconfig')
  if (!/excludesfile/i.test((await readSmallFile(configFile)) ?? '')) return defaultFile
  const { stdout } = await runGit(repository.runtime, {
    args: ['config', '--file', configFile, '--no-includes', '--get', 'core.excludesFile'],
    timeoutMs: QUERY_MS,
    maxBytes: MEBIBYTE,
    successCodes: [0, 1, 2, 3, 128],
    signal,
  })
  const configuredFile = stdout.toString('utf8').trim()
  return configuredFile === '' ? defaultFile : configuredFile.replace(/^~(?=\/)/, home)
}

/** The filters of those paths that have one, by the path's bytes as Latin-1. */
async function readFilterNames(
  query: EditsQuery,
  paths: readonly Buffer[],
): Promise<ReadonlyMap<string, string>> {
  if (!(await hasAttributesFile(query, paths))) return new Map()
  const output = await readOutput(query, {
    args: ['check-attr', '-z', '--stdin', 'filter'],
    input: Buffer.concat(paths.flatMap((path) => [path, Buffer.of(0)])),
  })
  const fields = splitFields(output)
  const filters = new Map<string, string>()
  // Each path has three fields: path, attribute and value (git-check-attr(1)).
  for (let index = 0; index + 2 < fields.length; index += 3) {
    const path = fields[index]!.toString('latin1')
    const filter = fields[index + 2]!.toString('utf8')
    const isNamed = !['unspecified', 'unset', 'set'].includes(filter)
    if (isNamed) filters.set(path, filter.slice(0, 100))
  }
  return filters
}

/** Whether a `.gitattributes` file or the repository's own attributes can apply to the paths. */
async function hasAttributesFile(
  { repository }: EditsQuery,
  paths: readonly Buffer[],
): Promise<boolean> {
  const root = Buffer.from(`${repository.workTree}/`)
  const candidates = listFolders(paths).map((folder) =>
    Buffer.concat([root, Buffer.from(`${folder}/.gitattributes`, 'latin1')]),
  )
  const ownFile = Buffer.from(join(dirname(repository.objectsDirectory), 'info/attributes'))
  const stats = await Promise.all(
    [ownFile, ...candidates].map((file) => lstat(file).catch(() => undefined)),
  )
  return stats.some((file) => file !== undefined)
}

/** All folders that contain one of the paths, at any depth, as Latin-1. */
function listFolders(paths: readonly Buffer[]): string[] {
  const folders = new Set(['.'])
  for (const path of paths) {
    const text = path.toString('latin1')
    let end = text.lastIndexOf('/')
    while (end > 0 && !folders.has(text.slice(0, end))) {
      folders.add(text.slice(0, end))
      end = text.lastIndexOf('/', end - 1)
    }
  }
  return [...folders]
}

/** Runs a command in the work tree. */
async function readOutput(
  { repository, indexFile, signal }: EditsQuery,
  run: Pick<GitRun, 'args' | 'settings' | 'input' | 'successCodes'>,
): Promise<Buffer> {
  const { gitDirectory, workTree, runtime } = repository
  const { stdout, cut } = await runGit(runtime, {
    ...run,
    gitDirectory,
    workTree,
    indexFile,
    timeoutMs: QUERY_MS,
    maxBytes: 256 * MEBIBYTE,
    signal,
  })
  if (cut) throw new GitError('Too many files are changed.')
  return stdout
}
