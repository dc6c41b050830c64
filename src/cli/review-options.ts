// The options of `umpire review`.
import { type Severity, severities } from '../domain/finding.ts'
import { annotationFormats } from '../platforms/annotation-formats.ts'
import { UsageError } from './exit-codes.ts'
import { parseChoice, parseOptions } from './parse-options.ts'

const plainFormats = ['pretty', 'json', 'ndjson', 'sarif']
const modes = ['agentic', 'parallel', 'static'] as const

/** What is to be reviewed. */
export type ReviewSource =
  | { readonly kind: 'commits'; readonly base: string }
  | { readonly kind: 'branch' | 'staged' | 'uncommitted' | 'any' }
  | { readonly kind: 'pull_request'; readonly address: string }

export interface ReviewOptions {
  readonly source: ReviewSource
  /** `pretty`, `json`, `ndjson`, `sarif`, or the id of a platform whose annotations are printed. */
  readonly format: string
  readonly failOn: Severity
  /** Null: as the repository and the environment have it. */
  readonly mode: (typeof modes)[number] | null
  /** Whether trackers and chats are asked. */
  readonly context: boolean
  /** A file of variables under those of the environment; null for none. */
  readonly envFile: string | null
  readonly quiet: boolean
}

export const reviewUsage = `Usage: umpire review [--base <ref> | --branch | --staged | --uncommitted | <address of a pull request>]

  --base <ref>     the commits of HEAD since it parted from <ref>
  --branch         the same since it parted from the default branch
  --staged         what is staged, against HEAD
  --uncommitted    all that isn't committed, against HEAD
                   (without any of these: what isn't committed; where all is, as with --branch)

  --format <name>  ${[...plainFormats, ...Object.keys(annotationFormats)].join(', ')}; default: pretty
  --fail-on <sev>  exit with 1 for findings from this severity on: ${severities.join(', ')}; default: moderate
  --mode <name>    ${modes.join(', ')}; static asks no model
  --context        ask the trackers and chats that are set up about the change; see docs/context-sources.md
  --env-file <file>
                   read variables that the environment doesn't set from this file
  --quiet          say nothing about progress

Exit codes: 0 clean, 1 findings, 2 usage, 3 configuration or sign-in, 4 partial review, 5 not reachable.
See docs/command-line.md.`

const options = {
  base: { type: 'string' },
  branch: { type: 'boolean' },
  staged: { type: 'boolean' },
  uncommitted: { type: 'boolean' },
  format: { type: 'string', default: 'pretty' },
  'fail-on': { type: 'string', default: 'moderate' },
  mode: { type: 'string' },
  context: { type: 'boolean', default: false },
  'env-file': { type: 'string' },
  quiet: { type: 'boolean', short: 'q', default: false },
} as const

/** Reads the arguments behind `umpire review`. Throws for what makes no sense. */
export function parseReviewOptions(args: string[]): ReviewOptions {
  const { values, positionals } = parseOptions(args, options, true)
  return {
    source: chooseSource(values, positionals),
    format: parseChoice('--format', values.format, [
      ...plainFormats,
      ...Object.keys(annotationFormats),
    ]),
    failOn: parseChoice('--fail-on', values['fail-on'], severities),
    mode: values.mode === undefined ? null : parseChoice('--mode', values.mode, modes),
    context: values.context,
    envFile: values['env-file'] ?? null,
    quiet: values.quiet,
  }
}

function chooseSource(
  values: { readonly base?: string | undefined; readonly [kind: string]: unknown },
  positionals: readonly string[],
): ReviewSource {
  const sources: ReviewSource[] = positionals.map((address) => ({ kind: 'pull_request', address }))
  if (values.base !== undefined) sources.push({ kind: 'commits', base: values.base })
  for (const kind of ['branch', 'staged', 'uncommitted'] as const)
    if (values[kind]) sources.push({ kind })
  if (sources.length > 1)
    throw new UsageError(
      'give only one of --base, --branch, --staged, --uncommitted and the address of a pull request',
    )
  const word = positionals.find((text) => !URL.canParse(text))
  if (word !== undefined) {
    throw new UsageError(`"${word}" is no address of a pull request; did you mean --base ${word}?`)
  }
  if (values.base === '') throw new UsageError('--base needs the name of a branch or commit')
  return sources[0] ?? { kind: 'any' }
}
