// How a review reads in the one comment that is edited in place, and on the commit. Pure; foreign text is neutralised.
import type { AppliedMemory } from '../../domain/change-graph.ts'
import type { Finding } from '../../domain/finding.ts'
import type { Impact } from '../../domain/impact.ts'
import type { LiveContextSummary } from '../../domain/live-context.ts'
import type { Review, ReviewEnd, SkippedFile } from '../../domain/review.ts'
import type { BlockingReview } from '../../jobs/find-blocking-review.ts'
import type { PlatformLimits } from '../../platforms/platform.ts'
import { countSeverities } from '../decide-verdict.ts'
import { reviewEndNames } from '../review-end-names.ts'
import { describeClean, describeLines, describeMissing, hasNoGaps } from '../summarize-review.ts'
import { codeSpan, escapeLine, escapeMarkdown } from './escape-markdown.ts'
import { fitComment } from './fit-comment.ts'
import { headMarker } from './markers.ts'
import { redactFinding, redactReview } from './redact-review.ts'
import { renderInFull, renderItem, renderRow } from './render-finding.ts'
import { renderImpact } from './render-impact.ts'
import { type FileLocation, renderMemories } from './render-memories.ts'
import { renderSources } from './render-sources.ts'
import type { ReviewHistory } from './review-history.ts'

/** What the summary says beside the review itself. */
export interface SummaryInput {
  readonly review: Review
  readonly history: ReviewHistory
  /** Whom the change reaches; null where nothing is known. */
  readonly impact: Impact | null
  /** The memories that are told with it. */
  readonly memories: readonly AppliedMemory[]
  /** What trackers and chats said. */
  readonly liveContext: LiveContextSummary
  /** The address of a place on the platform. */
  readonly linkTo: (place: FileLocation) => string
  readonly runId: number
  readonly durationMs: number
  /** Names of the models that answered. */
  readonly models: readonly string[]
  readonly serviceName: string
  readonly limits: PlatformLimits
  /** Our own, which nobody is to read in a comment. */
  readonly secrets: readonly string[]
}

/** A list in the details has so many items; the others are counted. */
const maxItems = 20

/** The summary as Markdown, with the hidden marker by which it is found again. */
export function renderSummary(input: SummaryInput): string {
  const review = redactReview(input.review, input.secrets)
  const blot = (findings: readonly Finding[]) =>
    findings.map((finding) => redactFinding(finding, input.secrets))
  const { history } = input
  const past = {
    ...history,
    resolved: blot(history.resolved),
    resolvedBefore: blot(history.resolvedBefore),
    dismissed: blot(history.dismissed),
  }
  const open = review.findings
  const isClean = open.length === 0 && hasNoGaps(review.coverage) && review.ends.includes('passed')
  const heading = [
    headMarker(review.headSha, input.runId),
    `### ${renderHeadline(review)}`,
    ...renderMissing(review),
    `Confidence: ${review.confidence}/5: ${review.confidenceReason}`,
  ]
  return fitComment(
    {
      heading: [...heading, ...renderProgress(past), ...renderDismissals(review, past)].join(
        '\n\n',
      ),
      text: isClean
        ? renderCleanLine(review, past)
        : escapeMarkdown(review.summary, { maxLength: 4000 }),
      rows: open.filter((finding) => finding.placement !== 'held_back').map(renderRow),
      // Nothing is lost: what has no line of its own is told here.
      unplaced: open
        .filter((finding) => finding.placement === 'summary')
        .map(renderInFull)
        .join('\n\n'),
      dismissing: renderDismissing(input, open),
      states: renderStates(open, past),
      impact: renderReachSection(input),
      memories: renderMemorySection(input),
      sources: renderSourcesSection(input),
      coverage: renderCoverage(review),
      footer: renderFooter(input, review),
    },
    input.limits.maxCommentLength,
  )
}

/** The text for the commit's status, at most 140 characters. */
export function renderStatus(review: Review, otherBlock: BlockingReview | null): string {
  if (otherBlock && !review.blocks)
    return `${reviewEndNames[otherBlock.end]} in #${otherBlock.number}, which has the same head`
  const counts = countSeverities(review.findings)
  const passes =
    review.ends.includes('passed') || review.blocks ? '' : ', which this repository lets pass'
  const name = `${reviewEndNames[review.ends[0]!]}${passes}`
  return `${name}${counts === '' ? '' : `: ${counts}`} · confidence ${review.confidence}/5`
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
  const words = [
    ...(end === 'incomplete' ? [describeMissing(coverage)] : []),
    ...(counts === '' ? [] : [counts]),
  ]
  return `${endIcons[end]} ${reviewEndNames[end]}${words.length === 0 ? '' : `: ${words.join(' · ')}`}`
}

/** Where the heading names a worse end, what was not read follows it. */
function renderMissing({ ends, coverage }: Review): string[] {
  return ends[0] !== 'incomplete' && ends.includes('incomplete')
    ? [`⚪ Incomplete: ${describeMissing(coverage)}.`]
    : []
}

