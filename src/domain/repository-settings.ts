// Defines the settings that a reviewed repository has in `.umpire.yml` on its base branch.
import type { Severity } from './finding.ts'
import { type ReviewEnd, reviewEnds } from './review.ts'

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

/** Complete settings, in which defaults replace what the repository doesn't set. */
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
  readonly disabledRules: readonly string[]
}

export const defaultSettings: RepositorySettings = {
  paths: { include: [], exclude: [] },
  instructions: [],
  minSeverity: 'minor',
  mode: null,
  language: 'English',
  policy: { moderate: 'NEEDS_DISCUSSION', maxComments: null },
  gate: reviewEnds.filter((end) => end !== 'passed'),
  disabledRules: [],
}
