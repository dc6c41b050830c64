// Assembles the diff of a merge request from the diffs of its files.
import { z } from 'zod'
import type { FileDiff } from '../../domain/diff.ts'
import { PlatformError } from '../../domain/errors.ts'
import { parseDiff } from '../../git/parse-diff.ts'
import type { Connection, HostCall } from '../http/connection.ts'
import { longItemPageSize, readPages } from '../http/read-pages.ts'
import { sendForJson } from '../http/request.ts'
import type { Access, ListedFile } from '../platform.ts'
import { buildProjectCall } from './project-calls.ts'

/** GitLab's default for the files of a merge request. Servers may be configured to more. */
export const maxListedFiles = 1000
const maxDiffLength = 64 * 2 ** 20

export const fileDiff = z.object({
  old_path: z.string(),
  new_path: z.string(),
  a_mode: z.string().nullish(),
  b_mode: z.string().nullish(),
  /** From the first hunk on; empty where the content is the same, or left out. */
  diff: z.string().catch(''),
  new_file: z.boolean().catch(false),
  renamed_file: z.boolean().catch(false),
  deleted_file: z.boolean().catch(false),
  collapsed: z.boolean().nullish(),
  too_large: z.boolean().nullish(),
})
export type GitlabFileDiff = z.output<typeof fileDiff>

/** GET /projects/{id}/merge_requests/{iid}/diffs. */
function readDiffs(
  connection: Connection,
  access: Access,
  number: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<GitlabFileDiff> {
  const call = buildProjectCall(access, `/merge_requests/${number}/diffs`, signal)
  return readPages(connection, call, fileDiff, longItemPageSize)
}

/** `1000+` where GitLab leaves out files. */
const changesCount = z.object({ changes_count: z.string().nullish() })

/**
 * Unified diff from the merge base to the head.
 *
 * @throws PlatformError `platform_too_large` when GitLab leaves out the lines of a file
 */
export const getDiff: HostCall<'getDiff'> = async (connection, access, number, signal) => {
  const overview = buildProjectCall(access, `/merge_requests/${number}`, signal)
  const { changes_count: count } = await sendForJson(connection, overview, changesCount)
  if (count?.endsWith('+')) throw tooLarge()
  const parts: string[] = []
  let length = 0
  for await (const file of readDiffs(connection, access, number, signal)) {
    const part = assembleFile(file)
    length += part.length
    if (isLeftOut(file) || length > maxDiffLength) throw tooLarge()
    parts.push(part)
  }
  return parts.join('')
}

/** Lists the changed files, up to `maxListedFiles`. Lines that GitLab leaves out aren't counted. */
export const listFiles: HostCall<'listFiles'> = async (connection, access, number, signal) => {
  const files: ListedFile[] = []
  for await (const file of readDiffs(connection, access, number, signal)) {
    const parsed = parseFile(file)
    files.push({
      path: file.new_path,
      oldPath: file.old_path,
      status: toStatus(file),
      additions: parsed?.additions ?? 0,
      deletions: parsed?.deletions ?? 0,
    })
    if (files.length === maxListedFiles) break
  }
  return files
}

/** The hunks of a file; undefined where the diff has none. */
export function parseFile(file: GitlabFileDiff): FileDiff | undefined {
  const named = { ...file, old_path: 'a', new_path: 'a', renamed_file: false }
  return parseDiff(assembleFile(named)).files[0]
}

function tooLarge(): PlatformError {
  return new PlatformError('platform_too_large', 'GitLab leaves out parts of a diff this large.')
}

function isLeftOut({ diff, collapsed, too_large }: GitlabFileDiff): boolean {
  return too_large === true || (collapsed === true && diff === '')
}

function toStatus({ new_file, deleted_file, renamed_file }: GitlabFileDiff): ListedFile['status'] {
  if (new_file) return 'added'
  if (deleted_file) return 'deleted'
  return renamed_file ? 'renamed' : 'modified'
}

/** Writes the header that git would write, and the hunks. */
function assembleFile(file: GitlabFileDiff): string {
  const { diff, new_file: isNew, deleted_file: isDeleted } = file
  const [from, to] = [quotePath(`a/${file.old_path}`), quotePath(`b/${file.new_path}`)]
  const lines = [`diff --git ${from} ${to}`, ...describeChange(file)]
  if (diff.startsWith('@@'))
    lines.push(`--- ${isNew ? '/dev/null' : from}`, `+++ ${isDeleted ? '/dev/null' : to}`)
  if (diff !== '') lines.push(diff.replace(/\n$/, ''))
  return `${lines.join('\n')}\n`
}

function describeChange(file: GitlabFileDiff): string[] {
  const { a_mode: oldMode, b_mode: newMode, diff } = file
  const [oldId, newId] = nameBlobs(file)
  if (file.new_file) return [`new file mode ${newMode ?? '100644'}`, `index ${missing}..${newId}`]
  if (file.deleted_file)
    return [`deleted file mode ${oldMode ?? '100644'}`, `index ${oldId}..${missing}`]
  const lines: string[] = []
  if (oldMode && newMode && oldMode !== newMode)
    lines.push(`old mode ${oldMode}`, `new mode ${newMode}`)
  if (file.renamed_file)
    lines.push(`rename from ${quotePath(file.old_path)}`, `rename to ${quotePath(file.new_path)}`)
  if (diff.startsWith('@@')) lines.push(`index ${oldId}..${newId}`)
  return lines
}

const missing = '0000000'
const empty = 'e69de29'

/** GitLab doesn't show the ids of contents. These only say which of them are empty. */
function nameBlobs({ diff }: GitlabFileDiff): readonly [string, string] {
  return diff === '' ? [empty, empty] : ['1111111', '2222222']
}

/** Quotes a path as git does, whose octal escapes are bytes. */
function quotePath(path: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is to be quoted
  const special = /["\\\u0000-\u001f\u007f]/g
  const quoted = path.replace(special, (character) =>
    character === '"' || character === '\\'
      ? `\\${character}`
      : `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`,
  )
  return quoted === path ? path : `"${quoted}"`
}
