// Reads `.umpire.yml`: what is right of it counts, and what isn't is told to whoever reads the review.
import type { ReviewEnd } from '../domain/review.ts'
import { findGlobError } from '../lib/glob.ts'
import { readYaml } from './read-yaml.ts'
import {
  defaultSettings,
  type PathInstructions,
  type RepositorySettings,
} from './repository-settings.ts'
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

/** More inline comments than this nobody reads. */
const maxInlineComments = 30
const maxGlobs = 100
const maxInstructions = 50
const maxInstructionLength = 2_000
/** Of all instructions together: they go into every prompt. */
const maxTotalInstructionLength = 10_000
const maxProblems = 10

/** Settings, complete, and what is wrong with the file that they come from, one sentence each. */
export interface SettingsReport {
  readonly settings: RepositorySettings
  readonly problems: readonly string[]
}

const readGlob = readText('a glob such as `docs/**`', findGlobError)
const readGlobs = readList(readGlob, maxGlobs)

const readLanguage = readText('the name of a language, such as `German`', (text) =>
  // It goes into the prompt: a word or two, and nothing that could say more.
  /^\p{L}[\p{L}\p{M}-]{1,24}( [\p{L}\p{M}-]{2,24})?$/u.test(text)
    ? null
    : 'is not the name of a language',
)

const readRuleId = readText("a rule's id, such as `breakpoint`", (text) =>
  /^[a-z][a-z0-9-]{0,60}$/.test(text) ? null : 'is not the id of a rule',
)

const readInstructionText = readText('text', (text) =>
  text === ''
    ? 'is empty'
    : text.length > maxInstructionLength
      ? `is longer than ${maxInstructionLength} characters`
      : null,
)

const readPathInstructions = readMapping<PathInstructions>({
  paths: readGlobs,
  text: readInstructionText,
})

const readInstruction: ValueReader<PathInstructions> = (value, at) => {
  const { paths, text } =
    (value instanceof Map
      ? readPathInstructions(value, at)
      : { text: readInstructionText(value, at) }) ?? {}
  if (text === undefined) {
    if (value instanceof Map && !value.get('text'))
      at.report(`${quoteValue(at.path)}: one of them has no \`text\``)
    return undefined
  }
  // Written for some files and none is left: that must not make it hold for all.
  return paths?.length === 0 ? undefined : { paths: paths ?? [], text }
}

const readInstructions: ValueReader<PathInstructions[]> = (value, at) => {
  const all = readList(readInstruction, maxInstructions)(value, at) ?? []
  let length = 0
  const kept = all.filter(({ text }) => {
    length += text.length
    return length <= maxTotalInstructionLength
  })
  if (kept.length < all.length) {
    const what = `longer than ${maxTotalInstructionLength} characters together; the last ${all.length - kept.length} are not read`
    at.report(`${quoteValue(at.path)} are ${what}`)
  }
  return kept
}

const readEnd = readEnum({
  skipped: 'skipped',
  changes_requested: 'changes_requested',
  incomplete: 'incomplete',
  needs_person: 'needs_person',
} as const)

/** A gate with a mistake in it must not let more pass than its author meant: then all ends block. */
const readGate: ValueReader<ReviewEnd[]> = (value, at) => {
  let isRight = true
  const report = (problem: string) => {
    isRight = false
    at.report(problem)
  }
  const gate = readList(readEnd, 4)(value, { ...at, report })
  return isRight ? gate : undefined
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

/** Reads the settings file of a repository. Whatever is in it, there are settings. */
export function readRepositorySettings(bytes: Uint8Array): SettingsReport {
  const yaml = readYaml(new TextDecoder().decode(bytes))
  if ('problem' in yaml) {
    return {
      settings: defaultSettings,
      problems: [`it is not YAML that can be read, so the defaults hold: ${yaml.problem}`],
    }
  }
  const problems: string[] = []
  const place: ValueLocation = { path: '', report: (problem) => problems.push(problem) }
  // An empty file, or one with comments alone.
  if (yaml.value === null) return { settings: defaultSettings, problems }
  const settings = completeSettings(
    (yaml.value instanceof Map ? readSettings(yaml.value, place) : undefined) ?? {},
  )
  if (!(yaml.value instanceof Map)) problems.push('it has no keys, so the defaults hold')
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
  const more = problems.length - maxProblems
  return more <= 0
    ? problems
    : [...problems.slice(0, maxProblems), `${more} more of its lines are not right`]
}
