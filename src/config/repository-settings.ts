// The settings that a reviewed repository brings along, in `.umpire.yml` on the base branch.
import type { Severity } from '../domain/finding.ts'
import { type ReviewEnd, reviewEnds } from '../domain/review.ts'

/** Where they stand in a repository. */
export const settingsPath = '.umpire.yml'

/** The other spelling of YAML is taken too, where the first isn't there. */
export const settingsPaths: readonly string[] = [settingsPath, '.umpire.yaml']

/** Larger files are not read. */
export const maxSettingsBytes = 64 * 1024

/** Words for the reviewer about some of the files. */
export interface PathInstructions {
  /** Globs; empty for all files. */
  readonly paths: readonly string[]
  readonly text: string
}

/** Settings of a repository, complete: what isn't said has its default. */
export interface RepositorySettings {
  /** Globs. A file is reviewed when it fits one of `include` (or there is none) and none of `exclude`. */
  readonly paths: { readonly include: readonly string[]; readonly exclude: readonly string[] }
  readonly instructions: readonly PathInstructions[]
  /** Findings below it are not raised. */
  readonly minSeverity: Severity
  /** Null: as the deployment has it. `static` asks no model. */
  readonly mode: 'agentic' | 'parallel' | 'static' | null
  /** Of titles, bodies and summary, in English: `English`, `German`. */
  readonly language: string
  readonly policy: {
    /** What moderate findings come to when there is no critical one. */
    readonly moderate: 'NEEDS_DISCUSSION' | 'REQUEST_CHANGES'
    /** Inline comments of one review at most; null: as the deployment has it. */
    readonly maxComments: number | null
  }
  /** The ends of a review that keep a pull request from being merged where its status is required. */
  readonly gate: readonly ReviewEnd[]
  /** Ids of rules that are switched off. */
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
