// Reads a repository's settings and attributes from its base branch.
import { createHash } from 'node:crypto'
import {
  gitattributesPath,
  maxGitattributesBytes,
  noLinguistAttributes,
  parseGitattributes,
  type ReadLinguistAttributes,
} from '../../code/read-gitattributes.ts'
import type { FileDiff } from '../../domain/diff.ts'
import {
  defaultSettings,
  isReviewedByRulesOnly,
  maxSettingsBytes,
  type RepositorySettings,
  settingsPaths,
} from '../../domain/repository-settings.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import { readBounded } from './read-bounded.ts'

/** The settings that a review applies. */
export interface LoadedSettings {
  readonly settings: RepositorySettings
  /** Which files `.gitattributes` declares generated or vendored. */
  readonly attributesOf: ReadLinguistAttributes
  /** Each note is one sentence about a problem of the settings. */
  readonly notes: readonly string[]
  /** It hashes all settings and attributes. */
  readonly digest: string
}

/** A repository without settings has these. */
export const noLoadedSettings: LoadedSettings = {
  settings: defaultSettings,
  attributesOf: noLinguistAttributes,
  notes: [],
  digest: '',
}

/**
 * Reads `.umpire.yml` and `.gitattributes`.
 *
 * @param tip the tip of the base branch: an author can choose an old merge base, and writes the
 *   head
 * @param pullRequest whose review they are for
 */
export async function loadSettings(
  tip: Pick<Snapshot, 'readFile'>,
  pullRequest: { readonly draft: boolean } = { draft: false },
): Promise<LoadedSettings> {
  const [{ settings, notes }, attributes] = await Promise.all([
    readSettings(tip).then((read) => limitToRules(read, pullRequest)),
    readBounded(tip, gitattributesPath, { maxBytes: maxGitattributesBytes }),
  ])
  const digest = createHash('sha256').update(JSON.stringify([settings, notes]))
  if (attributes) digest.update(attributes)
  const attributesOf = attributes ? parseGitattributes(attributes) : noLinguistAttributes
  return { settings, attributesOf, notes, digest: digest.digest('hex') }
}

type ReadSettings = Pick<LoadedSettings, 'settings' | 'notes'>

const draftNote =
  'Rules alone reviewed this draft (`reviews.drafts` in the settings). It is reviewed in full ' +
  'when it is ready for review.'

/**
 * Its author chose that it is a draft. So the review of a draft by rules always blocks, whatever
 * the gate lets pass.
 */
function limitToRules(read: ReadSettings, pullRequest: { readonly draft: boolean }): ReadSettings {
  if (!isReviewedByRulesOnly(pullRequest, read.settings)) return read
  return {
    settings: { ...read.settings, mode: 'static', gate: defaultSettings.gate },
    notes: [...read.notes, draftNote],
  }
}

/** Reads `.umpire.yml` alone. The defaults replace what is invalid. */
export async function readSettings(tip: Pick<Snapshot, 'readFile'>): Promise<ReadSettings> {
  for (const path of settingsPaths) {
    const bytes = await readBounded(tip, path, { maxBytes: maxSettingsBytes })
    if (bytes === null) {
      const limit = `${maxSettingsBytes / 1024} KB`
      const note = `\`${path}\` is larger than ${limit} or could not be read, so the defaults hold.`
      return { settings: defaultSettings, notes: [note] }
    }
    if (bytes === undefined) continue
    // The parser is imported only for repositories that have settings.
    const { parseSettings } = await import('./parse-settings.ts')
    const { settings, problems } = parseSettings(bytes)
    return { settings, notes: problems.map((problem) => `\`${path}\`: ${problem}.`) }
  }
  return { settings: defaultSettings, notes: [] }
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
  if (!files.some(({ path }) => settingsPaths.includes(path))) return []
  const { notes } = await readSettings(head)
  return notes.map(
    (note) => `${note} (In this change: not in force until it is on the base branch.)`,
  )
}
