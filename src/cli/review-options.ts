// Defines and parses the options of `umpire review`.
import { type Severity, severities } from '../domain/finding.ts'
import { annotationFormats } from '../platforms/annotation-formats.ts'
import { UsageError } from './exit-codes.ts'
import { parseChoice, parseOptions } from './parse-options.ts'

const plainFormats = ['pretty', 'json', 'ndjson', 'sarif']
export const reviewModes = ['agentic', 'parallel', 'static'] as const

/** The change to review. */
export type ReviewSource =
  | { readonly kind: 'commits'; readonly base: string }
  | { readonly kind: 'branch' | 'staged' | 'uncommitted' | 'any' }
  | { readonly kind: 'pull_request'; readonly address: string }

export interface ReviewOptions {
  readonly source: ReviewSource
  /** `pretty`, `json`, `ndjson`, `sarif`, or the id of a platform whose annotations are printed. */
  readonly format: string
  readonly failOn: Severity
  /** If null, the settings of the repository or the environment decide. */
  readonly mode: (typeof reviewModes)[number] | null
  /** Whether context sources are queried. */
  readonly context: boolean
  /** Whether the cost is printed instead of a review. */
  readonly estimate: boolean
  /** File with variables that the environment doesn't set, or null for none. */
  readonly envFile: string | null
  /** Files with what other tools found in the new side of the change. */
  readonly sarif: readonly string[]
  /** Files with what they found in the old side; empty if that isn't known. */
  readonly sarifBase: readonly string[]
  readonly quiet: boolean
}

const formats = [...plainFormats, ...Object.keys(annotationFormats)]

export const reviewUsage = `Usage: umpire review [<source>] [options]

Source, one of:
  --base <ref>     commits on HEAD since the merge base with <ref>
  --branch         commits on HEAD since the merge base with the default branch
  --staged         staged changes
  --uncommitted    all uncommitted changes
  <url>            a pull request
  The default is --uncommitted, or --branch if everything is committed.

Options:
  --format <name>  ${formats.join(', ')}; default: pretty
  --fail-on <sev>  exit with 1 if there are findings of this or a higher severity:
                   ${severities.join(', ')}; default: moderate
  --mode <name>    ${reviewModes.join(', ')}; static uses no model
  --context        query the configured context sources, such as issue trackers, about the
                   change; see docs/context-sources.md
  --estimate       print what the models would cost, and ask none
  --sarif <file>   add what another tool found in the changed lines, from its SARIF log;
                   can be given several times
  --sarif-base <file>
                   what the tool found before the change, so that only what is new counts
  --env-file <file>
                   read variables that the environment does not set from this file
  --quiet          do not show progress

To suppress a rule or files, set rules.disable or paths.exclude in the repository's .umpire.yml,
which is read from the old side of the change: see docs/repository-settings.md.

Exit codes: 0 clean, 1 findings, 2 usage, 3 configuration or sign-in, 4 partial review,
5 not reachable. See docs/command-line.md.`

const options = {
  base: { type: 'string' },
  branch: { type: 'boolean' },
  staged: { type: 'boolean' },
  uncommitted: { type: 'boolean' },
  format: { type: 'string', default: 'pretty' },
  'fail-on': { type: 'string', default: 'moderate' },
  mode: { type: 'string' },
  context: { type: 'boolean', default: false },
  estimate: { type: 'boolean', default: false },
  sarif: { type: 'string', multiple: true, default: [] as string[] },
  'sarif-base': { type: 'string', multiple: true, default: [] as string[] },
  'env-file': { type: 'string' },
  quiet: { type: 'boolean', short: 'q', default: false },
} as const

/** Parses the arguments of `umpire review`. Throws UsageError. */
export function parseReviewOptions(args: string[]): ReviewOptions {
  const { values, positionals } = parseOptions(args, options, true)
  if (values.sarif.length === 0 && values['sarif-base'].length > 0)
    throw new UsageError('--sarif-base needs --sarif, with what the tool finds now')
  return {
    source: chooseSource(values, positionals),
    format: parseChoice('--format', values.format, formats),
    failOn: parseChoice('--fail-on', values['fail-on'], severities),
    mode: values.mode === undefined ? null : parseChoice('--mode', values.mode, reviewModes),
    context: values.context,
    estimate: values.estimate,
    envFile: values['env-file'] ?? null,
    sarif: values.sarif,
    sarifBase: values['sarif-base'],
    quiet: values.quiet,
  }
}

function chooseSource(
  values: { readonly base?: string | undefined; readonly [kind: string]: unknown },
  positionals: readonly string[],
): ReviewSource {
  const sources: ReviewSource[] = positionals.map((address) => ({ kind: 'pull_request', address }))
  if (values.base !== undefined) sources.push({ kind: 'commits', base: values.base })
  for (const kind of ['branch', 'staged', 'uncommitted'] as const) {
    if (values[kind]) sources.push({ kind })
  }
  if (sources.length > 1) {
    throw new UsageError(
      'give only one of --base, --branch, --staged, --uncommitted and the URL of a pull request',
    )
  }
  const word = positionals.find((text) => !URL.canParse(text))
  if (word !== undefined) {
    throw new UsageError(`"${word}" is not the URL of a pull request; did you mean --base ${word}?`)
  }
  if (values.base === '') throw new UsageError('--base needs the name of a branch or commit')
  return sources[0] ?? { kind: 'any' }
}
