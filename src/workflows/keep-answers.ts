// Takes answers about unchanged passages from earlier reviews, and keeps the answers of this one.
import type { ReviewContext } from '../context.ts'
import type { Change } from '../domain/change.ts'
import type { DiffSide } from '../domain/diff.ts'
import { type Citation, isRecordCitation, type ProposedFinding } from '../domain/finding.ts'
import { redactKnownSecrets } from '../lib/redact-known-secrets.ts'
import { chooseModels } from '../models/choose-models.ts'
import type { PackedContext } from '../reviewers/packed-context.ts'
import { keepMostSevere } from '../reviewers/parse-findings.ts'
import { promptVersions } from '../reviewers/prompts/prompt-versions.ts'
import type { AnswerStore } from '../work/model-answers.ts'
import type { Selection } from './pack-context.ts'
import { linesOf, type Passage } from './packing/cut-passages.ts'
import { identifyPassages } from './packing/identify-passages.ts'
import { createHeadReader } from './packing/read-head.ts'
import { redactFinding } from './posting/redact-review.ts'
import type { ReviewersOutcome } from './run-reviewers.ts'

/** What a model said about one passage. */
interface KeptAnswer {
  /** The first line of the passage on each side, by which the lines of findings are moved. */
  readonly firstLine: Readonly<Record<DiffSide, number>>
  readonly findings: readonly ProposedFinding[]
  /** It is about the whole part of the change that was read at once. */
  readonly summary: string
}

/** Has the passages with kept answers, which are left out of the rounds. */
export interface KeptAnswers extends Selection {
  /** Keeps the answers of a review of the rest, and adds the kept ones to them. */
  complete(read: {
    readonly context: PackedContext
    readonly outcome: ReviewersOutcome
  }): Promise<ReviewersOutcome>
}

/** The passages of a change, with the answers that are kept for them. */
interface KnownPassages {
  /** Names the model that gave them. */
  readonly model: string
  readonly keys: ReadonlyMap<Passage, string>
  readonly answers: ReadonlyMap<Passage, KeptAnswer>
}

/** The passages of further files have no answers. */
const maxFiles = 500
/** Of earlier answers, the summaries of this many are repeated: those about the most passages. */
const maxSummaries = 2

/** Finds the kept answers that rest on nothing that changed since. The change must have a model. */
export async function findKeptAnswers(
  ctx: ReviewContext,
  change: Change,
  store: AnswerStore,
): Promise<KeptAnswers> {
  const models = chooseModels(ctx.models, change)
  const basis = describeBasis(ctx.config.review, change, models)
  // Not the reader of the packer: what this one reads must not use up the limits of that one.
  const head = createHeadReader(ctx, change, maxFiles)
  const keys = await identifyPassages(change, head, basis)
  const found = (await store.find([...keys.values()])) as ReadonlyMap<string, KeptAnswer>
  const answers = new Map<Passage, KeptAnswer>()
  for (const [passage, key] of keys) {
    const answer = found.get(key)
    const isCurrent = answer?.findings.every(({ citation }) => isCitable(change, citation))
    if (isCurrent) answers.set(passage, answer!)
  }
  const known: KnownPassages = { model: models.main!.name, keys, answers }
  return {
    passages: [...keys.keys()],
    kept: new Set(answers.keys()),
    complete: async ({ context, outcome }) => {
      await keepAnswers(store, known, { context, outcome, secrets: ctx.secrets })
      return addKeptAnswers(outcome, known)
    },
  }
}

/** Describes what all answers of a review rest on. */
function describeBasis(
  { mode, attentionCheck }: ReviewContext['config']['review'],
  { settings, pullRequest, issues, liveContext }: Change,
  { main, fast }: ReviewContext['models'],
): unknown {
  // What was searched for, such as errors and chats, is different each time.
  const requested = liveContext.records.filter(({ key }) => key !== null)
  return [
    // They say what the change is meant to do.
    [pullRequest.title, pullRequest.body],
    issues.map(({ repo, number, title, body }) => [repo, number, title, body]),
    requested.map(({ source, key, title, text }) => [source, key, title, text]),
    promptVersions,
    [main?.name, fast?.name],
    [settings.mode ?? mode, settings.language, attentionCheck],
  ]
}

/** Whether the memory or the record that a finding rests on is still there. */
function isCitable({ graph, liveContext }: Change, citation: Citation | undefined): boolean {
  if (citation === undefined) return true
  if (!isRecordCitation(citation)) return (graph?.memories ?? []).some(isSame(citation, 'id'))
  return liveContext.records.some(
    (record) => isSame(citation, 'source')(record) && isSame(citation, 'key')(record),
  )
}

function isSame<Key extends string, Value>(wanted: Record<Key, Value>, key: Key) {
  return (one: Record<Key, Value>) => one[key] === wanted[key]
}

/**
 * Keeps what the models of a review said about each passage that they have read to the end. Keeps
 * nothing if changed text addresses them: it may have misled them, and may be gone with the next
 * push.
 *
 * @param secrets our own, which are redacted
 */
