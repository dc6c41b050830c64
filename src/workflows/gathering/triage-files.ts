// Decides who reads each changed file: models and rules, rules alone, or no reviewer.

import { isImage, isLfsPointer } from '../../code/binary-formats.ts'
import { classifyFile } from '../../code/classify-file.ts'
import { allowsMultilineValues, hasCommandKey } from '../../code/command-keys.ts'
import { changedScripts, scriptsKeyOf } from '../../code/manifest-scripts.ts'
import { nonSourceFolderOf } from '../../code/non-source-folders.ts'
import type { LinguistAttributes } from '../../code/read-gitattributes.ts'
import { isProgramPath, textKindOf } from '../../code/text-kind.ts'
import type { ExemptFile, ReadingNeeds } from '../../domain/change.ts'
import type { DiffLine, FileDiff } from '../../domain/diff.ts'
import {
  isInDirectory,
  type RepositorySettings,
  settingsPath,
} from '../../domain/repository-settings.ts'
import type { SkippedFile } from '../../domain/review.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import { isTestPath } from '../../languages/test-paths.ts'
import { createGlobMatcher, createGlobMeter } from '../../lib/glob.ts'
import { ruleFileKindOf } from '../../reviewers/rules/rule-file-kind.ts'
import { readBounded } from './read-bounded.ts'
import { type LoadedSettings, noLoadedSettings } from './read-settings.ts'

interface Sides {
  readonly head: Snapshot
  readonly base: Snapshot
}

type Skip = Pick<SkippedFile, 'reason' | 'matters'>

interface TriagedFiles {
  /** Models and rules read these files. */
  readonly files: readonly FileDiff[]
  /** Only rules read these files. */
  readonly exemptFiles: readonly ExemptFile[]
  readonly skipped: readonly SkippedFile[]
  /** How the changed lines of the other files have to be read, by path. */
  readonly needs: ReadonlyMap<string, ReadingNeeds>
  /** Each note is one sentence about a limit of this decision. */
  readonly notes: readonly string[]
}

const tooCostlyNote =
  `The paths of \`${settingsPath}\` are too costly to compare with all files: ` +
  'some were reviewed in spite of them.'

/**
 * Decides who reads each file. Only the settings and attributes of the base branch can take a file
 * out: its name, markers and contents don't, because the change's author chooses those.
 */
export async function triageFiles(
  all: readonly FileDiff[],
  sides: Sides,
  { settings, attributesOf }: Pick<LoadedSettings, 'settings' | 'attributesOf'> = noLoadedSettings,
): Promise<TriagedFiles> {
  const filter = createPathFilter(settings)
  const isOnBase = createFolderTest(sides.base)
  const files: FileDiff[] = []
  const exemptFiles: ExemptFile[] = []
  const skipped: SkippedFile[] = []
  const needs = new Map<string, ReadingNeeds>()
  const findSkip: FindSkip = (path) => filter.findSkip(path) ?? skipByAttributes(attributesOf(path))
  for (const file of all) {
    const skip = findSkip(file.path) ?? (await skipByContent(file, sides.head))
    if (skip !== null && !movesOutOfReview(file, skip, findSkip)) {
      skipped.push({ path: file.path, ...skip })
      continue
    }
    const findReason = (path: string) =>
      findExemption(path, file, sides, { attributes: attributesOf(path), isOnBase })
    const wasExempt = async () =>
      findSkip(file.oldPath) !== null || (await findReason(file.oldPath)) !== undefined
    const reason = await findReason(file.path)
    const wasUnread = changedHandling(file) || (isMoved(file) && (await wasExempt()))
    const whole = wasUnread ? await asFullyAdded(file, sides.head) : file
    if (reason === undefined) files.push(whole)
    else exemptFiles.push({ file: whole, reason })
    needs.set(file.path, addNeeds(needs.get(file.path), await measureNeeds(whole, sides)))
  }
  return { files, exemptFiles, skipped, needs, notes: filter.isSpent() ? [tooCostlyNote] : [] }
}

type FindSkip = (path: string) => Skip | null

/** Moving reviewed code to an excluded path removes it from review, so such a change is read. */
function movesOutOfReview(file: FileDiff, skip: Skip, findSkip: FindSkip): boolean {
  const isMovedAway = !skip.matters && isMoved(file) && findSkip(file.oldPath) === null
  return isMovedAway && file.hunks.length > 0
}

