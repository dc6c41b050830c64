// Updates of inline comments when the diff changes.
import {
  type Comparison,
  compareCommits,
  lineMovements,
  mapLine,
  resolveAnchor,
} from './comparison.ts'
import type { InlineComment, PullRequest, Repository } from './entities.ts'

/** Finds the inline comments' lines in the current diff. A changed or removed line becomes null. */
export async function moveInlineComments(pull: PullRequest): Promise<void> {
  const comparison = await compareCommits(pull.repository, pull.baseSha, pull.headSha)
  for (const comment of pull.inlineComments) {
    comment.current = await currentAnchor(pull.repository, comparison, comment)
    comment.commitId = comment.current === null ? comment.originalCommitId : pull.headSha
  }
}

async function currentAnchor(
  repository: Repository,
  comparison: Comparison,
  comment: InlineComment,
): Promise<InlineComment['current']> {
  const { original } = comment
  const onBase = original.side === 'LEFT'
  const from = onBase ? comment.originalMergeBase : comment.originalCommitId
  const movements = await lineMovements(
    repository,
    from,
    onBase ? comparison.mergeBase : comparison.head,
  )
  const hunks = movements.get(original.path) ?? []
  if (hunks === 'gone') return null
  const line = mapLine(hunks, original.line)
  if (line === null) return null
  const anchor = resolveAnchor(comparison, {
    path: original.path,
    side: original.side,
    line,
    startSide: null,
    startLine: null,
  })
  if (typeof anchor === 'string') return null
  const sameSide = original.startLine !== null && original.startSide === original.side
  const startLine = sameSide ? mapLine(hunks, original.startLine!) : original.startLine
  return { line, startLine, position: anchor.position }
}
