// Renders a review as the summary comment, which is edited in place, and as the title of the check.

import type { Finding } from '../../domain/finding.ts'
import type { Impact } from '../../domain/impact.ts'
import type { LiveContextSummary } from '../../domain/live-context.ts'
import type { AppliedMemory } from '../../domain/memory.ts'
import {
  hasModel,
  isModel,
  type Review,
  type ReviewEnd,
  type SkippedFile,
} from '../../domain/review.ts'
import { joinFirst } from '../../lib/text.ts'
import type { Platform, PlatformLimits } from '../../platforms/platform.ts'
import type { BlockingReview } from '../../work/blocking-review.ts'
import { countSeverities } from '../decide-verdict.ts'
import { reviewEndNames } from '../review-end-names.ts'
import { codeSpan, escapeLine, escapeMarkdown } from './escape-markdown.ts'
import { fitComment } from './fit-comment.ts'
import { headMarker } from './markers.ts'
import { redactFindings, redactReview } from './redact-review.ts'
import { type LinkTo, renderInFull, renderItem, renderPast } from './render-finding.ts'
import { type LinkToLine, renderImpact, type SummarySection } from './render-impact.ts'
import { type FileLocation, renderMemories } from './render-memories.ts'
import { renderSources } from './render-sources.ts'
import type { ReviewHistory } from './review-history.ts'
import { describeClean, describeLines, describeMissing, hasNoGaps } from './summarize-review.ts'

interface SummaryInput {
  readonly review: Review
  readonly history: ReviewHistory
  /** Null where nothing is known. */
  readonly impact: Impact | null
  /** Memories that are listed in the summary. */
  readonly memories: readonly AppliedMemory[]
  readonly liveContext: LiveContextSummary
  /** Returns the URL of a location on the platform. */
  readonly linkTo: (location: FileLocation) => string
  /** URLs of the comments on findings that were posted before, by fingerprint. */
  readonly commentUrls: ReadonlyMap<string, string>
  readonly runId: number
  readonly durationMs: number
  /** Names of the models that took part. */
  readonly models: readonly string[]
  readonly serviceName: string
  /** It is the URL of this review on our page. */
  readonly pageUrl: string
  /** How people mention us; null where nobody hears comments. */
  readonly mention: string | null
  readonly limits: PlatformLimits
  readonly terms: Pick<Platform['terms'], 'pullRequest'>
  /** Our own, which are redacted. */
  readonly secrets: readonly string[]
}

/** Lists of what is settled show this many items and count the others. */
const maxItems = 20

/** Renders the summary as Markdown, beginning with its hidden marker. */
export function renderSummary(input: SummaryInput): string {
  const review = redactReview(input.review, input.secrets)
  const { history, secrets } = input
  const past = {
    ...history,
    resolved: redactFindings(history.resolved, secrets),
    resolvedBefore: redactFindings(history.resolvedBefore, secrets),
    dismissed: redactFindings(history.dismissed, secrets),
  }
  const open = review.findings
  const linkTo = linkToLines(input)
  const more = past.dismissed.length > 0
  const clean = isClean(review) ? `: ${describeClean(review.coverage, { more })}` : ''
  const heading = [
    headMarker(review.headSha, input.runId),
    `### ${renderHeadline(review)}${clean}`,
    ...renderMissing(review),
    ...renderProgress(past),
    ...renderDismissals(input, past),
  ]
  return fitComment(
    {
      heading: heading.join('\n\n'),
      text: clean === '' ? escapeMarkdown(review.words, { maxLength: 4000 }) : '',
      items: open
        .filter((finding) => finding.placement !== 'held_back')
        .map((finding) => renderItem(finding, linkTo, input.commentUrls)),
      unplaced: open
        .filter((finding) => finding.placement === 'summary')
        .map((finding) => renderInFull(finding, linkTo))
        .join('\n\n'),
      suppressed: renderSection(listSuppressed(open, linkTo, input.commentUrls)),
      states: renderSection(listStates(open, past)),
      impact: renderSection(input.impact && renderImpact(input.impact, linkToImpact(input))),
      memories: renderSection(listMemories(input)),
      sources: renderSection(renderSources(input.liveContext, secrets)),
      coverage: renderSection(listCoverage(review)),
      truncationNote: renderTruncationNote(input),
      footer: renderFooter(input, review),
    },
    input.limits.maxCommentLength,
  )
}

/** Whether there is nothing to say but that nothing was found. */
function isClean({ findings, coverage, ends }: Review): boolean {
  return findings.length === 0 && hasNoGaps(coverage) && ends.includes('passed')
}

