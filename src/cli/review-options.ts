// The options of `umpire review`.
import { parseArgs } from 'node:util'
import { type Severity, severities } from '../domain/finding.ts'
import { annotationFormats } from '../platforms/annotations.ts'
import { UsageError } from './exit-codes.ts'

const plainFormats = ['pretty', 'json', 'ndjson', 'sarif']
const modes = ['agentic', 'parallel', 'static'] as const

/** What is to be reviewed. */
export type ReviewSource =
  | { readonly kind: 'commits'; readonly base: string }
  | { readonly kind: 'staged' | 'uncommitted' | 'any' }
  | { readonly kind: 'pull_request'; readonly address: string }

export interface ReviewOptions {
  readonly source: ReviewSource
  /** `pretty`, `json`, `ndjson`, `sarif`, or the id of a platform whose annotations are printed. */
  readonly format: string
  readonly failOn: Severity
  /** Null: as the repository and the environment have it. */
  readonly mode: (typeof modes)[number] | null
  readonly quiet: boolean
}

export const reviewUsage = `Usage: umpire review [--base <ref> | --staged | --uncommitted | <address of a pull request>]

  --base <ref>     the commits of HEAD since it parted from <ref>
  --staged         what is staged, against HEAD
  --uncommitted    all that isn't committed, against HEAD
                   (without any of these: what isn't committed, else HEAD against the default branch)

  --format <name>  ${[...plainFormats, ...Object.keys(annotationFormats)].join(', ')}; default: pretty
  --fail-on <sev>  exit with 1 for findings from this severity on: ${severities.join(', ')}; default: moderate
  --mode <name>    ${modes.join(', ')}; static asks no model
  --quiet          say nothing about progress

Exit codes: 0 clean, 1 findings, 2 usage, 3 configuration or sign-in, 4 partial review, 5 not reachable.
See docs/command-line.md.`

/** Reads the arguments behind `umpire review`. Throws for what makes no sense. */
export function parseReviewOptions(args: string[]): ReviewOptions {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      base: { type: 'string' },
      staged: { type: 'boolean' },
      uncommitted: { type: 'boolean' },
      format: { type: 'string', default: 'pretty' },
      'fail-on': { type: 'string', default: 'moderate' },
      mode: { type: 'string' },
      quiet: { type: 'boolean', short: 'q', default: false },
    },
  })
  return {
    source: chooseSource(values, positionals),
    format: oneOf('--format', values.format, [...plainFormats, ...Object.keys(annotationFormats)]),
    failOn: oneOf('--fail-on', values['fail-on'], severities),
    mode: values.mode === undefined ? null : oneOf('--mode', values.mode, modes),
    quiet: values.quiet,
  }
}

function chooseSource(
  values: { base?: string | undefined; staged?: boolean | undefined; uncommitted?: boolean | undefined },
  positionals: readonly string[],
): ReviewSource {
  const sources: ReviewSource[] = positionals.map((address) => ({ kind: 'pull_request', address }))
  if (values.base !== undefined) sources.push({ kind: 'commits', base: values.base })
  if (values.staged) sources.push({ kind: 'staged' })
  if (values.uncommitted) sources.push({ kind: 'uncommitted' })
  if (sources.length > 1)
    throw new UsageError('give one of --base, --staged, --uncommitted and the address of a pull request')
  if (values.base === '') throw new UsageError('--base needs the name of a branch or commit')
  return sources[0] ?? { kind: 'any' }
}

function oneOf<Value extends string>(option: string, given: string, allowed: readonly Value[]): Value {
  const found = allowed.find((value) => value === given)
  if (found === undefined) throw new UsageError(`${option} must be one of ${allowed.join(', ')}`)
  return found
}
