// One chunk of a diff. The browser lays it out when it is near the viewport.
import { UnfoldIcon } from '@primer/octicons-react'
import { memo, type ReactNode, useMemo, useState } from 'react'
import { Diff, Hunk, type HunkData, type TokenNode } from 'react-diff-view'
import { alignSides, type DiffPart } from './diff-chunks.ts'
import type { DiffViewType } from './diff-types.ts'
import type { HighlightedLines } from './highlight-code.ts'

interface DiffChunkProps {
  readonly chunk: DiffPart
  readonly viewType: DiffViewType
  /** Added and deleted files have only one side. */
  readonly diffType: 'add' | 'delete' | 'modify'
  /** Widgets of the whole file, by the key of the change above them. */
  readonly widgets: Record<string, ReactNode>
  /** Keys of the changes that have findings. */
  readonly highlightedChanges: string[]
  readonly tokens: HighlightedLines | null
}

const lineHeightPx = 20

export const DiffChunkView = memo(function DiffChunkView({
  chunk,
  viewType,
  diffType,
  widgets,
  highlightedChanges,
  tokens,
}: DiffChunkProps) {
  const [isFolded, setFolded] = useState(chunk.isFolded)
  const hunk = useMemo(
    () => (viewType === 'split' ? alignSides(chunk.hunk) : chunk.hunk),
    [chunk, viewType],
  )
  if (isFolded)
    return (
      <button type="button" className="diff-fold" onClick={() => setFolded(false)}>
        <UnfoldIcon size={12} /> Show {chunk.hunk.changes.length} lines
      </button>
    )
  const height = (chunk.hunk.changes.length + (chunk.heading === null ? 0 : 1)) * lineHeightPx
  return (
    <div className="diff-chunk" style={{ containIntrinsicBlockSize: `auto ${height}px` }}>
      {chunk.heading !== null && <div className="diff-heading">{chunk.heading}</div>}
      <Diff
        viewType={viewType}
        diffType={diffType}
        hunks={[hunk]}
        widgets={widgets}
        selectedChanges={highlightedChanges}
        tokens={tokens}
        renderToken={renderToken}
      >
        {([hunk]) => <Hunk hunk={hunk as HunkData} />}
      </Diff>
    </div>
  )
})

function renderToken(
  token: TokenNode,
  renderDefault: (token: TokenNode, index: number) => ReactNode,
  index: number,
) {
  if (token.type !== 'color') return renderDefault(token, index)
  return (
    <span key={index} className={token.className}>
      {token.value}
    </span>
  )
}
