// Defines the schema of `.umpire.yml`. Messages of issues follow the path of the value.
import { z } from 'zod'
import { defaultSettings } from '../domain/repository-settings.ts'
import { findGlobError } from '../lib/glob.ts'
import { toPlainName } from '../lib/text.ts'

/** People don't read more inline comments than this. */
const maxInlineComments = 30
const maxInstructionLength = 2_000
/** Limits all instructions together, because every prompt contains them. */
export const maxTotalInstructionLength = 10_000

/** Formats a value for use in a sentence. */
export function quoteValue(value: unknown): string {
  const text = typeof value === 'object' && value !== null ? 'this' : String(value)
  return `\`${toPlainName(text)}\``
}

const listWords = (words: readonly string[]) => words.map(quoteValue).join(', ')
const mustBe = (what: string) => ` must be ${what}`
const isWrong = (problem: string) => ({
  error: ({ input }: { input?: unknown }) => `: ${quoteValue(input)} ${problem}`,
})

function mapping<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, mustBe(`a mapping with the keys ${listWords(Object.keys(shape))}`))
}

/** Accepts one of several words in any case. */
function oneOf<const Words extends readonly [string, ...string[]]>(words: Words) {
  const error = mustBe(`one of ${listWords(words)}`)
  return z.string(error).toLowerCase().meta({ enum: words }).pipe(z.enum(words, error))
}

/** Accepts a list or a single item. */
function listOf<Item extends z.ZodType>(item: Item, maxItems: number) {
  const error = ` has more than ${maxItems} items; the others are not read`
  return z.union([item, z.array(item).max(maxItems, error)])
}

/** A key without a value counts as missing. */
function optional<Value extends z.ZodType>(value: Value, description: string, byDefault?: unknown) {
  return value.nullish().meta({ description, default: byDefault })
}

const glob = z
  .string(mustBe('a glob such as `docs/**`'))
  .trim()
  .superRefine((text, context) => {
    const problem = findGlobError(text)
    if (problem !== null) context.addIssue(isWrong(problem).error({ input: text }))
  })
  .meta({ title: 'a glob' })
const globs = listOf(glob, 100)

// The prompt contains the value, so it must be too short for instructions.
const language = z
  .string(mustBe('the name of a language, such as `German`'))
  .trim()
  .regex(
    /^\p{L}[\p{L}\p{M}-]{1,24}( [\p{L}\p{M}-]{2,24})?$/u,
    isWrong('is not the name of a language'),
  )
  .meta({ title: 'a word or two, in any language' })

const ruleId = z
  .string(mustBe("a rule's id, such as `breakpoint`"))
  .trim()
  // Rules of other tools have the tool's id and a slash before theirs.
  .regex(/^[a-z][a-z0-9-]{0,60}(?:\/\S{1,150})?$/, isWrong('is not the id of a rule'))
  .meta({ title: 'the ID of a rule' })

const isCount = mustBe(`a whole number from 0 to ${maxInlineComments}`)

const maxNameLength = 100
/** Accepts a name or a part of one, such as a label. */
const nameText = (what: string) =>
  z
    .string(mustBe(what))
    .trim()
    .regex(/\S/, isWrong('is empty'))
    .max(maxNameLength, isWrong(`is longer than ${maxNameLength} characters`))
    .meta({ title: what })
const namesOf = (what: string) => listOf(nameText(what), 100)

const maxLines = 1_000_000
const isLineCount = mustBe(`a whole number from 1 to ${maxLines}`)
const lineCount = z.int(isLineCount).min(1, isLineCount).max(maxLines, isLineCount)

const skip = mapping({
  authors: optional(namesOf('a login'), 'pull requests by these accounts', []),
  bots: optional(
    z.boolean(mustBe('`true` or `false`')).meta({ title: '`true`, `false`' }),
    'pull requests by accounts of applications',
    defaultSettings.reviews.skip.bots,
  ),
  labels: optional(namesOf('the name of a label'), 'pull requests with one of these labels', []),
  titles: optional(
    namesOf('a part of a title'),
    'pull requests whose title contains one of these, in any case',
    [],
  ),
  branches: optional(globs, 'pull requests from these branches', []),
  base_branches: optional(globs, 'pull requests into these branches', []),
  paths: optional(globs, 'pull requests of which all changed files match one of these', []),
  lines: optional(lineCount, 'pull requests with more changed lines than these', null),
})

const instructionText = z
  .string({ error: ({ input }) => (input === undefined ? ' is missing' : mustBe('text')) })
  .trim()
  .regex(/\S/, isWrong('is empty'))
  .max(maxInstructionLength, isWrong(`is longer than ${maxInstructionLength} characters`))
  .meta({ title: `a text of up to ${maxInstructionLength} characters` })