const excludedReason = `excluded by ${settingsPath}`
const notIncludedReason = `not included by ${settingsPath}`

/** Whether the repository's settings exclude the file from review. */
export function isExcludedBySettings({ reason }: Pick<SkippedFile, 'reason'>): boolean {
  return reason === excludedReason || reason === notIncludedReason
}

const reviewConfigPattern = /(^|\/)(\.umpire\.ya?ml|\.gitattributes|CODEOWNERS)$/

/** Applies `paths` of the settings: those of the innermost directory that sets them. */
function createPathFilter({ paths, directories }: RepositorySettings) {
  const meter = createGlobMeter()
  const levels = [{ directory: '', paths }, ...directories].toReversed()
  const createTest = (kind: 'include' | 'exclude') => {
    const tests = levels.flatMap(({ directory, paths }) => {
      const globs = paths[kind]
      return globs === null ? [] : [{ directory, globs, test: createGlobMatcher(globs, { meter }) }]
    })
    return (path: string) => {
      const { directory, globs, test } = tests.find((one) => isInDirectory(path, one.directory))!
      const inside = directory === '' ? path : path.slice(directory.length + 1)
      return { isSet: globs.length > 0, matches: test(inside) }
    }
  }
  const include = createTest('include')
  const exclude = createTest('exclude')
  let isSpent = false
  return {
    isSpent: () => isSpent,
    findSkip(path: string): Skip | null {
      // These files decide about later reviews, so settings can't exclude them.
      if (reviewConfigPattern.test(path)) return null
      const { isSet, matches } = include(path)
      const included = !isSet || matches
      const excluded = exclude(path).matches
      isSpent ||= included === undefined || excluded === undefined
      if (excluded === true) return { reason: excludedReason, matters: false }
      return included === false ? { reason: notIncludedReason, matters: false } : null
    },
  }
}

/** Returns a cached test of whether a directory exists on the base. */
function createFolderTest(base: Snapshot): (folder: string) => Promise<boolean> {
  const cache = new Map<string, Promise<boolean>>()
  return (folder) => {
    const found =
      cache.get(folder) ?? base.listFiles({ prefix: folder }).then((entries) => entries.length > 0)
    cache.set(folder, found)
    return found
  }
}

function skipByAttributes({ generated, vendored }: LinguistAttributes): Skip | null {
  if (generated) return { reason: 'generated, by .gitattributes', matters: false }
  return vendored ? { reason: 'vendored, by .gitattributes', matters: false } : null
}

/** Skips files whose content isn't text in the repository. */
async function skipByContent(file: FileDiff, head: Snapshot): Promise<Skip | null> {
  const isGone = file.status === 'deleted'
  if (file.submodule) return { reason: 'submodule: its commits are not read', matters: !isGone }
  if (!file.binary && !mayBePointer(file)) return null
  const content = isGone ? undefined : await readBounded(head, file.path)
  if (file.binary) {
    if (isGone) return { reason: 'binary, deleted', matters: false }
    const isExecutable = file.newMode === '100755'
    if (content && isImage(file.path, content) && !isExecutable)
      return { reason: 'image', matters: false }
    return { reason: 'binary, or larger than 8 MB', matters: true }
  }
  const isPointer = content && isLfsPointer(decode(content))
  return isPointer
    ? { reason: 'Git LFS: the content is not in the repository', matters: true }
    : null
}

/** A pointer file has three lines, so larger files aren't read for this test. */
function mayBePointer({ hunks }: FileDiff): boolean {
  return hunks.length === 1 && hunks[0]!.newCount <= 3
}

interface ExemptionContext {
  readonly attributes: LinguistAttributes
  readonly isOnBase: (folder: string) => Promise<boolean>
}

/**
 * Why models need not read a file; undefined if they have to. Rules still read it: a large copy of
 * third-party code stays cheap, and can't hide what rules find.
 */
