// Reads one settings file: keeps its valid settings and collects problems for the review to show.
import type { z } from 'zod'
import { defaultSettings } from '../domain/repository-settings.ts'
import { findClosestMatch } from '../lib/text.ts'
import { limitInstructions, listItems } from './merge-settings.ts'
import { type Position, readYaml } from './read-yaml.ts'
import {
  describeSettings,
  directoryKeys,
  type GivenSettings,
  type JsonSchema,
  maxTotalInstructionLength,
  quoteValue,
  settingsSchema,
} from './settings-schema.ts'

const maxProblems = 10

/** `problems` has a phrase for each mistake in the file. */
export interface FileReport {
  readonly given: GivenSettings
  readonly problems: readonly string[]
}

/** Describes a mistake in a settings file. */
export interface FileProblem {
  readonly message: string
  /** The keys that lead to what is wrong, or where it is; null for the whole file. */
  readonly at: Path | Position | null
}

/** A file with where its mistakes are. */
export interface InspectedFile {
  readonly given: GivenSettings
  readonly problems: readonly FileProblem[]
}

/**
 * What a file sets that can't be read. It might have had a stricter gate than the file from which
 * it inherits.
 */
export const unreadable: GivenSettings = {
  gate: defaultSettings.gate.filter((end) => end !== 'passed'),
}

type Issue = z.core.$ZodIssue
type Path = readonly PropertyKey[]

/**
 * Reads a settings file. Returns usable settings for any content, and the first problems.
 *
 * @param directory the directory whose files it is about; empty for the whole repository
 */
export function readSettingsFile(bytes: Uint8Array, directory = ''): FileReport {
  const { given, problems } = inspectSettingsFile(new TextDecoder().decode(bytes), directory)
  return { given, problems: limitProblems(problems.map(({ message }) => message)) }
}

/** Reads a settings file like `readSettingsFile`, and finds all problems and where they are. */
export function inspectSettingsFile(text: string, directory: string): InspectedFile {
  const yaml = readYaml(text)
  if ('problem' in yaml) {
    const message = `it is not YAML that can be read, so the defaults hold: ${yaml.problem}`
    return limitToScope({ given: unreadable, problems: [{ message, at: yaml.at }] }, directory)
  }
  // The value is null for an empty file and for one with comments only.
  if (yaml.value === null) return { given: {}, problems: [] }
  if (typeof yaml.value !== 'object' || Array.isArray(yaml.value)) {
    const message = 'it has no keys, so the defaults hold'
    return limitToScope({ given: unreadable, problems: [{ message, at: null }] }, directory)
  }
  const { given, problems } = limitToScope(parseValidParts(yaml.value), directory)
  const all = listItems(given.instructions)
  const instructions = limitInstructions(all)
  const omitted = all.length - instructions.length
  if (omitted === 0) return { given, problems }
  const limit = `longer than ${maxTotalInstructionLength} characters together`
  const message = `\`instructions\` are ${limit}; the last ${omitted} are not read`
  return {
    given: { ...given, instructions: [...instructions] },
    problems: [...problems, { message, at: ['instructions'] }],
  }
}

/** Leaves out what a directory can't set. */
function limitToScope({ given, problems }: InspectedFile, directory: string): InspectedFile {
  if (directory === '') return { given, problems }
  const entries = Object.entries(given)
  const isAllowed = ([key]: [string, unknown]) => directoryKeys.includes(key)
  const others = entries.filter((entry) => !isAllowed(entry) && given !== unreadable)
  return {
    given: Object.fromEntries(entries.filter(isAllowed)),
    problems: [
      ...problems,
      ...others.map(([key]) => ({
        message: `${quoteValue(key)} applies to whole repositories, not directories`,
        at: [key],
      })),
    ],
  }
}

/** Leaves out what is invalid, because one mistake must not disable other settings. */
function parseValidParts(value: object): InspectedFile {
  const problems: FileProblem[] = []
  let isGateWrong = false
  for (;;) {
    const parsed = settingsSchema.safeParse(value, { reportInput: true })
    if (parsed.success) {
      // A gate that is inherited could let more pass.
      const given = isGateWrong ? { ...parsed.data, ...unreadable } : parsed.data
      return { given, problems }
    }
    const issues = parsed.error.issues.flatMap(chooseForm)
    isGateWrong ||= issues.some(({ path }) => path[0] === 'gate')
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

function describeIssue(issue: Issue): FileProblem[] {
  if (issue.code !== 'unrecognized_keys') {
    return [{ message: quoteKeys(issue.path) + issue.message, at: issue.path }]
  }
  const known = listKeys(describeSettings(), issue.path)
  return issue.keys.map((key) => {
    const match = findClosestMatch(key, known)
    const suggestion = match === undefined ? '' : ` (did you mean ${quoteValue(match)}?)`
    const at = [...issue.path, key]
    return { message: `unknown key ${quoteKeys(at)}${suggestion}`, at }
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

function limitProblems(problems: readonly string[]): readonly string[] {
  const omitted = problems.length - maxProblems
  return omitted <= 0
    ? problems
    : [...problems.slice(0, maxProblems), `${omitted} more of its lines are not right`]
}
