// Reads what the repository itself has to say about its reviews, from its base branch.
import { createHash } from 'node:crypto'
import {
  gitattributesPath,
  maxGitattributesBytes,
  noLinguistAttributes,
  parseGitattributes,
  type ReadLinguistAttributes,
} from '../../code/read-gitattributes.ts'
import {
  defaultSettings,
  maxSettingsBytes,
  type RepositorySettings,
  settingsPaths,
} from '../../config/repository-settings.ts'
import type { FileDiff } from '../../domain/diff.ts'
import { GitError } from '../../domain/errors.ts'
import type { Snapshot } from '../../git/snapshot.ts'

/** How a repository wants to be reviewed. */
export interface LoadedSettings {
  readonly settings: RepositorySettings
  /** Which files it calls generated or vendored. */
  readonly attributesOf: ReadLinguistAttributes
  /** What is wrong with its settings, one sentence each. */
  readonly notes: readonly string[]
  /** Hash of all of it. */
  readonly digest: string
}

/** Of a repository that says nothing. */
export const noLoadedSettings: LoadedSettings = {
  settings: defaultSettings,
  attributesOf: noLinguistAttributes,
  notes: [],
  digest: '',
}

/**
 * Reads `.umpire.yml` and `.gitattributes`.
 *
 * @param tip a commit of the base branch. Not the merge base, which whoever opens a pull request chooses among old ones,
 *   and not the head, which they wrote
 */
export async function loadSettings(tip: Pick<Snapshot, 'readFile'>): Promise<LoadedSettings> {
  const [{ settings, notes }, attributes] = await Promise.all([
    readSettings(tip),
    readBounded(tip, gitattributesPath, maxGitattributesBytes),
  ])
  const digest = createHash('sha256').update(JSON.stringify([settings, notes]))
  if (attributes) digest.update(attributes)
  const attributesOf = attributes ? parseGitattributes(attributes) : noLinguistAttributes
  return { settings, attributesOf, notes, digest: digest.digest('hex') }
}

async function readSettings(
  tip: Pick<Snapshot, 'readFile'>,
): Promise<Pick<LoadedSettings, 'settings' | 'notes'>> {
  for (const path of settingsPaths) {
    const bytes = await readBounded(tip, path, maxSettingsBytes)
    if (bytes === null) {
      const note = `\`${path}\` is larger than ${maxSettingsBytes / 1024} KB or could not be read, so the defaults hold.`
      return { settings: defaultSettings, notes: [note] }
    }
    if (bytes === undefined) continue
    // A repository without settings needs no parser for them.
    const { parseSettings } = await import('./parse-settings.ts')
    const { settings, problems } = parseSettings(bytes)
    return { settings, notes: problems.map((problem) => `\`${path}\`: ${problem}.`) }
  }
  return { settings: defaultSettings, notes: [] }
}

/**
 * What is wrong with settings that are part of the change, one sentence each: they aren't in force yet.
 *
 * @param files of the change
 * @param head what they are like after it
 */
export async function checkChangedSettings(
  files: readonly Pick<FileDiff, 'path'>[],
  head: Pick<Snapshot, 'readFile'>,
): Promise<readonly string[]> {
  if (!files.some(({ path }) => settingsPaths.includes(path))) return []
  const { notes } = await readSettings(head)
  return notes.map(
    (note) => `${note} (As this change has it: not in force until it is on the base branch.)`,
  )
}

/** A file's bytes; undefined where there is none, null where it is too large or damaged. */
async function readBounded(
  tip: Pick<Snapshot, 'readFile'>,
  path: string,
  maxBytes: number,
): Promise<Uint8Array | undefined | null> {
  try {
    return await tip.readFile(path, { maxBytes })
  } catch (error) {
    if (error instanceof GitError && !error.retryable) return null
    throw error
  }
}
