// Tells what is staged, or changed in the work tree, as edits of the last commit's tree. git compares names, times and
// ids; contents are read here, because git would run the repository's own filters over them.
import { lstat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { GitError } from '../domain/errors.ts'
import { createSemaphore } from '../lib/semaphore.ts'
import { blobIdOf } from './blob-id.ts'
import { type LocalRepository, readSmallFile } from './local-repository.ts'
import { pathFromBytes } from './path-encoding.ts'
import { type GitCommand, type GitRun, runGit } from './run-git.ts'
import type { TreeEdit } from './scratch-repository.ts'
import { createWorkTreeReader, type ReadWorkTreeFile } from './work-tree-reader.ts'

const MEBIBYTE = 1024 * 1024
const QUERY_MS = 60_000
const maxConcurrentFiles = 16
/** Of contents that are held at a time. */
const maxContentBytes = 64 * MEBIBYTE
const maxFilters = 1000

/** A changed file whose content isn't looked at. */
export interface UnreadFile {
  readonly path: string
  readonly reason: string
  /** Whether someone expected to see it reviewed; `program`: if it is program text. */
  readonly matters: boolean | 'program'
}

export interface LocalEdits {
  readonly edits: readonly TreeEdit[]
  readonly unread: readonly UnreadFile[]
}

/** Where to look, and against what. */
export interface EditsQuery {
  readonly repository: LocalRepository
  /** Commit or tree that the edits start from. */
  readonly from: string
  /** Another index than the repository's own, as git names it to its hooks. */
  readonly indexFile: string | undefined
  readonly signal: AbortSignal
}

/** What `git commit` would commit now. */
export async function readStagedEdits(query: EditsQuery): Promise<LocalEdits> {
  const edits: TreeEdit[] = []
  const unread: UnreadFile[] = []
  for (const { status, mode, oid, path } of await listRecords(query, ['--cached'], [])) {
    if (status === 'U') {
      unread.push({
        path: pathFromBytes(path),
        reason: 'has conflicts that are not resolved',
        matters: true,
      })
    } else edits.push(status === 'D' ? { path, removed: true } : { path, mode, oid })
  }
  return { edits, unread }
}

/** What `git add --all` and `git commit` would commit now. */
export async function readUncommittedEdits(query: EditsQuery): Promise<LocalEdits> {
  const [records, untracked] = await Promise.all([
    disableFilters(query).then((settings) => listRecords(query, [], settings)),
    listUntracked(query),
  ])
  const changed = records.filter(({ status, oid }) => status !== 'D' && isUnknown(oid))
  const wanted = [
    ...changed,
    ...untracked.map((path) => ({ path, mode: undefined, old: undefined })),
  ]
  const filterOf = await readFilterNames(
    query,
    wanted.map(({ path }) => path),
  )
  const read = createWorkTreeReader(query.repository.workTree)
  const slots = createSemaphore(maxConcurrentFiles)
  const room = { bytes: maxContentBytes }
  const settled = await Promise.all(
    wanted.map(async (file) => {
      const release = await slots.acquire()
      query.signal.throwIfAborted()
      return readFile(
        query,
        { ...file, filter: filterOf.get(file.path.toString('latin1')) },
        read,
        room,
      ).finally(release)
    }),
  )
  const known = records
    .filter((record) => !changed.includes(record))
    .map(
      ({ status, mode, oid, path }): TreeEdit =>
        status === 'D' ? { path, removed: true } : { path, mode, oid },
    )
  return {
    edits: [
      ...known,
      ...settled.flatMap((result) => (result && !('reason' in result) ? [result] : [])),
    ],
    unread: settled.flatMap((result) => (result && 'reason' in result ? [result] : [])),
  }
}

interface WantedFile {
  readonly path: Buffer
  /** As git sees it; undefined for a file that it doesn't know. */
  readonly mode: string | undefined
  /** Before the change; undefined for a file that git doesn't know, its id zeros where there was none. */
  readonly old: { readonly mode: string; readonly oid: string } | undefined
  /** Name of the filter that git would run over it. */
  readonly filter: string | undefined
}

/** The edit that a file makes; undefined when only its time changed. */
async function readFile(
  { repository }: EditsQuery,
  { path, mode, old, filter }: WantedFile,
  read: ReadWorkTreeFile,
  room: { bytes: number },
): Promise<TreeEdit | UnreadFile | undefined> {
  const unread = (reason: string, matters: UnreadFile['matters']): UnreadFile => ({
    path: pathFromBytes(path),
    reason,
    matters,
  })
  if (mode === '160000') return unread('submodule', false)
  // git lists a folder that is a repository of its own like this.
  if (path.at(-1) === 0x2f) return unread('a repository of its own', false)
  if (filter !== undefined)
    return unread(`stored through a filter (${filter}), which is not run`, 'program')
  const file = await read(path)
  if ('problem' in file) return unread(file.problem, file.matters)
  const oldContent =
    old && file.content.includes('\r\n') ? await repository.readBlob(old.oid) : undefined
  const content = oldContent ? restoreLineEnds(file.content, oldContent) : file.content
  const newMode = mode ?? file.mode
  if (old !== undefined && blobIdOf(content, old.oid.length) === old.oid)
    return old.mode === newMode ? undefined : { path, mode: newMode, oid: old.oid }
  room.bytes -= content.length
  if (room.bytes < 0) return unread('more than 64 MB are changed at once', 'program')
  return { path, mode: newMode, content }
}

/** git turns the line ends of a checkout back where it had turned them: CR LF everywhere, over LF alone. */
function restoreLineEnds(content: Buffer, oldContent: Uint8Array): Buffer {
  if (Buffer.from(oldContent).includes('\r')) return content
  const text = content.toString('latin1')
  return /(?<!\r)\n|\r(?!\n)/.test(text)
    ? content
    : Buffer.from(text.replaceAll('\r\n', '\n'), 'latin1')
}

function isUnknown(oid: string): boolean {
  return /^0+$/.test(oid)
}

interface RawRecord {
  readonly status: string
  readonly mode: string
  readonly old: { readonly mode: string; readonly oid: string }
  /** Zeros where it is to be told from the work tree. */
  readonly oid: string
  readonly path: Buffer
}

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
  ]
  // Else git would look for changes inside of submodules, with their settings.
  const fields = await listFields(query, {
    args: [...args, '--ignore-submodules=dirty', '--end-of-options', query.from, '--'],
    settings,
  })
  const records: RawRecord[] = []
  for (let at = 0; at + 1 < fields.length; at += 2) {
    // `:<old mode> <mode> <old oid> <oid> <status>`, then the path.
    const [oldMode = '', mode = '', oldOid = '', oid = '', status = ''] =
      fields[at]!.toString('latin1').split(' ')
    const old = { mode: oldMode.slice(1), oid: oldOid }
    records.push({ status: status.slice(0, 1), mode, old, oid, path: fields[at + 1]! })
  }
  return records
}