async function keepAnswers(
  store: AnswerStore,
  { keys, answers }: KnownPassages,
  read: { context: PackedContext; outcome: ReviewersOutcome; secrets: readonly string[] },
): Promise<void> {
  const report = findModelReport(read.outcome)
  if (report === undefined || addressesReviewer(read.outcome)) return
  const unsettled = new Set([...report.unread, ...(report.unsettled ?? [])])
  const wasShown = createShownTest(read.context)
  const settled = [...keys.keys()].filter(
    (passage) => !answers.has(passage) && !unsettled.has(passage.file.path) && wasShown(passage),
  )
  // The text about findings would be repeated after they were fixed.
  const summary = report.findings.length > 0 ? '' : redactKnownSecrets(report.summary, read.secrets)
  const placed = report.findings.map((finding) => ({ finding, ...findPassage(settled, finding) }))
  const findings = Map.groupBy(placed, ({ passage }) => passage)
  const kept = settled.flatMap((passage): [string, KeptAnswer][] => {
    const own = findings.get(passage) ?? []
    // What is said about other lines, or rests on them, may not hold after they change.
    if (own.some(({ finding, distance }) => distance > 0 || !restsOnOnly(passage, finding)))
      return []
    const redacted = own.map(({ finding }) => redactFinding(finding, read.secrets))
    return [
      [keys.get(passage)!, { firstLine: readFirstLines(passage), findings: redacted, summary }],
    ]
  })
  await store.keep(new Map(kept))
}

/** Whether the evidence of a finding is in the passage. */
function restsOnOnly(passage: Passage, { evidence }: ProposedFinding): boolean {
  const numbers = new Set(linesOf(passage).map(({ newLine }) => newLine))
  return evidence.every(({ path, line }) => path === passage.file.path && numbers.has(line))
}

/** Adds kept answers to what the models of a review said now. */
function addKeptAnswers(
  outcome: ReviewersOutcome,
  { answers, model }: KnownPassages,
): ReviewersOutcome {
  const report = findModelReport(outcome)
  if (report === undefined || answers.size === 0) return outcome
  const kept = [...answers].flatMap(([passage, answer]) => moveFindings(passage, answer))
  const bySummary = Map.groupBy(answers.values(), ({ summary }) => summary)
  const summaries = [...bySummary]
    .sort(([, one], [, other]) => other.length - one.length)
    .map(([summary]) => summary)
    .filter((summary) => summary !== '' && summary !== report.summary)
    .slice(0, maxSummaries)
  const merged = {
    ...report,
    findings: keepMostSevere([...report.findings, ...kept]),
    summary: [...summaries, report.summary].filter((summary) => summary !== '').join('\n\n'),
    keptFrom: [model],
  }
  return { ...outcome, reports: outcome.reports.map((one) => (one === report ? merged : one)) }
}

function addressesReviewer({ reports }: ReviewersOutcome): boolean {
  return reports.some(({ findings }) => findings.some(({ rule }) => rule === 'addressed-reviewer'))
}

/** There is one reviewer with models at most; rules and other tools say what they parsed. */
function findModelReport({ reports }: ReviewersOutcome) {
  return reports.find(({ readByRules }) => readByRules === undefined)
}

/** Makes a test whether all changed lines of a passage were shown. */
function createShownTest({ rounds }: PackedContext): (passage: Passage) => boolean {
  const shown = new Set<string>()
  const toKey = (path: string, side: DiffSide, line: number) => `${side} ${line} ${path}`
  for (const { origin, lines = [] } of rounds.flatMap(({ spans }) => spans)) {
    if (origin !== 'diff') continue
    for (const { path, side, start, end } of lines)
      for (let line = start; line <= end; line++) shown.add(toKey(path, side, line))
  }
  return (passage) =>
    linesOf(passage).every(({ kind, oldLine, newLine }) => {
      if (kind === 'context') return true
      const { path } = passage.file
      return shown.has(
        kind === 'added' ? toKey(path, 'RIGHT', newLine!) : toKey(path, 'LEFT', oldLine!),
      )
    })
}

/** Finds the passage that is nearest to a finding; the distance is 0 if it has its first line. */
function findPassage(
  passages: readonly Passage[],
  { path, side, startLine }: ProposedFinding,
): { passage?: Passage; distance: number } {
  const distanceTo = (passage: Passage) => {
    const first = readFirstLines(passage)[side]
    const last = first + linesOf(passage).filter((line) => numberOn(line, side) !== null).length
    return Math.max(first - startLine, startLine - last + 1, 0)
  }
  let nearest: { passage?: Passage; distance: number } = { distance: Infinity }
  for (const passage of passages) {
    const distance = passage.file.path === path ? distanceTo(passage) : Number.MAX_SAFE_INTEGER
    if (distance < nearest.distance) nearest = { passage, distance }
  }
  return nearest
}

function readFirstLines(passage: Passage): KeptAnswer['firstLine'] {
  const first = (side: DiffSide) =>
    linesOf(passage)
      .map((line) => numberOn(line, side))
      .find((number) => number !== null) ?? 0
  return { LEFT: first('LEFT'), RIGHT: first('RIGHT') }
}

function numberOn(
  { oldLine, newLine }: ReturnType<typeof linesOf>[number],
  side: DiffSide,
): number | null {
  return side === 'RIGHT' ? newLine : oldLine
}

/** Moves findings with the lines of their passage. The judge looks for their quotes anyway. */
function moveFindings(passage: Passage, { firstLine, findings }: KeptAnswer): ProposedFinding[] {
  const { path } = passage.file
  const now = readFirstLines(passage)
  return findings.map((finding) => {
    const by = now[finding.side] - firstLine[finding.side]
    const moveEvidence = now.RIGHT - firstLine.RIGHT
    return {
      ...finding,
      startLine: Math.max(1, finding.startLine + by),
      endLine: Math.max(1, finding.endLine + by),
      evidence: finding.evidence.map((item) =>
        item.path === path ? { ...item, line: Math.max(1, item.line + moveEvidence) } : item,
      ),
    }
  })
}
