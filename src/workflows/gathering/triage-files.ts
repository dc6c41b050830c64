// Decides for each file of a change who has to read it: models and rules, rules alone, or nobody, and why.

import { isImage, isLfsPointer } from '../../code/binary-formats.ts'
import { classifyFile } from '../../code/classify-file.ts'
import { allowsMultilineValues, hasCommandKey } from '../../code/command-keys.ts'
import { isTestPath } from '../../code/languages.ts'
import { changedScripts, scriptsKeyOf } from '../../code/manifest-scripts.ts'
import { nonSourceFolderOf } from '../../code/non-source-folders.ts'
import type { LinguistAttributes } from '../../code/read-gitattributes.ts'
import { isProgramPath, textKindOf } from '../../code/text-kind.ts'
import { type RepositorySettings, settingsPath } from '../../config/repository-settings.ts'
import type { DiffLine, FileDiff } from '../../domain/diff.ts'
import { GitError } from '../../domain/errors.ts'
import type { SkippedFile } from '../../domain/review.ts'
import type { Snapshot } from '../../git/snapshot.ts'
import { createGlobMatcher } from '../../lib/glob.ts'
import type { ExemptFile, ReadingNeeds } from '../../reviewers/reviewer.ts'
import { ruleFileKindOf } from '../../reviewers/rules/rule-file-kind.ts'
import { type LoadedSettings, noLoadedSettings } from './read-settings.ts'

/** Where the files of a change are read. */
interface Sides {
  readonly head: Snapshot
  readonly base: Snapshot
}

type Skip = Pick<SkippedFile, 'reason' | 'matters'>

export interface TriagedFiles {
  /** For models and rules. */
  readonly files: readonly FileDiff[]
  /** For rules alone. */
  readonly exemptFiles: readonly ExemptFile[]
  readonly skipped: readonly SkippedFile[]
  /** How the changed lines of all but the skipped ones have to be read, by path. */
  readonly needs: ReadonlyMap<string, ReadingNeeds>
  /** Limits of the sorting, one sentence each. */
  readonly notes: readonly string[]
}

const tooCostlyNote = `The paths of \`${settingsPath}\` are too costly to compare with all files: some were reviewed in spite of them.`

/**
 * Sorts the files of a change. Only the base branch can take a file out: by its settings or its attributes. What the
 * change itself brings (a name, a marker, long lines) takes nothing out, because its author chooses it.
 */
export async function triageFiles(
  all: readonly FileDiff[],
  sides: Sides,
  { settings, attributesOf }: Pick<LoadedSettings, 'settings' | 'attributesOf'> = noLoadedSettings,
): Promise<TriagedFiles> {
  const filter = createPathFilter(settings.paths)
  const isOnBase = createFolderTest(sides.base)
  const files: FileDiff[] = []
  const exemptFiles: ExemptFile[] = []
  const skipped: SkippedFile[] = []
  const needs = new Map<string, ReadingNeeds>()
  for (const file of all) {
    const findSkip = (path: string) => filter.findSkip(path) ?? skipByMarks(attributesOf(path))
    const skip = findSkip(file.path) ?? (await skipByContent(file, sides.head))
    // Code that moves to where nobody looks is gone from where somebody did.
    const isMovedAway = skip?.matters === false && isMoved(file) && findSkip(file.oldPath) === null
    if (skip !== null && !(isMovedAway && file.hunks.length > 0)) {
      skipped.push({ path: file.path, ...skip })
      continue
    }
    const findReason = (path: string) =>
      findExemption(path, file, sides, { attributesOf: attributesOf(path), isOnBase })
    const reason = await findReason(file.path)
    const findOldReason = async () =>
      findSkip(file.oldPath)?.reason ?? (await findReason(file.oldPath))
    const wasUnread =
      changedHandling(file) || (isMoved(file) && (await findOldReason()) !== undefined)
    const whole = wasUnread ? await asFullyAdded(file, sides.head) : file
    if (reason === undefined) files.push(whole)
    else exemptFiles.push({ file: whole, reason })
    needs.set(file.path, addNeeds(needs.get(file.path), await measureNeeds(whole, sides)))
  }
  return { files, exemptFiles, skipped, needs, notes: filter.isSpent() ? [tooCostlyNote] : [] }
}