/**
 * Even to compare times git may read a file anew, through its filter: each that the repository's settings define is
 * overridden with nothing.
 */
async function disableFilters(query: EditsQuery): Promise<(readonly [string, string])[]> {
  if (!(await query.repository.configMentions(/filter|include/i))) return []
  const keys = await listFields(query, {
    args: ['config', '-z', '--includes', '--name-only', '--get-regexp', '^filter\\.'],
    successCodes: [0, 1],
  })
  const names = new Set(keys.map((key) => key.toString('utf8').replace(/\.[^.]*$/, '')))
  if (names.size > maxFilters) throw new GitError('The repository defines too many filters.')
  return [...names].flatMap((name): [string, string][] => [
    [`${name}.clean`, ''],
    [`${name}.process`, ''],
    [`${name}.required`, 'false'],
  ])
}

/** Files that git doesn't know, less those that the repository and the user have it ignore. */
async function listUntracked(query: EditsQuery): Promise<Buffer[]> {
  const settings = [['core.excludesFile', await findUserExcludesFile(query)]] as const
  return listFields(query, { args: ['ls-files', '-z', '--others', '--exclude-standard'], settings })
}

/** The user's own list of what git is to ignore. The rest of the user's settings stays unread. */
async function findUserExcludesFile({ repository, signal }: EditsQuery): Promise<string> {
  const home = homedir()
  const usual = join(home, '.config/git/ignore')
  const settings = join(home, '.gitconfig')
  if (!/excludesfile/i.test((await readSmallFile(settings)) ?? '')) return usual
  const { stdout } = await runGit(repository.runtime, {
    args: ['config', '--file', settings, '--no-includes', '--get', 'core.excludesFile'],
    timeoutMs: QUERY_MS,
    maxBytes: MEBIBYTE,
    successCodes: [0, 1, 2, 3, 128],
    signal,
  })
  const named = stdout.toString('utf8').trim()
  return named === '' ? usual : named.replace(/^~(?=\/)/, home)
}

