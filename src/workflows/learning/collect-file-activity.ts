// Collects the file activity of a change for the record of its review, as bounded, storable text.
import type { AppContext } from '../../context.ts'
import { toStorableText } from '../../contract/storable-text.ts'
import type { Change } from '../../domain/change.ts'
import type { FileDiff } from '../../domain/diff.ts'
import type {
  FileActivity,
  PullRequestActivity,
} from '../../knowledge/file-activity/save-file-activity.ts'
import { findNamedIssues } from '../gathering/gather-background.ts'

const maxFiles = 3000
const maxSymbols = 100
const maxIssues = 50
/** Longer paths don't fit a database index, whose rows are at most a third of a page. */
const maxPathBytes = 1500
const maxSymbolLength = 200

/** Returns the file activity of a change; null if code graphs are off. */
export function collectFileActivity(
  ctx: Pick<AppContext, 'platform' | 'config'>,
  change: Change,
): PullRequestActivity | null {
  if (!ctx.config.graph.enabled) return null
  const symbolsOf = Map.groupBy(change.graph?.symbols ?? [], ({ path }) => path)
  const files = new Map<string, FileActivity>()
  for (const file of change.diff.files) {
    if (files.size >= maxFiles) break
    const path = toStorableText(file.path)
    // A file that changed its type is listed as deleted and as added.
    const known = files.get(path)
    const names = (symbolsOf.get(file.path) ?? []).map(({ name }) =>
      toStorableText(name.slice(0, maxSymbolLength)),
    )
    const activity = describeFileActivity(file, path, [...new Set(names)].slice(0, maxSymbols))
    if (Buffer.byteLength(path) <= maxPathBytes)
      files.set(path, known === undefined ? activity : mergeFileActivity(known, activity))
  }
  const issues = findNamedIssues(ctx, change.pullRequest, change.commits).slice(0, maxIssues)
  return { files: [...files.values()], issues }
}

function describeFileActivity(
  file: FileDiff,
  path: string,
  symbols: readonly string[],
): FileActivity {
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

function mergeFileActivity(one: FileActivity, other: FileActivity): FileActivity {
  const additions = one.additions + other.additions
  return { ...one, status: 'modified', additions, deletions: one.deletions + other.deletions }
}