/** A finding on a removed line has no line at the head, and a redacted path leads nowhere. */
function linkToLines({ review, linkTo }: SummaryInput): LinkTo {
  const paths = new Set(review.findings.map(({ path }) => path))
  return ({ path, startLine: line, side, removed }) => {
    const isAtHead = side === 'RIGHT' && removed !== true
    return isAtHead && paths.has(path) ? linkTo({ commit: review.headSha, path, line }) : null
  }
}

/** A truncated or redacted path leads nowhere. */
function linkToImpact({ review, linkTo }: SummaryInput): LinkToLine {
  return ({ path, line }) => {
    const isWhole = !path.startsWith('…') && !path.includes('[secret]')
    return isWhole ? linkTo({ commit: review.headSha, path, line }) : null
  }
}

/** Renders the title of a check that the review of another pull request decides. */
export function renderOther({ end, number }: BlockingReview): string {
  const name = end === 'pending' ? 'Review in progress' : reviewEndNames[end]
  return `${name} in #${number}, which has the same head`
}

/** Renders the title of the check, at most 140 characters. */
export function renderStatus(review: Review, otherBlockingReview: BlockingReview | null): string {
  if (otherBlockingReview && !review.blocks) return renderOther(otherBlockingReview)
  const counts = countSeverities(review.findings)
  const passes =
    review.ends.includes('passed') || review.blocks ? '' : ', which this repository lets pass'
  const name = `${reviewEndNames[review.ends[0]!]}${passes}`
  const sureness = hasModel(review) ? ` · confidence ${review.confidence}/5` : ''
  return `${name}${counts === '' ? '' : `: ${counts}`}${sureness}`
}

const endIcons: Readonly<Record<ReviewEnd, string>> = {
  skipped: '⚪',
  changes_requested: '🔴',
  incomplete: '⚪',
  needs_person: '🟡',
  passed: '🟢',
}

function renderHeadline({ ends, findings, coverage }: Review): string {
  const end = ends[0]!
  const counts = countSeverities(findings)
  const details = [
    ...(end === 'incomplete' ? [describeMissing(coverage)] : []),
    ...(counts === '' ? [] : [counts]),
  ]
  const name = `${endIcons[end]} ${reviewEndNames[end]}`
  return details.length === 0 ? name : `${name}: ${details.join(' · ')}`
}

/** Adds what was not read where the headline names a worse end. */
function renderMissing({ ends, coverage }: Review): string[] {
  return ends[0] !== 'incomplete' && ends.includes('incomplete')
    ? [`⚪ Incomplete: ${describeMissing(coverage)}.`]
    : []
}

/**
 * Renders what changed since the last review; empty on the first one, and where nothing changed,
 * because the list shows what is still open.
 */
function renderProgress({
  isFirst,
  resolved,
  newCount,
  reopenedCount,
  stillOpenCount,
}: ReviewHistory): string[] {
  if (isFirst || resolved.length + newCount + reopenedCount === 0) return []
  const counts = [
    { count: resolved.length, state: 'resolved' },
    { count: newCount, state: 'new' },
    { count: reopenedCount, state: 'came back' },
    { count: stillOpenCount, state: 'still open' },
  ]
  const changes = counts
    .filter(({ count }) => count > 0)
    .map(({ count, state }) => `${count} ${state}`)
  return [`Since the last review: ${changes.join(', ')}.`]
}

/** Names who dismissed findings, so that the dismissals can be seen by everyone. */
function renderDismissals(
  { review: { pullRequest }, terms }: Pick<SummaryInput, 'review' | 'terms'>,
  { dismissed }: ReviewHistory,
): string[] {
  const byLogin = Map.groupBy(dismissed, (finding) => finding.dismissal?.login ?? 'someone')
  return [...byLogin].map(([login, findings]) => {
    const isAuthor = login.toLowerCase() === pullRequest.author.toLowerCase()
    const name = `${codeSpan(login)}${isAuthor ? `, the author of this ${terms.pullRequest}` : ''}`
    return `Dismissed by ${name}: ${countSeverities(findings)}.`
  })
}

/** Names all of them, because they count like the others. */
function listSuppressed(
  open: readonly Finding[],
  linkTo: LinkTo,
  commentUrls: SummaryInput['commentUrls'],
): SummarySection | null {
  const suppressed = open.filter((finding) => finding.placement === 'held_back')
  if (suppressed.length === 0) return null
  const title = `Suppressed: ${suppressed.length}, to keep this short`
  return { title, lines: suppressed.map((finding) => renderItem(finding, linkTo, commentUrls)) }
}

function listStates(
  open: readonly Finding[],
  { resolved, resolvedBefore, dismissed }: ReviewHistory,
): SummarySection | null {
  const resolvedCount = resolved.length + resolvedBefore.length
  if (resolvedCount + dismissed.length === 0) return null
  const title = [
    `Open ${open.length}`,
    ...(resolvedCount > 0 ? [`Resolved ${resolvedCount}`] : []),
    ...(dismissed.length > 0 ? [`Dismissed ${dismissed.length}`] : []),
  ].join(' · ')
  const lines = [
    ...renderPastItems(resolved, 'Resolved'),
    ...renderPastItems(dismissed, 'Dismissed'),
    ...renderPastItems(resolvedBefore, 'Resolved before'),
  ]
  return { title, lines }
}

