// Merges the settings of several files: a nearer file wins, key by key.
import {
  type DirectorySettings,
  defaultSettings,
  type PathInstructions,
  type RepositorySettings,
  type StartSettings,
  type ToolSettings,
} from '../domain/repository-settings.ts'
import { type GivenSettings, maxTotalInstructionLength } from './settings-schema.ts'

/** The settings of one file. */
export interface SettingsLayer {
  /** The directory whose files they are about; empty for the whole repository. */
  readonly directory: string
  readonly given: GivenSettings
}

interface MergedSettings {
  readonly settings: RepositorySettings
  /** How many of the last instructions don't apply, because all together are too long. */
  readonly omittedInstructions: number
}

/**
 * Merges settings and adds defaults. Lists are replaced by nearer ones, except for instructions,
 * which all apply.
 *
 * @param layers farther ones come first; those of directories last
 */
export function mergeSettings(layers: readonly SettingsLayer[]): MergedSettings {
  const whole = layers.filter(({ directory }) => directory === '')
  const inner = layers.filter(({ directory }) => directory !== '')
  const given = whole.reduce<GivenSettings>((merged, layer) => mergeGiven(merged, layer.given), {})
  const all = layers.flatMap((layer) =>
    listItems(layer.given.instructions).map((item) => ({ layer, text: textOf(item), item })),
  )
  // Those of directories are left out first: the author of a change chooses which of them apply.
  const kept = limitInstructions(all)
  const instructionsOf = (chosen: readonly SettingsLayer[]) =>
    kept.filter(({ layer }) => chosen.includes(layer)).map(({ item }) => toInstructions(item))
  return {
    settings: {
      ...completeSettings(given),
      instructions: instructionsOf(whole),
      directories: inner.map((layer) => toDirectory(layer, instructionsOf([layer]))),
    },
    omittedInstructions: all.length - kept.length,
  }
}

/** A key without a value counts as missing. */
function mergeGiven<Given extends object>(far: Given, near: Given): Given {
  const merged = { ...far } as Record<string, unknown>
  for (const [key, value] of Object.entries(near)) {
    if (value === null || value === undefined) continue
    const before = merged[key]
    merged[key] = isMapping(before) && isMapping(value) ? mergeGiven(before, value) : value
  }
  return merged as Given
}

function isMapping(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

type Instruction = Exclude<GivenSettings['instructions'], readonly unknown[] | null | undefined>

function textOf(item: Instruction): string {
  return typeof item === 'string' ? item : item.text
}

function toInstructions(item: Instruction): PathInstructions {
  return { paths: typeof item === 'string' ? [] : listItems(item.paths), text: textOf(item) }
}

function toDirectory(
  { directory, given }: SettingsLayer,
  instructions: readonly PathInstructions[],
): DirectorySettings {
  const { include, exclude } = given.paths ?? {}
  const { disable } = given.rules ?? {}
  return {
    directory,
    paths: {
      include: include ? listItems(include) : null,
      exclude: exclude ? listItems(exclude) : null,
    },
    instructions,
    minSeverity: given.severity ?? null,
    disabledRules: disable ? listItems(disable) : null,
  }
}

function completeSettings(
  given: GivenSettings,
): Omit<RepositorySettings, 'instructions' | 'directories'> {
  const { policy } = defaultSettings
  return {
    paths: { include: listItems(given.paths?.include), exclude: listItems(given.paths?.exclude) },
    minSeverity: given.severity ?? defaultSettings.minSeverity,
    ...completeModels(given),
    policy: {
      moderate: given.policy?.moderate === 'request_changes' ? 'REQUEST_CHANGES' : policy.moderate,
      maxComments: given.policy?.max_comments ?? policy.maxComments,
    },
    gate: given.gate ? listItems(given.gate) : defaultSettings.gate,
    decisions: listItems(given.decisions),
    disabledRules: listItems(given.rules?.disable),
    tools: completeTools(given.tools),
    reviews: completeStart(given.reviews),
  }
}

function completeModels(
  given: GivenSettings,
): Pick<RepositorySettings, 'mode' | 'model' | 'fastLines' | 'language'> {
  return {
    mode: given.mode ?? defaultSettings.mode,
    model: given.model ?? defaultSettings.model,
    fastLines: given.fast_lines ?? defaultSettings.fastLines,
    language: given.language ?? defaultSettings.language,
  }
}

function completeTools(given: GivenSettings['tools']): ToolSettings {
  return {
    codeScanning: given?.code_scanning ?? defaultSettings.tools.codeScanning,
    artifacts: listItems(given?.artifacts),
  }
}

type GivenStart = NonNullable<GivenSettings['reviews']>

function completeStart(reviews: GivenStart | null | undefined): StartSettings {
  const given = reviews ?? {}
  const { start, drafts, label } = defaultSettings.reviews
  return {
    start: given.start ?? start,
    drafts: given.drafts ?? drafts,
    label: given.label ?? label,
    skip: completeSkip(given.skip ?? {}),
  }
}

function completeSkip(given: NonNullable<GivenStart['skip']>): StartSettings['skip'] {
  const { bots, lines } = defaultSettings.reviews.skip
  return {
    authors: listItems(given.authors),
    bots: given.bots ?? bots,
    labels: listItems(given.labels),
    titles: listItems(given.titles),
    branches: listItems(given.branches),
    baseBranches: listItems(given.base_branches),
    paths: listItems(given.paths),
    lines: given.lines ?? lines,
  }
}

/** Accepts a list or a single item. */
export function listItems<Item>(list: Item | Item[] | null | undefined): Item[] {
  return list === null || list === undefined ? [] : ([list].flat() as Item[])
}

/** Leaves out the last ones of instructions that are too long together. */
export function limitInstructions<Item extends string | { readonly text: string }>(
  all: readonly Item[],
): readonly Item[] {
  let totalLength = 0
  return all.filter((item) => {
    totalLength += (typeof item === 'string' ? item : item.text).length
    return totalLength <= maxTotalInstructionLength
  })
}
