// All files of a diff. Files with findings are open at first, and short files if there are none.
import { useMemo } from 'react'
import { EmptyState } from '../../../components/page-states.tsx'
import { useFindingNavigation } from '../finding-navigation.tsx'
import type { FindingPlaces } from '../finding-places.ts'
import type { DiffFile, ReviewDiff } from '../review-queries.ts'
import { DiffFileView } from './diff-file-view.tsx'
import type { DiffViewType } from './diff-types.ts'
import './diff.css'

/** Limit for the total number of lines that are open at first, where there are no findings. */
const maxInitialLines = 800
/** Longer files are closed at first. */
const maxInitialFileLines = 400

const manyFindings = 20

interface DiffViewProps {
  readonly diff: ReviewDiff
  readonly places: FindingPlaces
  readonly viewType: DiffViewType
}

export function DiffView({ diff, places, viewType }: DiffViewProps) {
  const { severity, isShown } = useFindingNavigation()
  const files = useMemo(() => arrangeFiles(places), [places])
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
      {files.map(({ file, isOpen, findings }) => (
        <DiffFileView
          key={`${file.status} ${file.path}`}
          file={file}
          findings={findings}
          viewType={viewType}
          startsOpen={isOpen}
          isHidden={severity !== null && !findings.some(isShown)}
          foldsTightly={places.inOrder.length > manyFindings}
        />
      ))}
    </>
  )
}

/** Decides which files are open at first. */
function arrangeFiles({ files }: FindingPlaces) {
  const hasFindings = files.some(({ findings }) => findings.length > 0)
  let remainingLines = hasFindings ? 0 : maxInitialLines
  return files.map(({ file, findings }) => {
    const lines = countLines(file)
    if (findings.length > 0) return { file, findings, isOpen: true }
    const isOpen = lines <= maxInitialFileLines && lines <= remainingLines
    if (isOpen) remainingLines -= lines
    return { file, findings, isOpen }
  })
}

function countLines({ hunks }: DiffFile): number {
  return hunks.reduce((sum, { lines }) => sum + lines.length, 0)
}
