// Reads the settings of a repository from its base branch, with those of its organization and of
// its directories.

import { createHash } from 'node:crypto'
import {
  gitattributesPath,
  maxGitattributesBytes,
  noLinguistAttributes,
  parseGitattributes,
  type ReadLinguistAttributes,
} from '../../code/read-gitattributes.ts'
import type { SettingsLayer } from '../../config/merge-settings.ts'
import { toHostPath } from '../../contract/repository-name.ts'
import type { FileDiff } from '../../domain/diff.ts'
import { GitError } from '../../domain/errors.ts'
import type { RepositoryName } from '../../domain/pull-request.ts'
import {
  defaultSettings,
  isInDirectory,
  isReviewedByRulesOnly,
  maxSettingsBytes,
  type RepositorySettings,
  settingsDirectoryOf,
  settingsPaths,
} from '../../domain/repository-settings.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import { formatCount } from '../../lib/text.ts'
import { readBounded } from './read-bounded.ts'

/**
 * Those of further directories are not read. Which ones these are depends on the base branch alone,
 * so that the author of a change can't choose them.
 */
const maxDirectories = 50

/** One settings file, with what is wrong in it. */
export interface SettingsFile extends SettingsLayer {
  /** Null for the repository whose settings are read. */
  readonly repo: RepositoryName | null
  readonly path: string
  /** Whether everyone who can read the reviewed repository can read this file. */
  readonly isVisible: boolean
  /** Each is a phrase without a period. */
  readonly problems: readonly string[]
  /** Keys of the file that don't apply to the repository whose settings are read. */
  readonly withheld: readonly string[]
}

/** The settings that a review applies. */
export interface LoadedSettings {
  readonly settings: RepositorySettings
  /** Which files `.gitattributes` declares generated or vendored. */
  readonly attributesOf: ReadLinguistAttributes
  /** Each note is one sentence about a problem of the settings. */
  readonly notes: readonly string[]
  /** It hashes all settings and attributes, those of directories that nothing changed in, too. */
  readonly digest: string
}

/** A repository without settings has these. */
export const noLoadedSettings: LoadedSettings = {
  settings: defaultSettings,
  attributesOf: noLinguistAttributes,
  notes: [],
  digest: '',
}

/** The tip of the base branch: an author can choose an old merge base, and writes the head. */
type BaseTip = Pick<Snapshot, 'readFile' | 'listFiles'>

interface SettingsRequest {
  /** The settings that the repository inherits; null if there are none. */
  readonly organization: SettingsFile | null
  readonly draft: boolean
  /** The changed files, in whose directories settings are looked for. */
  readonly changed: readonly Pick<FileDiff, 'path' | 'oldPath'>[]
}

/** Reads all settings and `.gitattributes` for the review of a pull request. */
export async function loadSettings(
  tip: BaseTip,
  { organization, draft, changed }: SettingsRequest,
): Promise<LoadedSettings> {
  const [whole, directories, attributes] = await Promise.all([
    readWholeSettings(tip, organization),
    findDirectories(tip),
    readBounded(tip, gitattributesPath, { maxBytes: maxGitattributesBytes }),
  ])
  const applies = ({ directory }: DirectoryEntry) =>
    changed.some(({ path, oldPath }) =>
      [path, oldPath].some((one) => isInDirectory(one, directory)),
    )
  const inner = await readDirectories(tip, directories.read.filter(applies))
  const { settings, notes } = limitToRules(await mergeFiles([...whole, ...inner]), draft)
  // The files of directories are identified by their hashes, so that the other ones aren't read.
  const parts = [limitToRules(await mergeFiles(whole), draft), directories]
  const digest = createHash('sha256').update(JSON.stringify(parts))
  if (attributes) digest.update(attributes)
  return {
    settings,
    attributesOf: attributes ? parseGitattributes(attributes) : noLinguistAttributes,
    notes: [...notes, ...describeUnread(directories)],
    digest: digest.digest('hex'),
  }
}

type ReadSettings = Pick<LoadedSettings, 'settings' | 'notes'>

const draftNote =
  'Rules alone reviewed this draft (`reviews.drafts` in the settings). It is reviewed in full ' +
  'when it is ready for review.'

/**
 * Its author chose that it is a draft. So the review of a draft by rules always blocks, whatever
 * the gate lets pass.
 */
function limitToRules(read: ReadSettings, draft: boolean): ReadSettings {
  if (!isReviewedByRulesOnly({ draft }, read.settings)) return read
  return {
    settings: { ...read.settings, mode: 'static', gate: defaultSettings.gate },
    notes: [...read.notes, draftNote],
  }
}

/** Reads the settings that don't depend on files: `gate`, `mode`, `reviews` and others. */
export async function readSettings(
  tip: Pick<Snapshot, 'readFile'>,
  organization: SettingsFile | null,
): Promise<RepositorySettings> {
  return (await mergeFiles(await readWholeSettings(tip, organization))).settings
}

