// All files of a diff. Files with findings and short files are open at first.
import { useMemo } from 'react'
import { EmptyState } from '../../../components/page-states.tsx'
import type { DiffFile, Finding, ReviewDiff } from '../review-queries.ts'
import { DiffFileView } from './diff-file-view.tsx'
import type { DiffViewType } from './diff-types.ts'
import './diff.css'

/** Limit for the total number of lines that are open at first. */
const maxInitialLines = 1500
/** Longer files without findings are closed at first. */
const maxInitialFileLines = 400

interface DiffViewProps {
  readonly diff: ReviewDiff
  readonly findings: readonly Finding[]
  readonly viewType: DiffViewType
}

export function DiffView({ diff, findings, viewType }: DiffViewProps) {
  const files = useMemo(() => arrangeFiles(diff.files, findings), [diff, findings])
  if (diff.files.length === 0)
    return <EmptyState title="No changed files">Head and base are identical.</EmptyState>
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
      {files.map(({ file, isOpen, fileFindings }) => (
        <DiffFileView
          key={`${file.status} ${file.path}`}
          file={file}
          findings={fileFindings}
          viewType={viewType}
          startsOpen={isOpen}
        />
      ))}
    </>
  )
}

/** Assigns findings to files and decides which files are open at first. */
function arrangeFiles(files: readonly DiffFile[], findings: readonly Finding[]) {
  const visible = findings
    .map((finding, index) => ({ finding, index }))
    // Resolved findings belong to an earlier commit.
    .filter(({ finding }) => finding.state !== 'resolved')
  let remainingLines = maxInitialLines
  const arranged = files.map((file) => {
    const fileFindings = visible.filter(({ finding: { path } }) => path === file.path)
    const lines = countLines(file)
    if (fileFindings.length > 0) remainingLines -= lines
    return { file, fileFindings, lines }
  })
  return arranged.map(({ file, fileFindings, lines }) => {
    if (fileFindings.length > 0) return { file, fileFindings, isOpen: true }
    const isOpen = lines <= maxInitialFileLines && lines <= remainingLines
    if (isOpen) remainingLines -= lines
    return { file, fileFindings, isOpen }
  })
}

function countLines({ hunks }: DiffFile): number {
  return hunks.reduce((sum, { lines }) => sum + lines.length, 0)
}
