// Reads what other tools found from SARIF logs.
import type { FindingCategory, Severity } from '../../domain/finding.ts'
import { createYielder } from '../../lib/yield-to-event-loop.ts'
import {
  type ArtifactLocation,
  type SarifResult,
  type SarifRule,
  type SarifRun,
  sarifLog,
  sarifResult,
} from './sarif-log.ts'

/** What a tool found. All texts are untrusted. */
export interface ToolResult {
  /** The name of the tool, such as `ESLint`. */
  readonly tool: string
  /** The id of the tool, a slash, and its id of the rule: `eslint/no-eval`. */
  readonly rule: string
  /** Relative to the repository, or with `/` at its start and the folders above it. */
  readonly path: string
  /** 1-based, inclusive. */
  readonly startLine: number
  readonly endLine: number
  readonly severity: Severity
  readonly category: FindingCategory
  /** From 0 to 1. */
  readonly confidence: number
  readonly message: string
  /** An address on the web that describes the rule. */
  readonly helpUrl: string | null
}

export interface ToolResults {
  readonly results: readonly ToolResult[]
  /** Counts results without a readable location or message. */
  readonly unreadable: number
}

/** GitHub accepts 25,000 results in a run, and shows 5,000. */
const maxResults = 25_000
const maxRuleLength = 150

/**
 * Reads a SARIF 2.1.0 log. Results that aren't failures, that people suppressed in the tool, or
 * that the tool itself found in its baseline are left out.
 *
 * @throws SarifError if it isn't one, or has more than 25,000 results
 * @throws the reason of an aborted signal
 */
export async function readSarif(text: string, signal?: AbortSignal): Promise<ToolResults> {
  const parsed = sarifLog.safeParse(parseJson(text))
  if (!parsed.success) throw new SarifError('it is not a SARIF 2.1.0 log')
  const { runs } = parsed.data
  const count = runs.reduce((sum, run) => sum + (run.results?.length ?? 0), 0)
  if (count > maxResults) throw new SarifError(`it has more than ${maxResults} results`)
  // Reading thousands takes most of a second.
  const yielder = createYielder(signal ?? new AbortController().signal)
  const read: ReturnType<typeof readResult>[] = []
  for (const run of runs) {
    for (const result of run.results ?? []) {
      read.push(readResult(run, result))
      await yielder.pass()
    }
  }
  return {
    results: read.filter((result) => typeof result === 'object'),
    unreadable: read.filter((result) => result === 'unreadable').length,
  }
}

/** The message is a clause that says what is wrong with the log. */
export class SarifError extends Error {}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''))
  } catch {
    return undefined
  }
}

function readResult(run: SarifRun, value: unknown): ToolResult | 'unreadable' | 'left out' {
  const { success, data: result } = sarifResult.safeParse(value)
  if (!success) return 'unreadable'
  const rule = findRule(run, result)
  const level = result.level ?? rule?.defaultConfiguration?.level ?? 'warning'
  if (!isOpenFailure(result) || level === 'none') return 'left out'
  const { artifactLocation, region } = result.locations[0]!.physicalLocation
  const path = resolvePath(run, artifactLocation)
  const message = readMessage(result, rule)
  if (path === undefined || message === '') return 'unreadable'
  const tool = readToolName(run)
  return {
    tool,
    rule: `${toToolId(tool)}/${readRuleId(result, rule)}`,
    path,
    startLine: region.startLine,
    endLine: Math.max(region.startLine, region.endLine ?? 0),
    message,
    ...rateResult(level, rule),
  }
}

function isOpenFailure({ kind, baselineState, suppressions }: SarifResult): boolean {
  const isKnown = baselineState === 'unchanged' || baselineState === 'absent'
  const isSuppressed =
    suppressions.length > 0 && suppressions.every(({ status }) => status === 'accepted')
  return kind === 'fail' && !isKnown && !isSuppressed
}

/** Sections 3.27.5 to 3.27.7 and 3.52: a rule is named by its position, or by its id. */
function findRule({ tool }: SarifRun, result: SarifResult): SarifRule | undefined {
  const extension = result.rule?.toolComponent?.index ?? -1
  const { rules } = tool.extensions[extension] ?? tool.driver
  const byIndex = rules[Math.max(result.ruleIndex, result.rule?.index ?? -1)]
  const id = result.ruleId ?? result.rule?.id
  // An id may name a part of a rule: `CA1000/1` is of the rule `CA1000`.
  return (
    byIndex ??
    (id === undefined
      ? undefined
      : rules.find((rule) => rule.id === id || id.startsWith(`${rule.id}/`)))
  )
}

