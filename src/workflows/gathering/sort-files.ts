// Tells the files of a change that are to be reviewed from those that nobody reviews, and why.
import { type RepositorySettings, settingsPath } from '../../config/repository-config.ts'
import type { FileDiff } from '../../domain/diff.ts'
import { GitError } from '../../domain/errors.ts'
import type { SkippedFile } from '../../domain/review.ts'
import { createGlobTest } from '../../lib/glob.ts'
import { classifyFile, type FileClass } from '../../workspace/classify-file.ts'
import { languageOfPath } from '../../workspace/languages.ts'
import type { FileMarks } from '../../workspace/read-attributes.ts'
import type { Snapshot } from '../../workspace/snapshot.ts'
import { noWill, type RepositoryWill } from './read-settings.ts'

/** Where the files of a change are read. */
interface Sides {
  readonly head: Snapshot
  readonly base: Snapshot
}

type Skip = Pick<SkippedFile, 'reason' | 'matters'>

export interface SortedFiles {
  readonly files: readonly FileDiff[]
  readonly skipped: readonly SkippedFile[]
  /** Limits of the sorting, one sentence each. */
  readonly notes: readonly string[]
}

const tooCostly = `The paths of \`${settingsPath}\` are too costly to compare with all files: some were reviewed in spite of them.`

/** Sorts the files of a change. What the repository's base branch leaves out is its own will, and lowers no verdict. */
export async function sortFiles(
  all: readonly FileDiff[],
  sides: Sides,
  { settings, marks }: Pick<RepositoryWill, 'settings' | 'marks'> = noWill,
): Promise<SortedFiles> {
  const filter = createPathFilter(settings.paths)
  const files: FileDiff[] = []
  const skipped: SkippedFile[] = []
  for (const file of all) {
    const find = async (path: string) => filter.findSkip(path) ?? (await findSkip(file, path, sides, marks(path)))
    const skip = await find(file.path)
    // Code that moves to where nobody looks is gone from where somebody did.
    const isMovedAway = skip !== null && file.status === 'renamed' && (await find(file.oldPath)) === null
    if (skip === null || isMovedAway) files.push(file)
    else skipped.push({ path: file.path, ...skip })
  }
  return { files, skipped, notes: filter.isSpent() ? [tooCostly] : [] }
}

const excludedReason = `excluded by ${settingsPath}`
const notIncludedReason = `not included by ${settingsPath}`

/** Whether the repository's settings say that the file isn't to be reviewed. */
export function isUnwanted({ reason }: Pick<SkippedFile, 'reason'>): boolean {
  return reason === excludedReason || reason === notIncludedReason
}

/** By the paths of the settings. */
function createPathFilter({ include, exclude }: RepositorySettings['paths']) {
  const isIncluded = createGlobTest(include)
  const isExcluded = createGlobTest(exclude)
  let isSpent = false
  return {
    isSpent: () => isSpent,
    findSkip(path: string): Skip | null {
      const included = include.length === 0 || isIncluded(path)
      const excluded = isExcluded(path)
      isSpent ||= included === undefined || excluded === undefined
      if (excluded === true) return { reason: excludedReason, matters: false }
      return included === false ? { reason: notIncludedReason, matters: false } : null
    },
  }
}

/** @param path one of the file's two */
async function findSkip(file: FileDiff, path: string, sides: Sides, marks: FileMarks): Promise<Skip | null> {
  if (file.submodule) return { reason: 'submodule', matters: false }
  if (marks.generated) return { reason: 'generated, by .gitattributes', matters: false }
  if (marks.vendored) return { reason: 'vendored, by .gitattributes', matters: false }
  const byPath = trustMarks(classifyFile(path), marks)
  if (byPath.kind !== 'source') return { reason: byPath.reason, matters: false }
  // A program can't hide itself behind its size or a stray byte.
  const isProgram = () => languageOfPath(path)?.type === 'programming'
  if (file.binary) return { reason: 'binary, or larger than 8 MB', matters: isProgram() }
  const content = await readForClass(file, sides)
  if (content === null) return { reason: 'larger than 1 MB, or not readable', matters: true }
  if (content === undefined) return null
  const byContent = trustMarks(classifyFile(path, content), marks)
  // A file's own word that it was generated counts only where it stood before this change: a new file can't hide
  // itself behind it.
  const hides = byContent.kind === 'generated' && isNew(file)
  return byContent.kind === 'source' || hides ? null : { reason: byContent.reason, matters: false }
}

/** Where the repository says that people wrote a file, that holds against all other signs. */
function trustMarks(found: FileClass, marks: FileMarks): FileClass {
  const isDenied = (found.kind === 'generated' || found.kind === 'vendored') && marks[found.kind] === false
  return isDenied ? { kind: 'source', reason: '' } : found
}

function isNew(file: FileDiff): boolean {
  return file.status === 'added' || file.status === 'copied'
}

/**
 * The content by which a file is classified: what it was before, or what it is when it is new. Undefined where there is
 * no regular file, null where it can't be read.
 */
async function readForClass(file: FileDiff, { head, base }: Sides): Promise<Uint8Array | undefined | null> {
  try {
    return await (isNew(file) ? head.readFile(file.path) : base.readFile(file.oldPath))
  } catch (error) {
    if (error instanceof GitError) return null
    throw error
  }
}
