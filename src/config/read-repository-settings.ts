// Reads `.umpire.yml`: applies its valid settings and collects problems for the review to show.
import type { z } from 'zod'
import {
  defaultSettings,
  type PathInstructions,
  type RepositorySettings,
  type StartSettings,
} from '../domain/repository-settings.ts'
import { findClosestMatch } from '../lib/text.ts'
import { readYaml } from './read-yaml.ts'
import {
  describeSettings,
  type GivenSettings,
  type JsonSchema,
  maxTotalInstructionLength,
  quoteValue,
  settingsSchema,
} from './settings-schema.ts'

const maxProblems = 10

/** The settings are complete; `problems` has a sentence for each mistake in their file. */
export interface SettingsReport {
  readonly settings: RepositorySettings
  readonly problems: readonly string[]
}

type Issue = z.core.$ZodIssue
type Path = readonly PropertyKey[]

/** Reads a repository's settings file. Returns usable settings for any content. */
export function readRepositorySettings(bytes: Uint8Array): SettingsReport {
  const yaml = readYaml(new TextDecoder().decode(bytes))
  if ('problem' in yaml) {
    return {
      settings: defaultSettings,
      problems: [`it is not YAML that can be read, so the defaults hold: ${yaml.problem}`],
    }
  }
  // The value is null for an empty file and for one with comments only.
  if (yaml.value === null) return { settings: defaultSettings, problems: [] }
  if (typeof yaml.value !== 'object' || Array.isArray(yaml.value)) {
    return { settings: defaultSettings, problems: ['it has no keys, so the defaults hold'] }
  }
  const { given, problems } = parseValidParts(yaml.value)
  const settings = completeSettings(given)
  const instructions = limitInstructions(settings.instructions)
  const omitted = settings.instructions.length - instructions.length
  if (omitted > 0) {
    const limit = `longer than ${maxTotalInstructionLength} characters together`
    problems.push(`\`instructions\` are ${limit}; the last ${omitted} are not read`)
  }
  return { settings: { ...settings, instructions }, problems: limitProblems(problems) }
}

/** Leaves out what is invalid, because one mistake must not disable other settings. */
function parseValidParts(value: object): { given: GivenSettings; problems: string[] } {
  const problems: string[] = []
  for (;;) {
    const parsed = settingsSchema.safeParse(value, { reportInput: true })
    if (parsed.success) return { given: parsed.data, problems }
    const issues = parsed.error.issues.flatMap(chooseForm)
    problems.push(...issues.flatMap(describeIssue))
    const paths = new Map(issues.flatMap(findInvalidPaths).map((path) => [path.join('\0'), path]))
    // The last and deepest ones come first, so that the other paths remain valid.
    const removed = [...paths.values()].reverse().sort((one, other) => other.length - one.length)
    for (const path of removed) removePart(value, path)
  }
}

/** Replaces the issue of a value with several forms by those of the form that was meant. */
function chooseForm(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union') return [issue]
  const isOtherForm = ({ code, path }: Issue) =>
    path.length === 0 && ['invalid_type', 'invalid_value', 'invalid_union'].includes(code)
  const form = issue.errors.find(([first]) => first && !isOtherForm(first)) ?? issue.errors[0]!
  return form.flatMap((inner) => chooseForm({ ...inner, path: [...issue.path, ...inner.path] }))
}

function describeIssue(issue: Issue): string[] {
  if (issue.code !== 'unrecognized_keys') return [quoteKeys(issue.path) + issue.message]
  const known = listKeys(describeSettings(), issue.path)
  return issue.keys.map((key) => {
    const match = findClosestMatch(key, known)
    const suggestion = match === undefined ? '' : ` (did you mean ${quoteValue(match)}?)`
    return `unknown key ${quoteKeys([...issue.path, key])}${suggestion}`
  })
}

function quoteKeys(path: Path): string {
  return quoteValue(path.filter((key) => typeof key === 'string').join('.'))
}

/** Lists the keys of the mapping at a path. */
function listKeys({ anyOf = [], items, properties = {} }: JsonSchema, path: Path): string[] {
  const [key, ...rest] = path
  const next = typeof key === 'number' ? items : properties[String(key)]
  const keys = key === undefined ? Object.keys(properties) : next ? listKeys(next, rest) : []
  return [...keys, ...anyOf.flatMap((form) => listKeys(form, path))]
}

/** Finds what an issue makes invalid. */
function findInvalidPaths(issue: Issue): Path[] {
  const { path } = issue
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => [...path, key])
  // A gate without one of its ends would let more pass.
  if (path[0] === 'gate') return [['gate']]
  // An instruction without one of its globs could apply to other files.
  if (path[0] === 'instructions' && path.length > 1)
    return [path.slice(0, typeof path[1] === 'number' ? 2 : 1)]
  if (issue.code === 'too_big' && Array.isArray(issue.input))
    return [...issue.input.keys()].slice(Number(issue.maximum)).map((index) => [...path, index])
  return [path]
}

function removePart(value: object, path: Path): void {
  const key = path.at(-1)!
  const parent = path.slice(0, -1).reduce((part, next) => Reflect.get(part, next), value)
  if (Array.isArray(parent)) parent.splice(Number(key), 1)
  else Reflect.deleteProperty(parent, key)
}

function completeSettings(given: GivenSettings): RepositorySettings {
  const { policy } = defaultSettings
  return {
    paths: { include: listItems(given.paths?.include), exclude: listItems(given.paths?.exclude) },
    instructions: listItems(given.instructions).map((item) =>
      typeof item === 'string'
        ? { paths: [], text: item }
        : { paths: listItems(item.paths), text: item.text },
    ),
    minSeverity: given.severity ?? defaultSettings.minSeverity,
    mode: given.mode ?? defaultSettings.mode,
    language: given.language ?? defaultSettings.language,
    policy: {
      moderate: given.policy?.moderate === 'request_changes' ? 'REQUEST_CHANGES' : policy.moderate,
      maxComments: given.policy?.max_comments ?? policy.maxComments,
    },
    gate: given.gate ? listItems(given.gate) : defaultSettings.gate,
    disabledRules: listItems(given.rules?.disable),
    reviews: completeStart(given.reviews),
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

function listItems<Item>(list: Item | Item[] | null | undefined): Item[] {
  return list === null || list === undefined ? [] : ([list].flat() as Item[])
}

function limitInstructions(all: readonly PathInstructions[]): readonly PathInstructions[] {
  let totalLength = 0
  return all.filter(({ text }) => {
    totalLength += text.length
    return totalLength <= maxTotalInstructionLength
  })
}

function limitProblems(problems: readonly string[]): readonly string[] {
  const omitted = problems.length - maxProblems
  return omitted <= 0
    ? problems
    : [...problems.slice(0, maxProblems), `${omitted} more of its lines are not right`]
}
