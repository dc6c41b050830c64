// The verdict and the confidence: pure functions of the findings and the coverage. Models only propose findings.
import type { RepositorySettings } from '../config/repository-settings.ts'
import { type Finding, type Severity, severities } from '../domain/finding.ts'
import {
  type Confidence,
  type Coverage,
  type ReviewEnd,
  reviewEnds,
  type Verdict,
} from '../domain/review.ts'

/** All that the verdict is computed from; stored with the review. */
export interface VerdictInput {
  /** Open findings by severity, verified ones only. */
  readonly critical: number
  readonly moderate: number
  readonly minor: number
  /** Open findings that nobody could verify. */
  readonly unverified: number
  /** Every changed line that can matter was read in the way that its kind needs. */
  readonly complete: boolean
  readonly filesTotal: number
  readonly filesReviewed: number
  /** Changed lines that were not read in the way that their kind needs. */
  readonly linesUnread: number
  /** Whether a model took part, or only the fixed rules did. */
  readonly modelTookPart: boolean
  /** Models had to prove that they read what they were shown. */
  readonly attentionChecked: boolean
  /** What the repository has moderate findings come to. */
  readonly moderateMeans: RepositorySettings['policy']['moderate']
  /** The ends that block, by the repository's settings. */
  readonly gate: readonly ReviewEnd[]
  /** Mean confidence of the open findings, 0 to 1; 1 where there are none. */
  readonly meanConfidence: number
}

/** What was decided, and why the confidence is what it is, in one line. */
export interface Decision {
  readonly verdict: Verdict
  readonly ends: readonly ReviewEnd[]
  readonly blocks: boolean
  readonly confidence: Confidence
  readonly confidenceReason: string
}

/** Counts what `decideVerdict` looks at. */
export function summarizeForVerdict(input: {
  findings: readonly Finding[]
  coverage: Coverage
  modelTookPart: boolean
  attentionChecked: boolean
  settings: Pick<RepositorySettings, 'policy' | 'gate'>
}): VerdictInput {
  return {
    ...countFindings(input.findings),
    complete: input.coverage.complete,
    filesTotal: input.coverage.filesTotal,
    filesReviewed: input.coverage.filesReviewed,
    linesUnread: input.coverage.lines.unread,
    modelTookPart: input.modelTookPart,
    attentionChecked: input.attentionChecked,
    moderateMeans: input.settings.policy.moderate,
    gate: input.settings.gate,
  }
}

/** The part of the verdict's input that depends on which findings are open. */
export function countFindings(
  findings: readonly Finding[],
): Pick<VerdictInput, 'critical' | 'moderate' | 'minor' | 'unverified' | 'meanConfidence'> {
  const open = findings.filter((finding) => finding.state === 'open')
  const verified = open.filter((finding) => finding.verified)
  const count = (severity: Severity) =>
    verified.filter((finding) => finding.severity === severity).length
  const total = open.reduce((sum, finding) => sum + finding.confidence, 0)
  return {
    critical: count('critical'),
    moderate: count('moderate'),
    minor: count('minor'),
    unverified: open.length - verified.length,
    meanConfidence: open.length === 0 ? 1 : Math.round((total / open.length) * 100) / 100,
  }
}

/**
 * A verified critical finding requests changes, and a moderate one where the repository has it so; a change that
 * wasn't wholly covered, or a finding that couldn't be verified, needs discussion, as moderate findings do; minor ones
 * or none approve. No finding more and no line read less ever makes the verdict better or unblocks.
 */
export function decideVerdict(input: VerdictInput): Decision {
  const ends = decideEnds(input)
  const blocks = ends.some((end) => input.gate.includes(end))
  return { verdict: verdictOf(ends), ends, blocks, ...rateConfidence(input) }
}

/** All ends that hold, in their order of precedence. */
function decideEnds(input: VerdictInput): ReviewEnd[] {
  const isRequested = input.moderateMeans === 'REQUEST_CHANGES'
  const isUnseen = input.filesTotal > 0 && input.filesReviewed === 0
  const holds: Record<ReviewEnd, boolean> = {
    skipped: false,
    changes_requested: input.critical > 0 || (isRequested && input.moderate > 0),
    incomplete: !input.complete || isUnseen,
    needs_person: input.unverified > 0 || (!isRequested && input.moderate > 0),
    passed: false,
  }
  const ends = reviewEnds.filter((end) => holds[end])
  return ends.length === 0 ? ['passed'] : ends
}

function verdictOf(ends: readonly ReviewEnd[]): Verdict {
  if (ends.includes('changes_requested')) return 'REQUEST_CHANGES'
  return ends.includes('passed') ? 'APPROVE' : 'NEEDS_DISCUSSION'
}

function rateConfidence(input: VerdictInput): { confidence: Confidence; confidenceReason: string } {
  if (input.filesTotal === 0)
    return { confidence: 3, confidenceReason: 'no file of the change is to be reviewed' }
  const files = `${input.filesReviewed} of ${input.filesTotal} files`
  if (input.filesReviewed === 0) {
    return { confidence: 1, confidenceReason: 'nothing of the change could be reviewed' }
  }
  if (!input.complete) {
    const isPart = input.filesReviewed < input.filesTotal
    const whole = 'not all that was to look at the change did so to the end'
    return {
      confidence: 2,
      confidenceReason: isPart ? `only part of the change was reviewed (${files})` : whole,
    }
  }
  if (!input.modelTookPart) {
    return {
      confidence: 3,
      confidenceReason: 'fixed rules only: they look for known classes of bugs',
    }
  }
  const isAll = input.filesReviewed === input.filesTotal
  const seen = isAll ? 'the whole change was reviewed' : `what people write was reviewed (${files})`
  if (input.unverified > 0) {
    const which = input.unverified === 1 ? 'one finding' : `${input.unverified} findings`
    return { confidence: 4, confidenceReason: `${seen}; ${which} could not be verified` }
  }
  if (input.meanConfidence < 0.75) {
    return { confidence: 4, confidenceReason: `${seen}; some findings are less certain` }
  }
  if (!input.attentionChecked) {
    return { confidence: 4, confidenceReason: `${seen}; whether the model read it was not checked` }
  }
  const hasFindings = input.critical + input.moderate + input.minor > 0
  const reason = hasFindings ? ', and each finding was checked against the code' : ''
  return { confidence: 5, confidenceReason: `${seen}${reason}` }
}

/**
 * The interface's `ai_summary`: the verdict word, a line of confidence, free Markdown. That begins with how much was found,
 * if anything was: who lists reviews wants to know it of each.
 */
export function formatSummary(
  { verdict, confidence }: { verdict: Verdict | 'UNKNOWN'; confidence: Confidence },
  text: string,
  findings: readonly Finding[] = [],
): string {
  const counts = countSeverities(findings)
  const found = counts === '' ? '' : `Findings: ${counts}\n\n`
  return `${verdict}\nConfidence: ${confidence}/5\n\n${found}${text}`
}

/** Such as `1 critical, 2 minor`; empty where there are none. */
export function countSeverities(findings: readonly Finding[]): string {
  const count = (severity: Severity) =>
    findings.filter((finding) => finding.severity === severity).length
  return severities
    .filter((severity) => count(severity) > 0)
    .map((severity) => `${count(severity)} ${severity}`)
    .join(', ')
}