/** What the author wants to know first of a second review. Nothing on the first one. */
function renderProgress({
  isFirst,
  resolved,
  newCount: fresh,
  reopenedCount: cameBack,
  stillOpenCount: stillOpen,
}: ReviewHistory): string[] {
  if (isFirst) return []
  const counts = [
    { count: resolved.length, words: 'resolved' },
    { count: fresh, words: 'new' },
    { count: cameBack, words: 'came back' },
    { count: stillOpen, words: 'still open' },
  ]
  const told = counts
    .filter(({ count }) => count > 0)
    .map(({ count, words }) => `${count} ${words}`)
  return told.length === 0 ? [] : [`Since the last review: ${told.join(', ')}.`]
}

/** Who took it upon themselves, where everybody sees it. */
function renderDismissals({ pullRequest }: Review, { dismissed }: ReviewHistory): string[] {
  const byLogin = Map.groupBy(dismissed, (finding) => finding.dismissal?.login ?? 'somebody')
  return [...byLogin].map(([login, findings]) => {
    const isAuthor = login.toLowerCase() === pullRequest.author.toLowerCase()
    const name = `${codeSpan(login)}${isAuthor ? ', the author of this pull request' : ''}`
    return `Dismissed by ${name}: ${countSeverities(findings)}.`
  })
}

function renderDismissing({ serviceName, limits }: SummaryInput, open: readonly Finding[]): string {
  if (open.length === 0) return ''
  const thread = limits.resolvableThreads ? 'resolve its conversation, or ' : ''
  const page = `use the review's page in ${escapeLine(serviceName, { maxLength: 40 })}`
  return `To dismiss a finding, ${thread}${page}. It counts until someone with write access does so.`
}

function renderCleanLine(review: Review, { dismissed }: ReviewHistory): string {
  return describeClean(review.coverage, {
    more: dismissed.length > 0,
    at: ` at ${review.headSha.slice(0, 7)}`,
  })
}

function renderStates(
  open: readonly Finding[],
  { resolved, resolvedBefore, dismissed }: ReviewHistory,
): string {
  const held = open.filter((finding) => finding.placement === 'held_back')
  const gone = resolved.length + resolvedBefore.length
  if (held.length + gone + dismissed.length === 0) return ''
  const title = [
    `Open ${open.length}`,
    ...(gone > 0 ? [`Resolved ${gone}`] : []),
    ...(dismissed.length > 0 ? [`Dismissed ${dismissed.length}`] : []),
    ...(held.length > 0 ? [`Held back ${held.length}`] : []),
  ].join(' · ')
  return renderDetails(title, [
    ...renderItems(held, 'Held back'),
    ...renderItems(resolved, 'Resolved'),
    ...renderItems(dismissed, 'Dismissed'),
    ...renderItems(resolvedBefore, 'Resolved before'),
  ])
}

function renderItems(findings: readonly Finding[], word: string): string[] {
  const items = findings.slice(0, maxItems).map((finding) => renderItem(finding, word))
  return findings.length > maxItems
    ? [...items, `- ${word}: ${findings.length - maxItems} more`]
    : items
}

function renderCoverage({ coverage }: Review): string {
  const told = [...coverage.notes, ...coverage.setAside]
  if (coverage.complete && coverage.skipped.length === 0 && told.length === 0) return ''
  const byReason = new Map<string, SkippedFile[]>()
  for (const file of coverage.skipped)
    byReason.set(file.reason, [...(byReason.get(file.reason) ?? []), file])
  const skipped = [...byReason].map(([reason, files]) => {
    const shown = files.slice(0, 10).map((file) => codeSpan(file.path))
    const more = files.length > shown.length ? ` and ${files.length - shown.length} more` : ''
    return `- Not reviewed (${escapeLine(reason, { maxLength: 200 })}): ${shown.join(', ')}${more}`
  })
  const notes = told.map((note) => `- ${escapeLine(note, { maxLength: 400 })}`)
  return renderDetails(`Coverage: ${describeLines(coverage)}`, [...skipped, ...notes])
}

function renderReachSection({ impact: reach }: SummaryInput): string {
  if (reach === null) return ''
  const { title, lines } = renderImpact(reach)
  return renderDetails(title, lines)
}

function renderMemorySection(input: SummaryInput): string {
  const { memories } = input
  return memories.length === 0
    ? ''
    : renderDetails(
        `Remembered of these files: ${memories.length}`,
        renderMemories(memories, input),
      )
}

function renderSourcesSection({ liveContext: live, secrets }: SummaryInput): string {
  const sources = renderSources(live, secrets)
  return sources === undefined ? '' : renderDetails(sources.title, sources.lines)
}

/** Markdown inside `<summary>` isn't rendered by hosts: `<strong>` is. */
function renderDetails(title: string, lines: readonly string[]): string {
  return `<details><summary><strong>${title}</strong></summary>\n\n${lines.join('\n')}\n\n</details>`
}

function renderFooter(
  { serviceName, durationMs, models }: SummaryInput,
  { headSha, reviewers }: Review,
): string {
  const list = (names: readonly string[]) => names.map((each) => codeSpan(each)).join(', ')
  const by = models.length === 0 ? list(reviewers) : `${list(reviewers)} (${list(models)})`
  const name = escapeLine(serviceName, { maxLength: 40 })
  return `<sub>${name} reviewed ${headSha.slice(0, 7)} in ${formatDuration(durationMs)} with ${by}</sub>`
}

function formatDuration(ms: number): string {
  return ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 1000)} s`
}