async function findExemption(
  path: string,
  file: FileDiff,
  { base }: Sides,
  { attributes, isOnBase }: ExemptionContext,
): Promise<string | undefined> {
  const { kind, reason } = classifyFile(path)
  if (kind === 'lock') return reason
  // The attributes can declare a file the project's own.
  if (attributes.vendored === false || attributes.generated === false) return undefined
  const folder = nonSourceFolderOf(path)
  if (folder !== undefined && (await isOnBase(folder))) {
    return `in \`${folder}\`, which the base has too`
  }
  if (file.status !== 'modified') return undefined
  const contentBefore = await readBounded(base, file.oldPath)
  if (!contentBefore) return undefined
  const before = classifyFile(path, contentBefore)
  return exemptKinds.has(before.kind) ? `${before.reason}, on the base too` : undefined
}

const exemptKinds: ReadonlySet<string> = new Set(['generated', 'minified', 'vendored'])

/** Whether a new path or mode makes other reviewers responsible, who haven't read the file yet. */
function changedHandling(file: FileDiff): boolean {
  const { path, oldPath, oldMode, newMode, status } = file
  const becomesExecutable = status === 'modified' && newMode === '100755' && oldMode !== '100755'
  if (!isMoved(file)) return becomesExecutable
  const handlingOf = (name: string) =>
    [textKindOf(name, undefined, false), ruleFileKindOf(name), isTestPath(name)].join()
  return becomesExecutable || handlingOf(path) !== handlingOf(oldPath)
}

function isMoved({ status }: FileDiff): boolean {
  return status === 'renamed' || status === 'copied'
}

/** Presents the file as fully added, because its earlier content was never reviewed. */
async function asFullyAdded(file: FileDiff, head: Snapshot): Promise<FileDiff> {
  const content = await readBounded(head, file.path)
  if (!content) return { ...file, truncated: true }
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

/** A file that becomes a link, or the reverse, appears twice in a diff. */
function addNeeds(known: ReadingNeeds | undefined, more: ReadingNeeds): ReadingNeeds {
  return {
    changed: (known?.changed ?? 0) + more.changed,
    program: (known?.program ?? 0) + more.program,
  }
}

/** How the changed lines of a file have to be read. */
async function measureNeeds(file: FileDiff, { head, base }: Sides): Promise<ReadingNeeds> {
  const changed = file.additions + file.deletions
  return { changed, program: await countProgramLines(file, changed, { head, base }) }
}

/** Counts the changed lines that have to be read as a program. */
async function countProgramLines(
  file: FileDiff,
  changed: number,
  { head, base }: Sides,
): Promise<number> {
  if (isProgramPath(file.path)) return changed
  const isDeleted = file.status === 'deleted'
  const content = isDeleted ? new Uint8Array() : await readBounded(head, file.path)
  // A link counts as a program, because its target is read under its name.
  if (content === undefined) return changed
  const text = content === null ? undefined : decode(content)
  const isExecutable = file.newMode === '100755' && !isDeleted
  const kind = textKindOf(file.path, text, isExecutable)
  if (kind === 'program') return changed
  if (kind !== 'data' || !text) return 0
  if (scriptsKeyOf(file.path) === undefined) return countCommandLines(file, text)
  const before = await readBounded(base, file.oldPath)
  const names = changedScripts(file.path, before ? decode(before) : undefined, text)
  return names === undefined ? changed : Math.min(countScriptLines(file, names), changed)
}

/** Counts the added lines that contain the name of one of the scripts. */
function countScriptLines({ hunks }: FileDiff, names: readonly string[]): number {
  const keys = names.map((name) => `${JSON.stringify(name)}`)
  const added = hunks.flatMap(({ lines }) => lines.filter(({ kind }) => kind === 'added'))
  const count = added.filter(({ text }) => keys.some((key) => text.includes(key))).length
  // A script without a line of its own (a minified file, an escaped name) still changes a program.
  return Math.max(count, names.length)
}

/**
 * Counts the changed lines of a data file that contain commands; if a command can continue over
 * lines, all lines count.
 */
function countCommandLines({ path, hunks, additions, deletions }: FileDiff, text: string): number {
  if (classifyFile(path).kind === 'lock') return 0
  if (allowsMultilineValues(path)) return hasCommandKey(text) ? additions + deletions : 0
  return hunks
    .flatMap(({ lines }) => lines)
    .filter((line) => line.kind === 'added' && hasCommandKey(line.text)).length
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}
