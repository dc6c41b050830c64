// Reads `.umpire.yml`: applies its valid settings and collects problems for the review to show.

import {
  defaultSettings,
  type PathInstructions,
  type RepositorySettings,
} from '../domain/repository-settings.ts'
import type { ReviewEnd } from '../domain/review.ts'
import { findGlobError } from '../lib/glob.ts'
import { readYaml } from './read-yaml.ts'
import {
  quoteValue,
  readEnum,
  readInteger,
  readList,
  readMapping,
  readText,
  type ValueLocation,
  type ValueReader,
} from './value-readers.ts'

/** People don't read more inline comments than this. */
const maxInlineComments = 30
const maxGlobs = 100
const maxInstructions = 50
const maxInstructionLength = 2_000
/** Limits all instructions together, because every prompt contains them. */
const maxTotalInstructionLength = 10_000
const maxProblems = 10

/** The settings are complete; `problems` has a sentence for each mistake in their file. */
export interface SettingsReport {
  readonly settings: RepositorySettings
  readonly problems: readonly string[]
}

const readGlob = readText('a glob such as `docs/**`', findGlobError)
const readGlobs = readList(readGlob, maxGlobs)

const readLanguage = readText('the name of a language, such as `German`', (text) =>
  // The prompt contains the value, so it must be too short for instructions.
  /^\p{L}[\p{L}\p{M}-]{1,24}( [\p{L}\p{M}-]{2,24})?$/u.test(text)
    ? null
    : 'is not the name of a language',
)

const readRuleId = readText("a rule's id, such as `breakpoint`", (text) =>
  /^[a-z][a-z0-9-]{0,60}$/.test(text) ? null : 'is not the id of a rule',
)

const readInstructionText = readText('text', (text) => {
  if (text === '') return 'is empty'
  return text.length > maxInstructionLength
    ? `is longer than ${maxInstructionLength} characters`
    : null
})

const readPathInstructions = readMapping<PathInstructions>({
  paths: readGlobs,
  text: readInstructionText,
})

const readInstruction: ValueReader<PathInstructions> = (value, at) => {
  if (!(value instanceof Map)) {
    const text = readInstructionText(value, at)
    return text === undefined ? undefined : { paths: [], text }
  }
  const { paths, text } = readPathInstructions(value, at) ?? {}
  if (text === undefined) {
    if (!value.get('text')) at.report(`${quoteValue(at.path)}: one of them has no \`text\``)
    return undefined
  }
  // Without a valid glob, an instruction for some files must not apply to all of them.
  return paths?.length === 0 ? undefined : { paths: paths ?? [], text }
}

const readInstructions: ValueReader<PathInstructions[]> = (value, at) => {
  const all = readList(readInstruction, maxInstructions)(value, at) ?? []
  let totalLength = 0
  const accepted = all.filter(({ text }) => {
    totalLength += text.length
    return totalLength <= maxTotalInstructionLength
  })
  if (accepted.length < all.length) {
    const limit = `longer than ${maxTotalInstructionLength} characters together`
    const ignored = `the last ${all.length - accepted.length} are not read`
    at.report(`${quoteValue(at.path)} are ${limit}; ${ignored}`)
  }
  return accepted
}

const readEnd = readEnum({
  skipped: 'skipped',
  changes_requested: 'changes_requested',
  incomplete: 'incomplete',
  needs_person: 'needs_person',
} as const)

/** A gate with a mistake is ignored, so that the default applies, in which all other ends block. */
const readGate: ValueReader<ReviewEnd[]> = (value, at) => {
  let isValid = true
  const report = (problem: string) => {
    isValid = false
    at.report(problem)
  }
  const gate = readList(readEnd, 4)(value, { ...at, report })
  return isValid ? gate : undefined
}

const readSettings = readMapping({
  paths: readMapping<RepositorySettings['paths']>({ include: readGlobs, exclude: readGlobs }),
  instructions: readInstructions,
  severity: readEnum({ critical: 'critical', moderate: 'moderate', minor: 'minor' } as const),
  mode: readEnum({ agentic: 'agentic', parallel: 'parallel', static: 'static' } as const),
  language: readLanguage,
  policy: readMapping({
    moderate: readEnum({
      discuss: 'NEEDS_DISCUSSION',
      request_changes: 'REQUEST_CHANGES',
    } as const),
    max_comments: readInteger(0, maxInlineComments),
  }),
  gate: readGate,
  rules: readMapping({ disable: readList(readRuleId, 200) }),
})

/** Reads a repository's settings file. Returns usable settings for any content. */
export function readRepositorySettings(bytes: Uint8Array): SettingsReport {
  const yaml = readYaml(new TextDecoder().decode(bytes))
  if ('problem' in yaml) {
    return {
      settings: defaultSettings,
      problems: [`it is not YAML that can be read, so the defaults hold: ${yaml.problem}`],
    }
  }
  const problems: string[] = []
  const root: ValueLocation = { path: '', report: (problem) => problems.push(problem) }
  // The value is null for an empty file and for one with comments only.
  if (yaml.value === null) return { settings: defaultSettings, problems }
  if (!(yaml.value instanceof Map)) {
    return { settings: defaultSettings, problems: ['it has no keys, so the defaults hold'] }
  }
  const settings = completeSettings(readSettings(yaml.value, root) ?? {})
  return { settings, problems: limitProblems(problems) }
}

type GivenSettings = NonNullable<ReturnType<typeof readSettings>>

function completeSettings(given: GivenSettings): RepositorySettings {
  const { paths, policy } = defaultSettings
  return {
    paths: { ...paths, ...given.paths },
    instructions: given.instructions ?? defaultSettings.instructions,
    minSeverity: given.severity ?? defaultSettings.minSeverity,
    mode: given.mode ?? defaultSettings.mode,
    language: given.language ?? defaultSettings.language,
    policy: {
      moderate: given.policy?.moderate ?? policy.moderate,
      maxComments: given.policy?.max_comments ?? policy.maxComments,
    },
    gate: given.gate ?? defaultSettings.gate,
    disabledRules: given.rules?.disable ?? defaultSettings.disabledRules,
  }
}

function limitProblems(problems: readonly string[]): readonly string[] {
  const omitted = problems.length - maxProblems
  return omitted <= 0
    ? problems
    : [...problems.slice(0, maxProblems), `${omitted} more of its lines are not right`]
}
