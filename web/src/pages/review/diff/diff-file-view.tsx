// One file of a diff, collapsible, with findings below their lines.
import { ChevronDownIcon, ChevronRightIcon } from '@primer/octicons-react'
import { memo, type ReactNode, useMemo, useState } from 'react'
import { getChangeKey } from 'react-diff-view'
import { FindingCard } from '../finding-card.tsx'
import { describeStates } from '../finding-places.ts'
import type { DiffFile, Finding } from '../review-queries.ts'
import { DiffChunkView } from './diff-chunk-view.tsx'
import {
  type DiffChunk,
  escapeInvisibleCharacters,
  findChanges,
  foldDistantLines,
  splitIntoChunks,
} from './diff-chunks.ts'
import type { DiffViewType } from './diff-types.ts'
import { useHighlighting } from './use-highlighting.ts'
import { useIncrementalCount } from './use-incremental-count.ts'

interface DiffFileProps {
  readonly file: DiffFile
  readonly findings: readonly Finding[]
  readonly viewType: DiffViewType
  readonly startsOpen: boolean
  /** Whether the chosen severity leaves none of its findings. */
  readonly isHidden: boolean
  /** Shows few lines around each finding, because there are many. */
  readonly foldsTightly: boolean
}

export const DiffFileView = memo(function DiffFileView({
  file,
  findings,
  viewType,
  startsOpen,
  isHidden,
  foldsTightly,
}: DiffFileProps) {
  const [isOpen, setOpen] = useState(startsOpen)
  const [wasOpen, setWasOpen] = useState(startsOpen)
  const onToggle = (open: boolean) => {
    setOpen(open)
    if (open) setWasOpen(true)
  }
  const corners = isOpen ? 'rounded-t-lg' : 'rounded-lg'
  return (
    <details
      open={isOpen}
      hidden={isHidden}
      onToggle={(event) => onToggle(event.currentTarget.open)}
      className="mb-3 rounded-lg border border-line bg-surface"
    >
      <summary className={`flex items-start gap-x-2 bg-raised px-3 py-1.5 ${corners}`}>
        <span aria-hidden="true" className="mt-0.5 inline-flex text-muted">
          {isOpen ? <ChevronDownIcon /> : <ChevronRightIcon />}
        </span>
        <FileName file={file} />
        <ChangeCounts file={file} findings={findings} isOpen={isOpen} />
      </summary>
      {wasOpen && <DiffFileBody {...{ file, findings, viewType, foldsTightly }} />}
    </details>
  )
})

function FileName({ file: { path, old_path: oldPath } }: { file: DiffFile }) {
  return (
    <span className="min-w-0 flex-1 font-mono text-xs/5">
      {oldPath !== path && (
        <>
          <bdi>{escapeInvisibleCharacters(oldPath)}</bdi> →{' '}
        </>
      )}
      <bdi>{escapeInvisibleCharacters(path)}</bdi>
    </span>
  )
}

/** On a phone, the numbers of lines and the cards of an open file say enough. */
function ChangeCounts({
  file,
  findings,
  isOpen,
}: Pick<DiffFileProps, 'file' | 'findings'> & { isOpen: boolean }) {
  return (
    <span className="flex shrink-0 gap-2 text-xs/5">
      {findings.length > 0 && (
        <strong className={isOpen ? 'hidden sm:inline' : ''}>
          Findings: {describeStates(findings)}
        </strong>
      )}
      {file.status !== 'modified' && <span className="hidden sm:inline">{file.status}</span>}
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
  findings,
  viewType,
  foldsTightly,
}: Omit<DiffFileProps, 'startsOpen' | 'isHidden'>) {
  const lines = useMemo(() => splitIntoChunks(file), [file])
  const { chunks } = lines
  const { widgets, highlighted, unplaced } = useMemo(
    () => placeCards(chunks, findings),
    [chunks, findings],
  )
  const parts = useMemo(
    () => foldDistantLines(chunks, findings, foldsTightly),
    [chunks, findings, foldsTightly],
  )
  const count = useIncrementalCount(parts.length)
  const tokens = useHighlighting(file.path, chunks)
  return (
    <div className="diff-body">
      {describeFile(file).map((note) => (
        <p key={note} className="px-2 py-1 text-muted">
          {note}
        </p>
      ))}
      {unplaced.length > 0 && (
        <div className="space-y-2 p-2">
          <p className="text-muted text-xs">Outside of this diff:</p>
          {unplaced}
        </div>
      )}
      {chunks.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users need focus to scroll it
        // biome-ignore lint/a11y/useSemanticElements: no HTML element fits
        <div role="region" aria-label={`Diff of ${file.path}`} tabIndex={0} className="diff-scroll">
          <div
            className="diff-lines"
            style={{ minWidth: viewType === 'split' ? '90ch' : `${lines.maxLineLength + 16}ch` }}
          >
            {parts.slice(0, count).map((chunk) => (
              <DiffChunkView
                key={`${chunk.hunk.oldStart} ${chunk.hunk.newStart}`}
                chunk={chunk}
                viewType={viewType}
                diffType={diffTypeOf(file)}
                widgets={widgets}
                highlightedChanges={highlighted}
                tokens={tokens}
              />
            ))}
          </div>
        </div>
      )}
      {lines.missingFinalNewline.map((side) => (
        <p key={side} className="px-2 py-1 text-muted text-xs">
          No newline at the end of the {side} file.
        </p>
      ))}
    </div>
  )
}

function diffTypeOf({ status }: DiffFile): 'add' | 'delete' | 'modify' {
  if (status === 'added') return 'add'
  if (status === 'deleted') return 'delete'
  return 'modify'
}

/** Finding cards by change key, and the keys of the changes that they cover. */
function placeCards(chunks: readonly DiffChunk[], findings: readonly Finding[]) {
  const cards = new Map<string, ReactNode[]>()
  const highlighted: string[] = []
  const unplaced: ReactNode[] = []
  for (const finding of findings) {
    const changes = findChanges(chunks, finding)
    const card = (
      <FindingCard
        key={finding.fingerprint}
        finding={finding}
        lines={changes.length === 0 ? null : changes.map(({ content }) => content)}
        showsPlace={changes.length === 0}
      />
    )
    const keys = changes.map(getChangeKey)
    const last = keys.at(-1)
    if (last === undefined) unplaced.push(card)
    else cards.set(last, [...(cards.get(last) ?? []), card])
    highlighted.push(...keys)
  }
  const widgets = Object.fromEntries(
    [...cards].map(([key, cardsBelow]) => [
      key,
      <div key={key} className="diff-finding">
        {cardsBelow}
      </div>,
    ]),
  )
  return { widgets, highlighted, unplaced }
}

/** Notes about the file that its lines do not show. */
function describeFile(file: DiffFile): string[] {
  const { binary, submodule, old_mode: oldMode, new_mode: newMode, hunks, left_out: leftOut } = file
  const isModeChanged = oldMode !== null && newMode !== null && oldMode !== newMode
  const isEmpty = hunks.length === 0 && !binary && leftOut === null
  return [
    ...(submodule ? ['Submodule commit.'] : []),
    ...(isModeChanged ? [`File mode changed from ${oldMode} to ${newMode}.`] : []),
    ...(binary ? ['Binary file not shown.'] : []),
    ...(leftOut === null ? [] : [leftOut]),
    ...(isEmpty ? ['No changed lines.'] : []),
  ]
}