const excludedReason = `excluded by ${settingsPath}`
const notIncludedReason = `not included by ${settingsPath}`

/** Whether the repository's settings say that the file isn't to be reviewed. */
export function isExcludedBySettings({ reason }: Pick<SkippedFile, 'reason'>): boolean {
  return reason === excludedReason || reason === notIncludedReason
}

const decidesReviews = /^\.umpire\.ya?ml$|(^|\/)(\.gitattributes|CODEOWNERS)$/

/** By the paths of the settings. */
function createPathFilter({ include, exclude }: RepositorySettings['paths']) {
  const isIncluded = createGlobMatcher(include)
  const isExcluded = createGlobMatcher(exclude)
  let isSpent = false
  return {
    isSpent: () => isSpent,
    findSkip(path: string): Skip | null {
      // What decides about later reviews is read, whatever is left out.
      if (decidesReviews.test(path)) return null
      const included = include.length === 0 || isIncluded(path)
      const excluded = isExcluded(path)
      isSpent ||= included === undefined || excluded === undefined
      if (excluded === true) return { reason: excludedReason, matters: false }
      return included === false ? { reason: notIncludedReason, matters: false } : null
    },
  }
}

/** Whether a folder stands on the base, each looked for once. */
function createFolderTest(base: Snapshot): (folder: string) => Promise<boolean> {
  const known = new Map<string, Promise<boolean>>()
  return (folder) => {
    const found =
      known.get(folder) ?? base.listFiles({ prefix: folder }).then((entries) => entries.length > 0)
    known.set(folder, found)
    return found
  }
}

function skipByMarks(attributesOf: LinguistAttributes): Skip | null {
  if (attributesOf.generated) return { reason: 'generated, by .gitattributes', matters: false }
  return attributesOf.vendored ? { reason: 'vendored, by .gitattributes', matters: false } : null
}

/** What has no text that anybody could read here. */
async function skipByContent(file: FileDiff, head: Snapshot): Promise<Skip | null> {
  const isGone = file.status === 'deleted'
  if (file.submodule) return { reason: 'submodule: its commits are not read', matters: !isGone }
  if (!file.binary && !mayBePointer(file)) return null
  const content = isGone ? undefined : await readBounded(head, file.path)
  if (file.binary) {
    if (isGone) return { reason: 'binary, deleted', matters: false }
    const isRun = file.newMode === '100755'
    if (content !== undefined && isImage(file.path, content) && !isRun)
      return { reason: 'picture', matters: false }
    return { reason: 'binary, or larger than 8 MB', matters: true }
  }
  const isPointer = content !== undefined && isLfsPointer(decode(content))
  return isPointer
    ? { reason: 'Git LFS: the content is not in the repository', matters: true }
    : null
}

/** A pointer has three lines, so that no larger file is read for it. */
function mayBePointer({ hunks }: FileDiff): boolean {
  return hunks.length === 1 && hunks[0]!.newCount <= 3
}

interface ExemptionContext {
  readonly attributesOf: LinguistAttributes
  readonly isOnBase: (folder: string) => Promise<boolean>
}

/**
 * Why models need not read a file; undefined where they have to. Rules read it all the same, so that a copy of other
 * people's code can be long, and still can't hide what rules know.
 */
async function findExemption(
  path: string,
  file: FileDiff,
  { base }: Sides,
  { attributesOf, isOnBase }: ExemptionContext,
): Promise<string | undefined> {
  const { kind, reason } = classifyFile(path)
  if (kind === 'lock') return reason
  const folder = nonSourceFolderOf(path)
  const isOther = attributesOf.vendored !== false && attributesOf.generated !== false
  if (folder !== undefined && isOther && (await isOnBase(folder)))
    return `in \`${folder}\`, which the base has too`
  if (file.status !== 'modified' || !isOther) return undefined
  const before = await readBounded(base, file.oldPath)
  const old = before && classifyFile(path, before)
  const isGenerated =
    old?.kind === 'generated' || old?.kind === 'minified' || old?.kind === 'vendored'
  return isGenerated ? `${old.reason}, on the base too` : undefined
}

