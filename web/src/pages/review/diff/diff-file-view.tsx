// One file of a diff: its name, folded or open, and its lines with what was found on them.
import { memo, type ReactNode, useMemo, useState } from 'react'
import { getChangeKey } from 'react-diff-view'
import { FindingCard } from '../finding-card.tsx'
import { findingElementId } from '../findings-panel.tsx'
import type { DiffFile } from '../review-queries.ts'
import { DiffChunkView } from './diff-chunk-view.tsx'
import {
  type DiffChunk,
  escapeInvisibleCharacters,
  findChanges,
  splitIntoChunks,
} from './diff-chunks.ts'
import type { DiffViewType, IndexedFinding } from './diff-types.ts'
import { useHighlighting } from './use-highlighting.ts'
import { useIncrementalCount } from './use-incremental-count.ts'

interface DiffFileProps {
  readonly file: DiffFile
  readonly findings: readonly IndexedFinding[]
  readonly viewType: DiffViewType
  readonly startsOpen: boolean
}

export const DiffFileView = memo(function DiffFileView({
  file,
  findings: found,
  viewType: look,
  startsOpen,
}: DiffFileProps) {
  const [isOpen, setOpen] = useState(startsOpen)
  const [wasOpen, setWasOpen] = useState(startsOpen)
  const onToggle = (open: boolean) => {
    setOpen(open)
    if (open) setWasOpen(true)
  }
  return (
    <details
      open={isOpen}
      onToggle={(event) => onToggle(event.currentTarget.open)}
      className="mb-2 rounded-md border border-line"
    >
      <summary className="flex flex-wrap items-center gap-x-2 rounded-md bg-raised px-2 py-1.5">
        <span aria-hidden="true" className="text-muted">
          {isOpen ? '▾' : '▸'}
        </span>
        <FileName file={file} />
        <ChangeCounts file={file} findings={found.length} />
      </summary>
      {wasOpen && <DiffFileBody file={file} findings={found} viewType={look} />}
    </details>
  )
})

function FileName({ file: { path, old_path: oldPath } }: { file: DiffFile }) {
  return (
    <span className="min-w-0 font-mono text-xs">
      {oldPath !== path && (
        <>
          <bdi>{escapeInvisibleCharacters(oldPath)}</bdi> →{' '}
        </>
      )}
      <bdi>{escapeInvisibleCharacters(path)}</bdi>
    </span>
  )
}

function ChangeCounts({ file, findings }: { file: DiffFile; findings: number }) {
  return (
    <span className="ml-auto flex gap-2 text-xs">
      {findings > 0 && (
        <strong>
          {findings} {findings === 1 ? 'finding' : 'findings'}
        </strong>
      )}
      {file.status !== 'modified' && <span>{file.status}</span>}
      {!file.binary && (
        <>
          <span className="text-good tabular-nums">+{file.additions}</span>
          <span className="text-bad tabular-nums">−{file.deletions}</span>
        </>
      )}
    </span>
  )
}

function DiffFileBody({
  file,
  findings: found,
  viewType: look,
}: Pick<DiffFileProps, 'file' | 'findings' | 'viewType'>) {
  const lines = useMemo(() => splitIntoChunks(file), [file])
  const { chunks: pieces } = lines
  const { widgets, marked, unplaced } = useMemo(() => placeFindings(pieces, found), [pieces, found])
  const count = useIncrementalCount(pieces.length)
  const colours = useHighlighting(file.path, pieces)
  const kind = file.status === 'added' ? 'add' : file.status === 'deleted' ? 'delete' : 'modify'
  return (
    <div className="diff-body">
      {describeFile(file).map((words) => (
        <p key={words} className="px-2 py-1 text-muted">
          {words}
        </p>
      ))}
      {unplaced.length > 0 && (
        <div className="space-y-2 p-2">
          <p className="text-muted text-xs">On no line of this diff:</p>
          {unplaced}
        </div>
      )}
      {pieces.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls it too
        // biome-ignore lint/a11y/useSemanticElements: there is none for a part of a list
        <div role="region" aria-label={`Diff of ${file.path}`} tabIndex={0} className="diff-scroll">
          <div
            className="diff-lines"
            style={{ minWidth: look === 'split' ? '90ch' : `${lines.maxLineLength + 16}ch` }}
          >
            {pieces.slice(0, count).map((piece) => (
              <DiffChunkView
                key={`${piece.hunk.oldStart} ${piece.hunk.newStart}`}
                chunk={piece}
                viewType={look}
                diffType={kind}
                widgets={widgets}
                highlightedChanges={marked}
                tokens={colours}
              />
            ))}
          </div>
        </div>
      )}
      {lines.missingFinalNewline.map((side) => (
        <p key={side} className="px-2 py-1 text-muted text-xs">
          The {side} file has no newline at its end.
        </p>
      ))}
    </div>
  )
}

/** Findings by the line below which they stand, and the lines that they are about. */
function placeFindings(pieces: readonly DiffChunk[], found: readonly IndexedFinding[]) {
  const cards = new Map<string, ReactNode[]>()
  const marked: string[] = []
  const unplaced: ReactNode[] = []
  for (const { finding, index } of found) {
    const card = <FindingCard key={index} finding={finding} id={findingElementId(index)} />
    const keys = findChanges(pieces, finding).map(getChangeKey)
    const last = keys.at(-1)
    if (last === undefined) unplaced.push(card)
    else cards.set(last, [...(cards.get(last) ?? []), card])
    marked.push(...keys)
  }
  const widgets = Object.fromEntries(
    [...cards].map(([key, here]) => [
      key,
      <div key={key} className="diff-finding">
        {here}
      </div>,
    ]),
  )
  return { widgets, marked, unplaced }
}

/** What there is to say instead of lines, or beside them. */
function describeFile(file: DiffFile): string[] {
  const { binary, submodule, old_mode: oldMode, new_mode: newMode, hunks, left_out: leftOut } = file
  const isModeChanged = oldMode !== null && newMode !== null && oldMode !== newMode
  const isBare = hunks.length === 0 && !binary && leftOut === null
  return [
    ...(submodule ? ['A submodule: the commit that it points to.'] : []),
    ...(isModeChanged ? [`The mode changes from ${oldMode} to ${newMode}.`] : []),
    ...(binary ? ['A binary file.'] : []),
    ...(leftOut === null ? [] : [leftOut]),
    ...(isBare ? ['No line differs.'] : []),
  ]
}
