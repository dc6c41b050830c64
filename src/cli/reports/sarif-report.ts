// Renders the report in the Static Analysis Results Interchange Format (SARIF) 2.1.0.
import {
  compareBySeverity,
  type Evidence,
  type Finding,
  type FindingCategory,
  type Severity,
} from '../../domain/finding.ts'
import type { Review } from '../../domain/review.ts'
import { pathToBytes } from '../../git/path-encoding.ts'
import type { PackageInfo } from '../../lib/package-info.ts'
import { toSafeJson } from '../../lib/terminal-text.ts'
import { rules } from '../../reviewers/rules/index.ts'
import { describeUnreviewed, listUnreviewed } from './describe-report.ts'
import { ruleIdOf } from './json-report.ts'
import type { Report } from './report.ts'

const levels = { critical: 'error', moderate: 'warning', minor: 'note' } as const
/** GitHub code scanning ranks vulnerabilities from 0 to 10. */
const securitySeverities = { critical: '9.0', moderate: '6.0', minor: '3.0' } as const

/** What precedes the id of a rule in the address of its page. */
const linterPages: Readonly<Record<string, string>> = {
  ESLint: 'https://eslint.org/docs/latest/rules/',
  'typescript-eslint': 'https://typescript-eslint.io/rules/',
  Staticcheck: 'https://staticcheck.dev/docs/checks/#',
  ShellCheck: 'https://www.shellcheck.net/wiki/',
}

const categoryDescriptions: Readonly<Record<FindingCategory, string>> = {
  correctness: 'The code does not do what it is meant to do.',
  security: 'The code has a vulnerability.',
  'data-loss': 'Data can be lost.',
  concurrency: 'Concurrent work interferes with each other.',
  performance: 'The code takes more time or memory than it needs.',
  tests: 'A test is missing or tests nothing.',
  maintainability: 'The code is harder to change than it needs to be.',
}

/** Renders one SARIF log with one run of this program. */
export function renderSarif(report: Report, { version, homepage }: PackageInfo): string {
  const findings = report.review?.findings ?? []
  const used = [...new Set(findings.map(ruleIdOf))]
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'Umpire',
            version,
            ...(homepage === undefined ? {} : { informationUri: homepage }),
            rules: used.map((id) => describeRule(id, findings)),
          },
        },
        columnKind: 'utf16CodeUnits',
        invocations: [describeInvocation(report)],
        results: findings.map((finding) =>
          describeResult(finding, used.indexOf(ruleIdOf(finding))),
        ),
      },
    ],
  }
  return `${toSafeJson(log, 2)}\n`
}

function describeRule(id: string, findings: readonly Finding[]) {
  const rule = rules.find((candidate) => candidate.id === id)
  const findingsOfRule = findings.filter((finding) => ruleIdOf(finding) === id)
  const category = findingsOfRule[0]!.category
  const severity = rule?.severity ?? maxSeverity(findingsOfRule)
  const summary = rule?.summary ?? categoryDescriptions[category]
  const seeAlso = rule?.seeAlso ?? []
  const full = seeAlso.length === 0 ? summary : `${summary} See also: ${seeAlso.join(', ')}.`
  const helpUri = seeAlso.map(findReferenceUrl).find((url) => url !== null)
  return {
    id,
    shortDescription: { text: summary },
    fullDescription: { text: full.replaceAll('`', '') },
    help: { text: full.replaceAll('`', ''), markdown: full },
    ...(helpUri === undefined ? {} : { helpUri }),
    defaultConfiguration: { level: levels[severity] },
    properties: {
      tags: [category],
      ...(category === 'security' ? { 'security-severity': securitySeverities[severity] } : {}),
    },
  }
}

/** Returns the page about a CWE number or a linter's rule; null if its address is unknown. */
function findReferenceUrl(reference: string): string | null {
  const [name, id = ''] = reference.split(' `').map((part) => part.replaceAll('`', ''))
  const weakness = /^CWE-(\d+)$/.exec(name!)
  if (weakness) return `https://cwe.mitre.org/data/definitions/${weakness[1]}.html`
  const folder = linterPages[name!]
  return folder === undefined ? null : folder + id
}

function maxSeverity(findings: readonly Finding[]): Severity {
  return findings.toSorted(compareBySeverity)[0]!.severity
}

function describeResult(finding: Finding, ruleIndex: number) {
  const {
    title,
    body,
    suggestion,
    evidence,
    fingerprint,
    confidence,
    verified,
    severity,
    reviewer,
  } = finding
  const elsewhere = evidence.filter(({ path, line }) => !isWithinFinding(finding, path, line))
  const related = elsewhere.map((item, index) => describeEvidence(item, index + 1))
  return {
    ruleId: ruleIdOf(finding),
    ruleIndex,
    level: levels[severity],
    message: { text: `${title}.\n\n${body}` },
    locations: [{ physicalLocation: describeLocation(finding) }],
    partialFingerprints: { 'umpire/v1': fingerprint },
    rank: Math.round(confidence * 100),
    ...(related.length > 0 ? { relatedLocations: related } : {}),
    ...(suggestion === null || finding.side === 'LEFT'
      ? {}
      : { fixes: [describeFix(finding, suggestion)] }),
    properties: { reviewer, verified },
  }
}

/** Returns whether a line at the head belongs to the location of the finding. */
function isWithinFinding(finding: Finding, path: string, line: number): boolean {
  const { startLine, endLine } = finding
  return finding.side === 'RIGHT' && path === finding.path && line >= startLine && line <= endLine
}

function describeEvidence({ path, line, note }: Evidence, id: number) {
  return {
    id,
    physicalLocation: { artifactLocation: describeArtifact(path), region: { startLine: line } },
    ...(note === '' ? {} : { message: { text: note } }),
  }
}

/** Deleted lines don't exist at the head, so they get no region. */
function describeLocation({ path, side, startLine, endLine }: Finding) {
  return {
    artifactLocation: describeArtifact(path),
    ...(side === 'LEFT' ? {} : { region: { startLine, endLine } }),
  }
}

/** A region without columns covers whole lines, without the line end of the last one. */
function describeFix({ path, startLine, endLine }: Finding, suggestion: string) {
  const replacement = {
    deletedRegion: { startLine, endLine },
    insertedContent: { text: suggestion },
  }
  return {
    description: { text: 'The suggested change' },
    artifactChanges: [{ artifactLocation: describeArtifact(path), replacements: [replacement] }],
  }
}

function describeArtifact(path: string) {
  return { uri: encodePath(path), uriBaseId: '%SRCROOT%' }
}

/** Encodes each byte, because a file name may not be valid UTF-8. */
function encodePath(path: string): string {
  const encoded = Array.from(pathToBytes(path), (byte) => {
    const character = String.fromCharCode(byte)
    return /[\w.~/-]/.test(character)
      ? character
      : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  })
  return encoded.join('')
}

/** Reports what was not reviewed as notifications. */
function describeInvocation({ review, exitCode }: Report) {
  return {
    executionSuccessful: review?.coverage.complete ?? true,
    exitCode,
    toolExecutionNotifications: review
      ? listNotifications(review).map((text) => ({ level: 'warning', message: { text } }))
      : [],
  }
}

function listNotifications({ coverage }: Review): string[] {
  return [...listUnreviewed(coverage).map(describeUnreviewed), ...coverage.notes]
}
