// Some lines of a diff. The browser lays them out when they come near.
import { memo, type ReactNode } from 'react'
import { Diff, Hunk, type HunkData, type TokenNode } from 'react-diff-view'
import type { DiffChunk } from './diff-chunks.ts'
import type { DiffViewType } from './diff-types.ts'
import type { HighlightedLines } from './highlight-code.ts'

interface DiffChunkProps {
  readonly chunk: DiffChunk
  readonly viewType: DiffViewType
  /** Of a file that is new or gone there is one side only. */
  readonly diffType: 'add' | 'delete' | 'modify'
  /** By the key of the change that they stand below; of the whole file. */
  readonly widgets: Record<string, ReactNode>
  /** Keys of the changes that findings are about. */
  readonly highlightedChanges: string[]
  readonly tokens: HighlightedLines | null
}

const lineHeightPx = 20

export const DiffChunkView = memo(function PieceView({
  chunk: piece,
  viewType: look,
  diffType: kind,
  widgets,
  highlightedChanges: marked,
  tokens: colours,
}: DiffChunkProps) {
  const height = (piece.hunk.changes.length + (piece.heading === null ? 0 : 1)) * lineHeightPx
  return (
    <div className="diff-piece" style={{ containIntrinsicBlockSize: `auto ${height}px` }}>
      {piece.heading !== null && <div className="diff-heading">{piece.heading}</div>}
      <Diff
        viewType={look}
        diffType={kind}
        hunks={[piece.hunk]}
        widgets={widgets}
        selectedChanges={marked}
        tokens={colours}
        renderToken={drawToken}
      >
        {([hunk]) => <Hunk hunk={hunk as HunkData} />}
      </Diff>
    </div>
  )
})

function drawToken(
  token: TokenNode,
  drawDefault: (token: TokenNode, index: number) => ReactNode,
  index: number,
) {
  if (token.type !== 'colour') return drawDefault(token, index)
  return (
    <span key={index} className={token.className}>
      {token.value}
    </span>
  )
}
