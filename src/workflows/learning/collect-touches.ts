// Collects what a gathered change touches, for the record of its review: as text that a database takes, and not too much of it.
import type { AppContext } from '../../context.ts'
import { toStorableText } from '../../contract/storable-text.ts'
import type { FileDiff } from '../../domain/diff.ts'
import type {
  FileActivity,
  PullRequestActivity,
} from '../../knowledge/file-activity/save-file-activity.ts'
import type { Change } from '../../reviewers/reviewer.ts'
import { findNamedIssues } from '../gathering/gather-background.ts'

const mostFiles = 3000
const mostSymbols = 100
const mostIssues = 50
/** Bytes: indexes take no more than a third of a page. Nobody names files so. */
const longestPath = 1500
const longestSymbol = 200

/** What a change touches; null where no graph is kept. */
export function collectTouches(
  ctx: Pick<AppContext, 'platform' | 'config'>,
  change: Change,
): PullRequestActivity | null {
  if (!ctx.config.graph.enabled) return null
  const symbolsOf = Map.groupBy(change.graph?.symbols ?? [], ({ path }) => path)
  const files = new Map<string, FileActivity>()
  for (const file of change.diff.files) {
    if (files.size >= mostFiles) break
    const path = toStorableText(file.path)
    // One that became another type is deleted and added.
    const known = files.get(path)
    const names = (symbolsOf.get(file.path) ?? []).map(({ name }) =>
      toStorableText(name.slice(0, longestSymbol)),
    )
    const touch = describeTouch(file, path, [...new Set(names)].slice(0, mostSymbols))
    if (Buffer.byteLength(path) <= longestPath)
      files.set(path, known === undefined ? touch : addTouches(known, touch))
  }
  const issues = findNamedIssues(ctx, change.pullRequest, change.commits).slice(0, mostIssues)
  return { files: [...files.values()], issues }
}

function describeTouch(file: FileDiff, path: string, symbols: readonly string[]): FileActivity {
  const previousPath = toStorableText(file.oldPath)
  const { status, additions, deletions } = file
  return {
    path,
    previousPath: previousPath === path ? null : previousPath,
    status,
    additions,
    deletions,
    symbols,
  }
}

function addTouches(one: FileActivity, other: FileActivity): FileActivity {
  const additions = one.additions + other.additions
  return { ...one, status: 'modified', additions, deletions: one.deletions + other.deletions }
}
