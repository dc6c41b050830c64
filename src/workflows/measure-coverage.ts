// Measures which changed lines were read, by models or by rules.

import type { Change, ReadingNeeds } from '../domain/change.ts'
import { isReviewedByRulesOnly } from '../domain/repository-settings.ts'
import type { Coverage, LineCoverage, SkippedFile } from '../domain/review.ts'
import type { PackedContext } from '../reviewers/packed-context.ts'
import { isExcludedBySettings } from './gathering/triage-files.ts'
import type { Judgment } from './judge-findings.ts'
import type { ReviewersOutcome } from './run-reviewers.ts'

interface FileCoverage {
  readonly path: string
  /** The four numbers add up to the changed lines of the file. */
  readonly lines: Omit<LineCoverage, 'changed'>
  /** Says why lines are unread. Undefined if all lines were read. */
  readonly reason: string | undefined
}

/** The paths that reviewers read. */
interface Readings {
  /** If a model took part, rules don't make up for what it did not read. */
  readonly hasModel: boolean
  readonly byModel: ReadonlySet<string>
  readonly byRules: ReadonlySet<string>
  readonly textOnly: ReadonlyMap<string, string>
  /** Changed lines that were in no round of the context. */
  readonly omitted: ReadonlyMap<string, { readonly lines: number; readonly reason: string }>
}

export function measureCoverage(
  change: Change,
  context: PackedContext,
  outcome: ReviewersOutcome,
  judgment: Judgment,
): Coverage {
  const { reports, failures } = outcome
  const files = measureFiles(change, collectReadings(change, context, outcome))
  const unread = files.flatMap(({ path, reason, lines }): SkippedFile[] =>
    reason === undefined ? [] : [{ path, reason, matters: true, lines: lines.unread }],
  )
  const skipped = [...change.skipped, ...unread]
  const dropped = Object.entries(judgment.dropped).filter(
    ([reason]) => reason !== 'duplicate' && reason !== 'answered',
  )
  const isDraft = isReviewedByRulesOnly(change.pullRequest, change.settings)
  return {
    filesTotal: countFilesToReview(change),
    filesReviewed: files.length - unread.length,
    lines: sumLines(files),
    skipped,
    notes: [
      ...change.notes,
      ...change.diff.problems,
      ...change.earlier.notes,
      ...reports.flatMap((report) => report.notes),
      ...judgment.notes,
      ...failures.map(({ publicMessage }) => `The configured model took no part. ${publicMessage}`),
      ...dropped.map(([reason, count]) => `${count} proposed finding(s) dropped: ${reason}.`),
    ],
    setAside: judgment.rejected,
    isDraft,
    complete:
      failures.length === 0 &&
      reports.every((report) => report.readByRules !== undefined || report.complete) &&
      change.diff.problems.length === 0 &&
      !isDraft &&
      !skipped.some((file) => file.matters),
  }
}

/** Counts the files that the settings don't exclude, also those without a diff. */
function countFilesToReview({ diff, skipped }: Change): number {
  const inDiff = new Set(diff.files.map(({ path }) => path))
  const withoutDiff = skipped.filter(({ path }) => !inDiff.has(path))
  return inDiff.size + withoutDiff.length - skipped.filter(isExcludedBySettings).length
}

function collectReadings(
  { files }: Change,
  { omitted }: PackedContext,
  { reports }: ReviewersOutcome,
): Readings {
  const ofRules = reports.filter(({ readByRules }) => readByRules !== undefined)
  const ofModels = reports.filter(({ readByRules }) => readByRules === undefined)
  const unread = new Set(ofModels.flatMap((report) => report.unread))
  const read = ofModels.length > 0 ? files.filter(({ path }) => !unread.has(path)) : []
  return {
    hasModel: ofModels.length > 0,
    byModel: new Set(read.map(({ path }) => path)),
    byRules: new Set(ofRules.flatMap(({ readByRules }) => readByRules ?? [])),
    textOnly: new Map(
      ofRules.flatMap(({ textOnly }) => textOnly ?? []).map(({ path, reason }) => [path, reason]),
    ),
    omitted: new Map(omitted.map(({ path, lines, reason }) => [path, { lines, reason }])),
  }
}

function measureFiles({ files, exemptFiles, needs }: Change, readings: Readings): FileCoverage[] {
  const none: ReadingNeeds = { changed: 0, program: 0 }
  // A file that became a symbolic link, or the reverse, is in a diff twice.
  const forAll = new Set(files.map(({ path }) => path))
  const forRules = new Set(exemptFiles.map(({ file }) => file.path)).difference(forAll)
  const measure = (needsModel: boolean) => (path: string) =>
    measureFile(path, needs.get(path) ?? none, readings, needsModel)
  return [...[...forAll].map(measure(readings.hasModel)), ...[...forRules].map(measure(false))]
}

/**
 * Program code must be read by the model if one takes part and the file isn't exempt, or else by
 * the rules of its language. For other text a search is enough, and every file gets one.
 */
function measureFile(
  path: string,
  { changed, program }: ReadingNeeds,
  { byModel, byRules, textOnly, omitted }: Readings,
  needsModel: boolean,
): FileCoverage {
  const shown = changed - (omitted.get(path)?.lines ?? 0)
  const model = byModel.has(path) ? Math.max(0, shown) : 0
  const rules = byRules.has(path) && !textOnly.has(path) ? changed - model : 0
  const unread = Math.max(0, program - (needsModel ? model : rules))
  const byRulesOnly = Math.min(rules, changed - model - unread)
  const lines = { model, rules: byRulesOnly, text: changed - model - byRulesOnly - unread, unread }
  if (unread === 0) return { path, lines, reason: undefined }
  return {
    path,
    lines,
    reason: omitted.get(path)?.reason ?? textOnly.get(path) ?? 'no model read it to the end',
  }
}

function sumLines(files: readonly FileCoverage[]): LineCoverage {
  const sum = (key: keyof FileCoverage['lines']) =>
    files.reduce((total, { lines }) => total + lines[key], 0)
  const [model, rules, text, unread] = [sum('model'), sum('rules'), sum('text'), sum('unread')]
  return { changed: model + rules + text + unread, model, rules, text, unread }
}
