// All files of a diff. Those with findings are open, and others as long as they are short.
import { useMemo } from 'react'
import { EmptyState } from '../../../components/page-states.tsx'
import type { DiffFile, Finding, ReviewDiff } from '../review-queries.ts'
import { DiffFileView } from './diff-file-view.tsx'
import type { DiffViewType } from './diff-types.ts'
import './diff.css'

/** So many lines are open at first. */
const maxInitialLines = 1500
/** A longer file without findings is closed at first. */
const maxInitialFileLines = 400

interface DiffViewProps {
  readonly diff: ReviewDiff
  readonly findings: readonly Finding[]
  readonly viewType: DiffViewType
}

export function DiffView({ diff, findings, viewType: look }: DiffViewProps) {
  const files = useMemo(() => arrangeFiles(diff.files, findings), [diff, findings])
  if (diff.files.length === 0)
    return <EmptyState title="No file differs">Head and base are the same.</EmptyState>
  return (
    <>
      <p className="mb-2 text-muted">
        {diff.files.length} {diff.files.length === 1 ? 'file' : 'files'}, from{' '}
        <code title={diff.base_sha}>{diff.base_sha.slice(0, 7)}</code> to{' '}
        <code title={diff.head_sha}>{diff.head_sha.slice(0, 7)}</code>
      </p>
      {diff.notes.map((note) => (
        <p key={note} className="mb-2 text-warn">
          {note}
        </p>
      ))}
      {files.map(({ file, isOpen, found }) => (
        <DiffFileView
          key={`${file.status} ${file.path}`}
          file={file}
          findings={found}
          viewType={look}
          startsOpen={isOpen}
        />
      ))}
    </>
  )
}

/** Which findings stand in which file, and which files are open at first. */
function arrangeFiles(files: readonly DiffFile[], findings: readonly Finding[]) {
  const shown = findings
    .map((finding, index) => ({ finding, index }))
    // What is resolved stood in an earlier commit.
    .filter(({ finding }) => finding.state !== 'resolved')
  let room = maxInitialLines
  const arranged = files.map((file) => {
    const found = shown.filter(({ finding: { path } }) => path === file.path)
    const lines = countLines(file)
    if (found.length > 0) room -= lines
    return { file, found, lines }
  })
  return arranged.map(({ file, found, lines }) => {
    if (found.length > 0) return { file, found, isOpen: true }
    const isOpen = lines <= maxInitialFileLines && lines <= room
    if (isOpen) room -= lines
    return { file, found, isOpen }
  })
}

function countLines({ hunks }: DiffFile): number {
  return hunks.reduce((sum, { lines }) => sum + lines.length, 0)
}