/** Reads all settings files that apply somewhere in the repository, farther ones first. */
export async function listSettingsFiles(
  tip: BaseTip,
  organization: SettingsFile | null,
): Promise<{ files: readonly SettingsFile[]; notes: readonly string[] }> {
  const [whole, directories] = await Promise.all([
    readWholeSettings(tip, organization),
    findDirectories(tip),
  ])
  const files = [...whole, ...(await readDirectories(tip, directories.read))]
  return { files, notes: describeUnread(directories) }
}

async function readWholeSettings(
  tip: Pick<Snapshot, 'readFile'>,
  organization: SettingsFile | null,
): Promise<SettingsFile[]> {
  const own = await readSettingsIn(tip, '')
  return [organization, own].filter((file) => file !== null)
}

/** Reads the settings file in a directory; null if it has none. */
export async function readSettingsIn(
  tip: Pick<Snapshot, 'readFile'>,
  directory: string,
): Promise<SettingsFile | null> {
  for (const name of settingsPaths) {
    const path = directory === '' ? name : `${directory}/${name}`
    const bytes = await readBounded(tip, path, { maxBytes: maxSettingsBytes })
    if (bytes === undefined) continue
    const common = { directory, repo: null, path, isVisible: true, withheld: [] }
    if (bytes === null) {
      const { unreadable } = await import('../../config/read-settings-file.ts')
      const limit = `${maxSettingsBytes / 1024} KB`
      const problem = `it is larger than ${limit} or could not be read, so the defaults hold`
      return { ...common, given: directory === '' ? unreadable : {}, problems: [problem] }
    }
    // The parser is imported only for repositories that have settings.
    const { parseSettings } = await import('./parse-settings.ts')
    return { ...common, ...parseSettings(bytes, directory) }
  }
  return null
}

interface DirectoryEntry {
  readonly directory: string
  /** It has the object ids of its settings files. */
  readonly oids: readonly string[]
}

interface Directories {
  /** Outer ones come before those inside them. */
  readonly read: readonly DirectoryEntry[]
  readonly unread: readonly DirectoryEntry[]
}

async function findDirectories(tip: BaseTip): Promise<Directories> {
  const listed = await tip.listFiles().catch((error) => {
    // There are too many files.
    if (error instanceof GitError && !error.retryable) return []
    throw error
  })
  const files = listed.flatMap(({ kind, path, oid }) => {
    const directory = kind === 'file' ? settingsDirectoryOf(path) : undefined
    return directory ? [{ directory, oid }] : []
  })
  const byDirectory = Map.groupBy(files, ({ directory }) => directory)
  const entries = [...byDirectory]
    .map(([directory, own]) => ({ directory, oids: own.map(({ oid }) => oid) }))
    .sort((one, other) => (one.directory < other.directory ? -1 : 1))
  return { read: entries.slice(0, maxDirectories), unread: entries.slice(maxDirectories) }
}

async function readDirectories(
  tip: BaseTip,
  directories: readonly DirectoryEntry[],
): Promise<SettingsFile[]> {
  const files = await Promise.all(
    directories.map(({ directory }) => readSettingsIn(tip, directory)),
  )
  return files.filter((file) => file !== null)
}

function describeUnread({ read, unread }: Directories): string[] {
  if (unread.length === 0) return []
  const subject = formatCount(unread.length, 'directory has', 'directories have')
  return [`${subject} settings that are not read: the limit is ${read.length}.`]
}

/** The parser's schema is imported only for repositories that have settings. */
async function mergeFiles(files: readonly SettingsFile[]): Promise<ReadSettings> {
  if (files.length === 0) return { settings: defaultSettings, notes: [] }
  const { mergeSettings } = await import('../../config/merge-settings.ts')
  const { settings, omittedInstructions } = mergeSettings(files)
  const notes = files.flatMap(describeProblems)
  if (omittedInstructions === 0) return { settings, notes }
  const omitted = formatCount(omittedInstructions, 'instruction is', 'instructions are')
  const reason = 'those of all settings files together are too long'
  return { settings, notes: [...notes, `The last ${omitted} not read: ${reason}.`] }
}

/** What is wrong in a file quotes it, so it isn't shown to those who may not read the file. */
function describeProblems({ repo, path, isVisible, problems }: SettingsFile): string[] {
  const name = repo === null ? `\`${path}\`` : `\`${path}\` of \`${toHostPath(repo)}\``
  if (isVisible) {
    return problems.map((problem) => `${name}: ${problem}.`)
  }
  if (problems.length === 0) return []
  const count = formatCount(problems.length, 'problem')
  return [`${name} has ${count}, which Umpire's page shows to its readers.`]
}

/**
 * Lists the problems of settings that the change contains; they aren't in force yet.
 *
 * @param files the changed files
 * @param head the snapshot with the changed settings
 */
export async function checkChangedSettings(
  files: readonly Pick<FileDiff, 'path'>[],
  head: Pick<Snapshot, 'readFile'>,
): Promise<readonly string[]> {
  const changed = files.flatMap(({ path }) => settingsDirectoryOf(path) ?? [])
  const directories = [...new Set(changed)].slice(0, maxDirectories)
  const read = await Promise.all(directories.map((directory) => readSettingsIn(head, directory)))
  return read
    .flatMap((file) => (file === null ? [] : describeProblems(file)))
    .map((note) => `${note} (In this change: not in force until it is on the base branch.)`)
}