/** Whether a file that moved, or got another mode, is read in another way than it was: nobody has read it so. */
function changedHandling(file: FileDiff): boolean {
  const { path, oldPath, oldMode, newMode, status } = file
  const isNowRun = status === 'modified' && newMode === '100755' && oldMode !== '100755'
  if (!isMoved(file)) return isNowRun
  const wayOf = (name: string) =>
    [textKindOf(name, undefined, false), ruleFileKindOf(name), isTestPath(name)].join()
  return isNowRun || wayOf(path) !== wayOf(oldPath)
}

function isMoved({ status }: FileDiff): boolean {
  return status === 'renamed' || status === 'copied'
}

/** The file as if the change had brought all of it: nobody has read what it held where it was. */
async function asFullyAdded(file: FileDiff, head: Snapshot): Promise<FileDiff> {
  const content = await readBounded(head, file.path)
  if (content === undefined) return { ...file, truncated: true }
  const texts = decode(content).split('\n')
  const endsWithNewline = texts.at(-1) === ''
  if (endsWithNewline) texts.pop()
  const lines = texts.map(
    (text, index): DiffLine => ({
      kind: 'added',
      text,
      oldLine: null,
      newLine: index + 1,
      noNewlineAtEnd: index === texts.length - 1 && !endsWithNewline,
    }),
  )
  const hunk = { oldStart: 0, oldCount: 0, newStart: 1, newCount: lines.length, section: '', lines }
  return { ...file, status: 'added', hunks: [hunk], additions: lines.length, deletions: 0 }
}

/** A file that became a link, or the other way round, stands in a diff twice. */
function addNeeds(known: ReadingNeeds | undefined, more: ReadingNeeds): ReadingNeeds {
  return {
    changed: (known?.changed ?? 0) + more.changed,
    program: (known?.program ?? 0) + more.program,
  }
}

/** How the changed lines of a file have to be read. */
async function measureNeeds(file: FileDiff, { head, base }: Sides): Promise<ReadingNeeds> {
  const changed = file.additions + file.deletions
  if (isProgramPath(file.path)) return { changed, program: changed }
  const isExecutable = file.newMode === '100755' && file.status !== 'deleted'
  const content = file.status === 'deleted' ? undefined : await readHead(head, file.path)
  const text = file.status === 'deleted' ? '' : content && decode(content)
  // A link: what it leads to is read under its name.
  const kind = content === null ? 'program' : textKindOf(file.path, text ?? undefined, isExecutable)
  if (kind !== 'data' || !text) return { changed, program: kind === 'program' ? changed : 0 }
  if (scriptsKeyOf(file.path) === undefined)
    return { changed, program: countCommandLines(file, text) }
  const before = await readBounded(base, file.oldPath)
  const names = changedScripts(file.path, before && decode(before), text)
  const program = names === undefined ? changed : countScriptLines(file, names)
  return { changed, program: Math.min(program, changed) }
}

/** The added lines that name one of the scripts. */
function countScriptLines({ hunks }: FileDiff, names: readonly string[]): number {
  const keys = names.map((name) => `${JSON.stringify(name)}`)
  const added = hunks.flatMap(({ lines }) => lines.filter(({ kind }) => kind === 'added'))
  const count = added.filter(({ text }) => keys.some((key) => text.includes(key))).length
  // A script whose line can't be found (all in one line, an escaped name) is still a change of a program.
  return Math.max(count, names.length)
}

/** Null where there is something else than a regular file; undefined where it is too large to be looked at here. */
async function readHead(head: Snapshot, path: string): Promise<Uint8Array | undefined | null> {
  try {
    return (await head.readFile(path)) ?? null
  } catch (error) {
    if (error instanceof GitError && !error.retryable) return undefined
    throw error
  }
}

/** The changed lines of a file of data that name commands: all of them where a command can go on over many lines. */
function countCommandLines({ path, hunks, additions, deletions }: FileDiff, text: string): number {
  if (classifyFile(path).kind === 'lock') return 0
  if (allowsMultilineValues(path)) return hasCommandKey(text) ? additions + deletions : 0
  return hunks
    .flatMap(({ lines }) => lines)
    .filter((line) => line.kind === 'added' && hasCommandKey(line.text)).length
}

/** Undefined where there is no regular file, or it is too large to be looked at here. */
async function readBounded(snapshot: Snapshot, path: string): Promise<Uint8Array | undefined> {
  try {
    return await snapshot.readFile(path)
  } catch (error) {
    if (error instanceof GitError && !error.retryable) return undefined
    throw error
  }
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}