function renderPastItems(findings: readonly Finding[], state: string): string[] {
  const items = findings.slice(0, maxItems).map((finding) => renderPast(finding, state))
  return findings.length > maxItems
    ? [...items, `- ${state}: ${findings.length - maxItems} more`]
    : items
}

function listCoverage({ coverage }: Review): SummarySection | null {
  const sentences = [...coverage.notes, ...coverage.setAside]
  if (coverage.complete && coverage.skipped.length === 0 && sentences.length === 0) return null
  const byReason = Map.groupBy(coverage.skipped, ({ reason }) => reason)
  const skipped = [...byReason].map(([reason, files]) => renderSkipped(reason, files))
  const notes = sentences.map((sentence) => `- ${escapeLine(sentence, { maxLength: 400 })}`)
  return { title: `Coverage: ${describeLines(coverage)}`, lines: [...skipped, ...notes] }
}

function renderSkipped(reason: string, files: readonly SkippedFile[]): string {
  const names = joinFirst(
    files.slice(0, 10).map(({ path }) => codeSpan(path)),
    files.length,
  )
  return `- Not reviewed (${escapeLine(reason, { maxLength: 200 })}): ${names}`
}

function listMemories(input: SummaryInput): SummarySection | null {
  const { memories } = input
  if (memories.length === 0) return null
  const title = `Memories about these files: ${memories.length}`
  return { title, lines: renderMemories(memories, input) }
}

/** Platforms render `<strong>` in `<summary>`, but no Markdown. */
function renderSection(section: SummarySection | null): string {
  if (section === null) return ''
  const { title, lines } = section
  return `<details><summary><strong>${title}</strong></summary>\n\n${lines.join('\n')}\n\n</details>`
}

function renderTruncationNote({ pageUrl }: SummaryInput): string {
  const whole = `[The review's page](${pageUrl}) has all.`
  return `*Parts are left out, because this would be too long. ${whole}*`
}

function renderFooter(input: SummaryInput, review: Review): string {
  const lines = [
    renderOrigin(input, review),
    ...renderDismissing(input, review),
    ...renderAsking(input, review),
  ]
  return `<sub>${lines.join('<br>\n')}</sub>`
}

/** Says what reviewed, and how sure that is if a model took part. */
function renderOrigin({ serviceName, durationMs, models }: SummaryInput, review: Review): string {
  const { headSha, reviewers, confidence, confidenceReason } = review
  const tools = reviewers.filter((reviewer) => reviewer !== 'static' && !isModel(reviewer))
  const modelsInPart = hasModel(review) ? models : []
  const named = [...tools, ...modelsInPart]
  const name = escapeLine(serviceName, { maxLength: 40 })
  // It begins a sentence.
  const subject = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`
  const work = `${subject} reviewed ${headSha.slice(0, 7)} in ${formatDuration(durationMs)}`
  if (named.length === 0) return `${work} with rules only`
  const by = ['rules', ...named.map((each) => codeSpan(each))].join(', ')
  const sureness = `confidence ${confidence}/5: ${confidenceReason}`
  return modelsInPart.length > 0 ? `${work} with ${by} · ${sureness}` : `${work} with ${by}`
}

/** Says how open findings can be dismissed. */
function renderDismissing(
  { pageUrl, mention, limits }: SummaryInput,
  { findings }: Review,
): string[] {
  if (findings.length === 0) return []
  const ways = [
    ...(mention === null ? [] : [`reply \`${mention} dismiss <reason>\` to it`]),
    ...(limits.resolvableThreads === true ? ['resolve its conversation'] : []),
    `use [the review's page](${pageUrl})`,
  ]
  const others = ways.slice(0, -1).map((way) => `${way}, `)
  const list = `${others.join('')}${others.length > 0 ? 'or ' : ''}${ways.at(-1)}`
  const until = 'it is fixed, or until someone with write access dismisses it'
  return [`A finding stays open until ${until}: ${list}.`]
}

/** Says what else people can ask for, where somebody hears them. */
function renderAsking({ mention }: SummaryInput, { findings }: Review): string[] {
  if (mention === null) return []
  const question = findings.length === 0 ? [] : ['To ask about a finding, reply to it.']
  const commands = `\`${mention} review\` reviews again, and \`${mention} help\` lists all`
  return [[...question, `${commands} commands.`].join(' ')]
}

function formatDuration(ms: number): string {
  return ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 1000)} s`
}
