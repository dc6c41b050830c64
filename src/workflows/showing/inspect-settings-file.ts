// Inspects a settings file that a person pasted, or that a repository has, for what is wrong.
import type { FileProblem } from '../../config/read-settings-file.ts'
import { createYamlLocator, type Position } from '../../config/read-yaml.ts'
import { maxSettingsBytes, settingsPaths } from '../../domain/repository-settings.ts'
import type { Access, Platform } from '../../platforms/platform.ts'
import { inspectSettings } from '../gathering/parse-settings.ts'
import { createPlatformSnapshot } from '../gathering/platform-snapshot.ts'
import { readBounded } from '../gathering/read-bounded.ts'
import type { SettingsFile } from '../gathering/read-settings.ts'

interface LocatedProblem {
  readonly message: string
  /** Null if the whole file is wrong, as is the column. */
  readonly line: number | null
  readonly column: number | null
}

export interface InspectedSettings {
  readonly text: string
  readonly file: SettingsFile
  /** They are in the order of the file. */
  readonly problems: readonly LocatedProblem[]
}

const maxProblems = 100

/** @param pasted `directory` is empty for the whole repository */
export function inspectPasted(pasted: { text: string; directory: string }): InspectedSettings {
  const { text } = pasted
  const directory = normalizeDirectory(pasted.directory)
  const { given, problems } = inspectSettings(text, directory)
  const located = locateProblems(text, problems).toSorted(
    (one, other) => (one.line ?? 0) - (other.line ?? 0) || (one.column ?? 0) - (other.column ?? 0),
  )
  const [name] = settingsPaths as [string, ...string[]]
  return {
    text,
    problems: located.slice(0, maxProblems),
    file: {
      given,
      directory,
      repo: null,
      path: directory === '' ? name : `${directory}/${name}`,
      isVisible: true,
      withheld: [],
      problems: located.slice(0, maxProblems).map(({ message }) => message),
    },
  }
}

/** Paths in repositories have no empty or relative parts. */
function normalizeDirectory(directory: string): string {
  return directory
    .split('/')
    .filter((part) => part !== '' && part !== '.' && part !== '..')
    .join('/')
}

function locateProblems(text: string, problems: readonly FileProblem[]): LocatedProblem[] {
  // Only what could be read has paths.
  const isRead = problems.some(({ at }) => at !== null && isPath(at))
  const locate = isRead ? createYamlLocator(text) : null
  return problems.map(({ message, at }) => {
    const position = at !== null && isPath(at) ? locate?.(at) : at
    return { message, line: position?.line ?? null, column: position?.column ?? null }
  })
}

const isPath = (at: readonly PropertyKey[] | Position): at is readonly PropertyKey[] =>
  Array.isArray(at)

/**
 * Reads the settings file in a directory at a branch; empty if there is none that can be read.
 */
export async function readSettingsText(
  { platform, access, ref }: { platform: Platform; access: Access; ref: string },
  given: string,
  signal: AbortSignal,
): Promise<string> {
  const directory = normalizeDirectory(given)
  const tip = createPlatformSnapshot(platform, access, ref, signal)
  for (const name of settingsPaths) {
    const path = directory === '' ? name : `${directory}/${name}`
    const bytes = await readBounded(tip, path, { maxBytes: maxSettingsBytes })
    if (bytes) return new TextDecoder().decode(bytes)
  }
  return ''
}
