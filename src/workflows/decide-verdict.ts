// Computes the verdict and the confidence of a review from its findings and its coverage.

import { type Finding, type Severity, severities } from '../domain/finding.ts'
import type { RepositorySettings } from '../domain/repository-settings.ts'
import {
  type Confidence,
  type Coverage,
  draftClause,
  type ReviewEnd,
  reviewEnds,
  type Verdict,
} from '../domain/review.ts'

/** Stored with the review, so that its verdict can be decided again. */
export interface VerdictInput {
  /** The next three count open, verified findings. */
  readonly critical: number
  readonly moderate: number
  readonly minor: number
  /** Counts open findings that could not be verified. */
  readonly unverified: number
  /** Whether every changed line was read as its kind of file requires. */
  readonly complete: boolean
  /** Whether rules alone reviewed it because it is a draft; absent in older reviews. */
  readonly isDraft?: boolean | undefined
  readonly filesTotal: number
  readonly filesReviewed: number
  /** Counts changed lines that were not read as their kind of file requires. */
  readonly linesUnread: number
  /** Whether a model took part, and not only rules. */
  readonly modelTookPart: boolean
  /** Whether models had to pass the attention check. */
  readonly attentionChecked: boolean
  /** The verdict that moderate findings lead to, by the repository's settings. */
  readonly moderateMeans: RepositorySettings['policy']['moderate']
  /** The ends that block merging, by the repository's settings. */
  readonly gate: readonly ReviewEnd[]
  /** The mean over open findings, 0 to 1. It is 1 if there are none. */
  readonly meanConfidence: number
}

interface Decision {
  readonly verdict: Verdict
  readonly ends: readonly ReviewEnd[]
  readonly blocks: boolean
  readonly confidence: Confidence
  readonly confidenceReason: string
}

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
    isDraft: input.coverage.isDraft,
    filesTotal: input.coverage.filesTotal,
    filesReviewed: input.coverage.filesReviewed,
    linesUnread: input.coverage.lines.unread,
    modelTookPart: input.modelTookPart,
    attentionChecked: input.attentionChecked,
    moderateMeans: input.settings.policy.moderate,
    gate: input.settings.gate,
  }
}

/** Returns the part of the verdict's input that depends on the findings. */
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
 * A verified critical finding requests changes, as does a moderate one if the settings ask for it.
 * Other moderate findings, unverified findings and incomplete coverage need discussion. Minor
 * findings or none approve. More findings or less coverage never improve the verdict or unblock.
 */
export function decideVerdict(input: VerdictInput): Decision {
  const ends = decideEnds(input)
  const blocks = ends.some((end) => input.gate.includes(end))
  return { verdict: verdictOf(ends), ends, blocks, ...rateConfidence(input) }
}

/** Returns all ends that apply, in order of precedence. */
function decideEnds(input: VerdictInput): ReviewEnd[] {
  const moderateBlocks = input.moderateMeans === 'REQUEST_CHANGES'
  const isUnread = input.filesTotal > 0 && input.filesReviewed === 0
  const applies: Record<ReviewEnd, boolean> = {
    skipped: false,
    changes_requested: input.critical > 0 || (moderateBlocks && input.moderate > 0),
    incomplete: !input.complete || isUnread,
    needs_person: input.unverified > 0 || (!moderateBlocks && input.moderate > 0),
    passed: false,
  }
  const ends = reviewEnds.filter((end) => applies[end])
  return ends.length === 0 ? ['passed'] : ends
}

function verdictOf(ends: readonly ReviewEnd[]): Verdict {
  if (ends.includes('changes_requested')) return 'REQUEST_CHANGES'
  return ends.includes('passed') ? 'APPROVE' : 'NEEDS_DISCUSSION'
}

interface RatedConfidence {
  readonly confidence: Confidence
  readonly confidenceReason: string
}

function rateConfidence(input: VerdictInput): RatedConfidence {
  return rateIncomplete(input) ?? rateComplete(input)
}

/** Rates a review that did not cover the change; undefined if it did. */
function rateIncomplete({
  complete,
  isDraft,
  filesTotal,
  filesReviewed,
}: VerdictInput): RatedConfidence | undefined {
  if (filesTotal === 0) {
    return { confidence: 3, confidenceReason: 'no file of the change is to be reviewed' }
  }
  if (filesReviewed === 0) {
    return { confidence: 1, confidenceReason: 'nothing of the change could be reviewed' }
  }
  if (complete) return undefined
  if (isDraft) return { confidence: 2, confidenceReason: draftClause }
  const isPart = filesReviewed < filesTotal
  const files = `${filesReviewed} of ${filesTotal} files`
  return {
    confidence: 2,
    confidenceReason: isPart
      ? `only part of the change was reviewed (${files})`
      : 'not every reviewer finished',
  }
}

function rateComplete(input: VerdictInput): RatedConfidence {
  const { filesTotal, filesReviewed } = input
  if (!input.modelTookPart) {
    return {
      confidence: 3,
      confidenceReason: 'fixed rules only: they look for known classes of bugs',
    }
  }
  const reviewed =
    filesReviewed === filesTotal
      ? 'the whole change was reviewed'
      : `what people write was reviewed (${filesReviewed} of ${filesTotal} files)`
  const doubt = describeDoubt(input)
  if (doubt !== undefined) return { confidence: 4, confidenceReason: `${reviewed}; ${doubt}` }
  const hasFindings = input.critical + input.moderate + input.minor > 0
  const checked = hasFindings ? ', and each finding was checked against the code' : ''
  return { confidence: 5, confidenceReason: `${reviewed}${checked}` }
}

function describeDoubt({
  unverified,
  meanConfidence,
  attentionChecked,
}: VerdictInput): string | undefined {
  if (unverified > 0) {
    const findings = unverified === 1 ? 'one finding' : `${unverified} findings`
    return `${findings} could not be verified`
  }
  if (meanConfidence < 0.75) return 'some findings are less certain'
  return attentionChecked ? undefined : 'whether the model read it was not checked'
}

/**
 * Formats the API's `ai_summary`: the verdict, a line with the confidence, and Markdown that begins
 * with the number of findings by severity.
 */
export function formatSummary(
  { verdict, confidence }: { verdict: Verdict | 'UNKNOWN'; confidence: Confidence },
  text: string,
  findings: readonly Finding[] = [],
): string {
  const counts = countSeverities(findings)
  const findingsLine = counts === '' ? '' : `Findings: ${counts}\n\n`
  return `${verdict}\nConfidence: ${confidence}/5\n\n${findingsLine}${text}`
}

/** Returns text such as `1 critical, 2 minor`, or an empty string without findings. */
export function countSeverities(findings: readonly Finding[]): string {
  const count = (severity: Severity) =>
    findings.filter((finding) => finding.severity === severity).length
  return severities
    .filter((severity) => count(severity) > 0)
    .map((severity) => `${count(severity)} ${severity}`)
    .join(', ')
}