function readRuleId({ ruleId, rule: reference }: SarifResult, rule: SarifRule | undefined): string {
  const id = ruleId ?? reference?.id ?? rule?.id ?? ''
  return id.replaceAll(/[\s\p{C}]+/gu, '-').slice(0, maxRuleLength) || 'unnamed'
}

/** The names of our own reviewers would give its findings to them. */
const ownNames: readonly string[] = ['static', 'agentic', 'parallel']
const maxToolLength = 60

function readToolName({ tool }: SarifRun): string {
  const name = tool.driver.name
    .replaceAll(/[\s\p{C}]+/gu, ' ')
    .trim()
    .slice(0, maxToolLength)
  return ownNames.includes(name) ? `${name} (tool)` : name || 'Another tool'
}

/** `Semgrep OSS` becomes `semgrep-oss`. */
function toToolId(tool: string): string {
  const words = tool.toLowerCase().match(/[a-z0-9]+/g) ?? []
  return words
    .join('-')
    .slice(0, 40)
    .replace(/^(?![a-z])/, 'tool-')
}

/** Sections 3.11.5 to 3.11.7: placeholders such as `{0}`, and links such as `[text](1)`. */
function readMessage({ message }: SarifResult, rule: SarifRule | undefined): string {
  const text = message.text ?? rule?.messageStrings[message.id ?? '']?.text ?? ''
  return text
    .replaceAll(/\{(\d{1,3})\}/g, (placeholder, number) => {
      return message.arguments[Number(number)] ?? placeholder
    })
    .replaceAll(/\[([^[\]]{1,300})\]\(\d+\)/g, '$1')
    .trim()
}

/** Section 3.4: the address of a file may be relative to a base, and be listed elsewhere. */
function resolvePath(run: SarifRun, location: ArtifactLocation): string | undefined {
  const found = location.uri === undefined ? run.artifacts[location.index]?.location : location
  if (found?.uri === undefined) return undefined
  let { uri, uriBaseId } = found
  // A base may be relative to another one. They may not be their own bases.
  for (let depth = 0; depth < 5 && uriBaseId !== undefined; depth++) {
    const base: ArtifactLocation | undefined = run.originalUriBaseIds[uriBaseId]
    uri = `${base?.uri ?? ''}${uri}`
    uriBaseId = base?.uriBaseId
  }
  return decodePath(uri.replace(/^file:(?:\/\/[^/]*)?/, ''))
}

/** Resolves `.` and `..`; undefined if the path leads out of the repository. */
function decodePath(encoded: string): string | undefined {
  const segments: string[] = []
  for (const segment of decode(encoded).replaceAll('\\', '/').split('/')) {
    if (segment === '..' && segments.pop() === undefined) return undefined
    if (segment !== '' && segment !== '.' && segment !== '..') segments.push(segment)
  }
  return `${encoded.startsWith('/') ? '/' : ''}${segments.join('/')}`
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** GitHub's names for the precision of a rule. */
const confidences: Readonly<Record<string, number>> = {
  'very-high': 0.95,
  high: 0.8,
  medium: 0.6,
  low: 0.4,
}

function rateResult(
  level: string,
  { properties, helpUri = '' }: Partial<SarifRule> = {},
): Pick<ToolResult, 'severity' | 'category' | 'confidence' | 'helpUrl'> {
  const score = properties?.['security-severity']
  const tags = properties?.tags ?? []
  return {
    severity: score === undefined ? severityOfLevel(level) : severityOfScore(score),
    category: score === undefined ? categoryOfTags(tags) : 'security',
    confidence: confidences[properties?.precision ?? ''] ?? 0.6,
    helpUrl: /^https?:\/\/[^\s()<>]+$/.test(helpUri) ? helpUri : null,
  }
}

function severityOfLevel(level: string): Severity {
  return level === 'error' ? 'moderate' : 'minor'
}

/** The scale of `security-severity` is that of CVSS, where 9.0 and more is critical. */
function severityOfScore(score: number): Severity {
  if (score >= 9) return 'critical'
  return score >= 4 ? 'moderate' : 'minor'
}

function categoryOfTags(tags: readonly string[]): FindingCategory {
  const known = ['security', 'performance', 'maintainability'] as const
  return known.find((category) => tags.includes(category)) ?? 'correctness'
}
