// Some lines of a diff. The browser lays them out when they come near.
import { memo, type ReactNode } from 'react'
import { Diff, Hunk, type HunkData, type TokenNode } from 'react-diff-view'
import type { Colours } from './colour-code.ts'
import type { DiffLook } from './diff-look.ts'
import type { Piece } from './lines.ts'

interface PieceProps {
  readonly piece: Piece
  readonly look: DiffLook
  /** Of a file that is new or gone there is one side only. */
  readonly kind: 'add' | 'delete' | 'modify'
  /** By the key of the change that they stand below; of the whole file. */
  readonly widgets: Record<string, ReactNode>
  /** Keys of the changes that findings are about. */
  readonly marked: string[]
  readonly colours: Colours | null
}

const lineHeight = 20

export const PieceView = memo(function PieceView({
  piece,
  look,
  kind,
  widgets,
  marked,
  colours,
}: PieceProps) {
  const height = (piece.hunk.changes.length + (piece.heading === null ? 0 : 1)) * lineHeight
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
