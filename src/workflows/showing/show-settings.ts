// Shows the settings that apply to a repository, with the file that each value comes from.

import { listSettings, type SettingValue } from '../../config/list-settings.ts'
import type { AppContext } from '../../context.ts'
import { toHostPath } from '../../contract/repository-name.ts'
import type { RepositoryName } from '../../domain/pull-request.ts'
import { isInDirectory } from '../../domain/repository-settings.ts'
import type { Access } from '../../platforms/platform.ts'
import { createPlatformSnapshot } from '../gathering/platform-snapshot.ts'
import { listSettingsFiles, type SettingsFile } from '../gathering/read-settings.ts'

/** A settings file as its readers see it. */
export interface ShownFile {
  /** Null for the repository whose settings are shown. */
  readonly repo: RepositoryName | null
  readonly path: string
  /** The directory whose files it is about; empty for the whole repository. */
  readonly directory: string
  /** Whether the reader may read the file. If not, its values and problems are left out. */
  readonly isVisible: boolean
  readonly problems: readonly string[]
  /** How many problems it has, also if they are left out. */
  readonly problemCount: number
  /** Keys of the file that don't apply to this repository. */
  readonly withheld: readonly string[]
}

export interface ShownSetting {
  /** Empty for the whole repository. */
  readonly directory: string
  readonly key: string
  /** Null for the default of the service, and for a value that the reader may not see. */
  readonly value: SettingValue
  /** The file that sets it; null for a default. */
  readonly file: ShownFile | null
}

export interface ShownSettings {
  readonly files: readonly ShownFile[]
  /** The settings of the whole repository, then those that directories set. */
  readonly settings: readonly ShownSetting[]
  /** Each note is one sentence. */
  readonly notes: readonly string[]
}

type SettingsContext = Pick<AppContext, 'platform' | 'organizationSettings'>

/**
 * Reads and shows the settings at a branch or commit.
 *
 * @param options `mayRead`: whether the reader may read a repository that isn't public; by default
 *   not, since not everyone who reads a repository can read the others of its owner; `replacement`:
 *   takes the place of the file that the branch has in its directory
 */
export async function showSettings(
  { platform, organizationSettings }: SettingsContext,
  access: Access,
  ref: string,
  signal: AbortSignal,
  options: {
    mayRead?: (repo: RepositoryName) => Promise<boolean>
    replacement?: SettingsFile | null
  } = {},
): Promise<ShownSettings> {
  const { mayRead = async () => false, replacement = null } = options
  const organization = await organizationSettings.read(access)
  const tip = createPlatformSnapshot(platform, access, ref, signal)
  const { files: stored, notes } = await listSettingsFiles(tip, organization)
  const files = replacement === null ? stored : replaceFile(stored, replacement)
  const seen = files.map(async (file) => {
    const isVisible = file.isVisible || file.repo === null || (await mayRead(file.repo))
    return { ...file, isVisible }
  })
  return describeFiles(await Promise.all(seen), notes)
}

/** Files of the whole repository come first, then those of directories, outer ones first. */
function replaceFile(files: readonly SettingsFile[], file: SettingsFile): SettingsFile[] {
  const { directory } = file
  const others = files.filter((other) => other.repo !== null || other.directory !== directory)
  const isAfter = (other: SettingsFile) =>
    other.repo === null && other.directory > directory && other.directory !== ''
  const index = others.findIndex(isAfter)
  return others.toSpliced(index === -1 ? others.length : index, 0, file)
}

/** Shows files that were read already. */
export function describeFiles(
  files: readonly SettingsFile[],
  notes: readonly string[],
): ShownSettings {
  const shown = new Map(files.map((file) => [file, showFile(file)]))
  const whole = files.filter(({ directory }) => directory === '')
  const inner = files.filter(({ directory }) => directory !== '')
  const list = (layers: readonly SettingsFile[], directory: string): ShownSetting[] =>
    listSettings(layers).map(({ key, value, layer }) => {
      const file = layer === null ? null : shown.get(layer)!
      return { directory, key, value: file?.isVisible === false ? null : value, file }
    })
  const set = inner.flatMap((file) => list([file], file.directory))
  return {
    files: [...shown.values()],
    settings: [...list(whole, ''), ...set.filter(({ file }) => file !== null)],
    notes,
  }
}

function showFile({ given, problems, ...file }: SettingsFile): ShownFile {
  return {
    ...file,
    problems: file.isVisible ? problems : [],
    problemCount: problems.length,
  }
}

/** Returns the settings that apply to a file or directory: an inner one wins, key by key. */
export function settingsOfPath(
  { settings }: Pick<ShownSettings, 'settings'>,
  path: string,
): readonly ShownSetting[] {
  const around = settings.filter(({ directory }) => isInDirectory(`${path}/`, directory))
  return around.filter(
    ({ key, directory }) =>
      key === 'instructions' ||
      !around.some((other) => other.key === key && other.directory.length > directory.length),
  )
}

/** Writes a value like in a settings file, on one line. */
export function formatSetting({ value, file, key }: ShownSetting): string {
  if (file?.isVisible === false) return 'not shown: it comes from a private repository'
  if (Array.isArray(value)) return `[${value.map(formatItem).join(', ')}]`
  return value === null ? describeDefault(key) : String(value)
}

function formatItem(item: string | { paths: readonly string[]; text: string }): string {
  if (typeof item === 'string') return item
  return item.paths.length === 0 ? item.text : `${item.paths.join(', ')}: ${item.text}`
}

function describeDefault(key: string): string {
  return key === 'reviews.skip.lines' || key === 'fast_lines' ? 'none' : "the service's"
}

/** Names the file that a value comes from. */
export function formatOrigin(file: Pick<ShownFile, 'repo' | 'path'> | null): string {
  if (file === null) return 'default'
  return file.repo === null ? file.path : `${file.path} of ${toHostPath(file.repo)}`
}
