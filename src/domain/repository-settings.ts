// Defines the settings that apply to a reviewed repository: those in `.umpire.yml` on its base
// branch, with those of its organization and of its directories.
import type { Severity } from './finding.ts'
import { type Decision, type ReviewEnd, reviewEnds } from './review.ts'

export const settingsPath = '.umpire.yml'

/** The second path is read if the first one doesn't exist. */
export const settingsPaths: readonly string[] = [settingsPath, '.umpire.yaml']

/** Larger files are not read. */
export const maxSettingsBytes = 64 * 1024

export interface PathInstructions {
  /** Globs; empty for all files. */
  readonly paths: readonly string[]
  readonly text: string
}

/** Pull requests to which one of these applies are not reviewed, unless somebody requests it. */
interface SkipSettings {
  /** They are logins. */
  readonly authors: readonly string[]
  /** Whether accounts of applications are skipped, too. */
  readonly bots: boolean
  readonly labels: readonly string[]
  /** Each is a part of titles, in any case. */
  readonly titles: readonly string[]
  /** They are globs of source branches. */
  readonly branches: readonly string[]
  /** They are globs of target branches. */
  readonly baseBranches: readonly string[]
  /** Globs. They apply if all changed files match one of them. */
  readonly paths: readonly string[]
  /** More changed lines than these are skipped; null for no limit. */
  readonly lines: number | null
}

/** What other tools found, which reviews by the service include. */
export interface ToolSettings {
  /** Whether the logs in the code host's code scanning are read. */
  readonly codeScanning: boolean
  /** They are globs of names. Logs in the artifacts of CI with these names are read. */
  readonly artifacts: readonly string[]
}

export interface StartSettings {
  /** `on_request`: no review starts by itself. */
  readonly start: 'automatic' | 'on_request'
  /** How drafts are reviewed: as others are, by rules only, or not at all. */
  readonly drafts: 'review' | 'static' | 'skip'
  /** Adding this label requests a review. */
  readonly label: string
  readonly skip: SkipSettings
}

/** What a directory sets for the files in it. Null if it is set further up. */
export interface DirectorySettings {
  /** Its path, without a slash at the end. Globs are relative to it. */
  readonly directory: string
  readonly paths: {
    readonly include: readonly string[] | null
    readonly exclude: readonly string[] | null
  }
  /** They are added to those from further up. */
  readonly instructions: readonly PathInstructions[]
  readonly minSeverity: Severity | null
  readonly disabledRules: readonly string[] | null
}

/** Complete settings, in which defaults replace what no file sets. */
export interface RepositorySettings {
  /**
   * Globs. A file is reviewed if it matches an `include` glob (if there are any) and no `exclude`.
   */
  readonly paths: { readonly include: readonly string[]; readonly exclude: readonly string[] }
  readonly instructions: readonly PathInstructions[]
  /** Less severe findings are not reported. */
  readonly minSeverity: Severity
  /** Null for the deployment's mode. `static` uses no model. */
  readonly mode: 'agentic' | 'parallel' | 'static' | null
  /** Chooses between the deployment's models. */
  readonly model: 'main' | 'fast'
  /** The fast model reviews changes of up to so many lines; null for none by their size. */
  readonly fastLines: number | null
  /** English name of the language for titles, bodies and summary: `English`, `German`. */
  readonly language: string
  readonly policy: {
    /** The verdict for moderate findings when there is no critical one. */
    readonly moderate: 'NEEDS_DISCUSSION' | 'REQUEST_CHANGES'
    /** Maximum of inline comments in one review; null for the deployment's. */
    readonly maxComments: number | null
  }
  /** Ends of a review that block merging in repositories that require its status. */
  readonly gate: readonly ReviewEnd[]
  /** The decisions that reviews may make at the code host. */
  readonly decisions: readonly Decision[]
  readonly disabledRules: readonly string[]
  readonly tools: ToolSettings
  /** Which pull requests are reviewed, and when. */
  readonly reviews: StartSettings
  /** Outer ones come before those inside them. Only those with changed files are here. */
  readonly directories: readonly DirectorySettings[]
}

export const defaultSettings: RepositorySettings = {
  paths: { include: [], exclude: [] },
  instructions: [],
  minSeverity: 'minor',
  mode: null,
  model: 'main',
  fastLines: null,
  language: 'English',
  policy: { moderate: 'NEEDS_DISCUSSION', maxComments: null },
  gate: reviewEnds.filter((end) => end !== 'passed'),
  decisions: [],
  disabledRules: [],
  tools: { codeScanning: false, artifacts: [] },
  reviews: {
    start: 'automatic',
    drafts: 'review',
    label: 'umpire-review',
    skip: {
      authors: [],
      bots: false,
      labels: [],
      titles: [],
      branches: [],
      baseBranches: [],
      paths: [],
      lines: null,
    },
  },
  directories: [],
}

/** Returns the settings that apply to a file: those of the innermost directory that has them. */
export function settingsAt(
  settings: Pick<RepositorySettings, 'minSeverity' | 'disabledRules' | 'directories'>,
  path: string,
): Pick<RepositorySettings, 'minSeverity' | 'disabledRules'> {
  const around = settings.directories.filter(({ directory }) => isInDirectory(path, directory))
  const nearest = around.toReversed()
  return {
    minSeverity:
      nearest.find((one) => one.minSeverity !== null)?.minSeverity ?? settings.minSeverity,
    disabledRules:
      nearest.find((one) => one.disabledRules !== null)?.disabledRules ?? settings.disabledRules,
  }
}

/** @param directory empty for the root */
export function isInDirectory(path: string, directory: string): boolean {
  return directory === '' || path.startsWith(`${directory}/`)
}

/** Returns the directory of a settings file, empty for the root; undefined for another file. */
export function settingsDirectoryOf(path: string): string | undefined {
  const slash = path.lastIndexOf('/')
  return settingsPaths.includes(path.slice(slash + 1))
    ? path.slice(0, Math.max(slash, 0))
    : undefined
}

/** Whether rules alone review a pull request because it is a draft. */
export function isReviewedByRulesOnly(
  { draft }: { readonly draft: boolean },
  { reviews }: Pick<RepositorySettings, 'reviews'>,
): boolean {
  return draft && reviews.drafts === 'static'
}