/** The filter of each path that has one; keys are the bytes of the path. */
async function readFilterNames(
  query: EditsQuery,
  paths: readonly Buffer[],
): Promise<ReadonlyMap<string, string>> {
  if (!(await haveAttributes(query, paths))) return new Map()
  const fields = await listFields(query, {
    args: ['check-attr', '-z', '--stdin', 'filter'],
    input: Buffer.concat(paths.flatMap((path) => [path, Buffer.of(0)])),
  })
  const filters = new Map<string, string>()
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const name = fields[at + 2]!.toString('utf8')
    if (!['unspecified', 'unset', 'set'].includes(name))
      filters.set(fields[at]!.toString('latin1'), name.slice(0, 100))
  }
  return filters
}

/** Whether anything can give attributes to one of the paths: a file beside it or above, or the repository's own. */
async function haveAttributes(
  { repository }: EditsQuery,
  paths: readonly Buffer[],
): Promise<boolean> {
  const folders = new Set(['.'])
  for (const path of paths) {
    let folder = path.toString('latin1')
    for (
      let end = folder.lastIndexOf('/');
      end > 0 && !folders.has(folder);
      end = folder.lastIndexOf('/')
    ) {
      folder = folder.slice(0, end)
      if (folders.has(folder)) break
      folders.add(folder)
    }
  }
  const root = Buffer.from(`${repository.workTree}/`)
  const candidates = [...folders].map((folder) =>
    Buffer.concat([root, Buffer.from(`${folder}/.gitattributes`, 'latin1')]),
  )
  const own = Buffer.from(join(dirname(repository.objectsDirectory), 'info/attributes'))
  const found = await Promise.all(
    [own, ...candidates].map((file) => lstat(file).catch(() => undefined)),
  )
  return found.some((file) => file !== undefined)
}

/** Runs a command of the work tree whose output is a list of fields, each ended by NUL. */
async function listFields(
  { repository, indexFile, signal }: EditsQuery,
  run: Pick<GitRun, 'args' | 'settings' | 'input' | 'successCodes'>,
): Promise<Buffer[]> {
  const { gitDirectory, workTree, runtime: host } = repository
  const { stdout, cut } = await runGit(host, {
    ...run,
    gitDirectory,
    workTree,
    indexFile,
    timeoutMs: QUERY_MS,
    maxBytes: 256 * MEBIBYTE,
    signal,
  })
  if (cut) throw new GitError('Too many files are changed.')
  const fields: Buffer[] = []
  for (
    let start = 0, end = stdout.indexOf(0);
    end !== -1;
    start = end + 1, end = stdout.indexOf(0, start)
  ) {
    fields.push(stdout.subarray(start, end))
  }
  return fields
}