const instruction = z.union([
  instructionText,
  mapping({
    paths: optional(
      globs.refine(({ length }) => length > 0, ' is empty'),
      'only when a file that matches one of them is changed',
    ),
    text: instructionText,
  }).meta({ title: 'a mapping with `text` and `paths` (globs)' }),
])

/** Each value is optional, and the defaults are named for readers only. */
export const settingsSchema = mapping({
  paths: optional(
    mapping({
      include: optional(
        globs,
        'only files that match one of them are reviewed, if there are any',
        [],
      ),
      exclude: optional(globs, 'files that match one of them are not reviewed', []),
    }),
    'which files are reviewed',
  ),
  instructions: optional(
    listOf(instruction, 50),
    `what the model should know, of up to ${maxTotalInstructionLength} characters in total`,
    [],
  ),
  severity: optional(
    oneOf(['critical', 'moderate', 'minor']),
    'findings below it are not reported',
    defaultSettings.minSeverity,
  ),
  mode: optional(oneOf(['agentic', 'parallel', 'static']), '`static` uses no model'),
  model: optional(
    oneOf(['main', 'fast']),
    '`fast` uses `MODEL_FAST` of the service instead of `MODEL`',
    defaultSettings.model,
  ),
  fast_lines: optional(
    lineCount,
    'changes of up to so many lines use `MODEL_FAST`; lock files and the like do not count',
    defaultSettings.fastLines,
  ),
  language: optional(
    language,
    'the language that the model writes in; rules are always in English',
    defaultSettings.language,
  ),
  policy: optional(
    mapping({
      moderate: optional(
        oneOf(['discuss', 'request_changes']),
        'the verdict for moderate findings when there is no critical one',
        'discuss',
      ),
      max_comments: optional(
        z.int(isCount).min(0, isCount).max(maxInlineComments, isCount),
        'inline comments; other findings are listed in the summary',
      ),
    }),
    'how findings are reported',
  ),
  gate: optional(
    listOf(oneOf(['skipped', 'changes_requested', 'incomplete', 'needs_person']), 4),
    'the ends of a review that keep a pull request from being merged',
    defaultSettings.gate,
  ),
  decisions: optional(
    listOf(oneOf(['approve', 'request_changes']), 2),
    'what a review may do besides commenting; `approve` applies to the default branch',
    defaultSettings.decisions,
  ),
  reviews: optional(
    mapping({
      start: optional(
        oneOf(['automatic', 'on_request']),
        '`on_request`: no review starts by itself',
        defaultSettings.reviews.start,
      ),
      drafts: optional(
        oneOf(['review', 'static', 'skip']),
        '`static`: rules alone review drafts; `skip`: drafts are not reviewed',
        defaultSettings.reviews.drafts,
      ),
      label: optional(
        nameText('the name of a label'),
        'adding it requests a review',
        defaultSettings.reviews.label,
      ),
      skip: optional(skip, 'which pull requests are not reviewed unless somebody requests it'),
    }),
    'which pull requests are reviewed, and when',
  ),
  rules: optional(
    mapping({ disable: optional(listOf(ruleId, 200), 'rules that are disabled', []) }),
    'which rules apply',
  ),
  tools: optional(
    mapping({
      code_scanning: optional(
        z.boolean(mustBe('`true` or `false`')).meta({ title: '`true`, `false`' }),
        "whether the logs in the code host's code scanning are read",
        defaultSettings.tools.codeScanning,
      ),
      artifacts: optional(
        globs,
        'names of CI artifacts whose SARIF logs are read, such as `*sarif*`',
        defaultSettings.tools.artifacts,
      ),
    }),
    'what other tools found that reviews include',
  ),
})

/** The keys that apply to the files of a directory, and not to a pull request as a whole. */
export const directoryKeys: readonly string[] = ['paths', 'instructions', 'severity', 'rules']

export type GivenSettings = z.infer<typeof settingsSchema>

/** Describes the settings file for editors, in the version of JSON Schema that they know. */
export function describeSettings(): JsonSchema {
  return z.toJSONSchema(settingsSchema, { target: 'draft-7', io: 'input' }) as JsonSchema
}

/** The parts of JSON Schema that settings use. */
export interface JsonSchema {
  readonly type?: string
  readonly title?: string
  readonly description?: string
  readonly default?: unknown
  readonly enum?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  readonly maxItems?: number
  readonly anyOf?: readonly JsonSchema[]
  readonly items?: JsonSchema
  readonly properties?: Readonly<Record<string, JsonSchema>>
}
