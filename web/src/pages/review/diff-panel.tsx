// Panel with the reviewed diff and its findings.
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import type { ReviewDetail } from '../../api/shared-queries.ts'
import { useApi } from '../../api/use-api.ts'
import { Button } from '../../components/button.tsx'
import { Panel } from '../../components/page.tsx'
import { ErrorAlert, Skeleton } from '../../components/page-states.tsx'
import type { DiffViewType } from './diff/diff-types.ts'
import { reviewDiffQuery } from './review-queries.ts'

const DiffView = lazy(async () => ({ default: (await import('./diff/diff-view.tsx')).DiffView }))

const storageKey = 'umpire-diff-look'

export function DiffPanel({ review }: { review: ReviewDetail }) {
  const { data, error, refetch } = useQuery(reviewDiffQuery(useApi(), review))
  const [viewType, setViewType] = useState<DiffViewType>(
    localStorage.getItem(storageKey) === 'split' ? 'split' : 'unified',
  )
  const choose = (chosen: DiffViewType) => {
    localStorage.setItem(storageKey, chosen)
    setViewType(chosen)
  }
  return (
    <div id="diff" tabIndex={-1}>
      <Panel title="Changes" aside={<ViewTypeSwitch viewType={viewType} onChoose={choose} />}>
        {error && <ErrorAlert error={error} onRetry={refetch} />}
        {!error && data === undefined && <DiffSkeleton />}
        {data && (
          <Suspense fallback={<DiffSkeleton />}>
            <DiffView diff={data} findings={review.findings} viewType={viewType} />
          </Suspense>
        )}
      </Panel>
    </div>
  )
}

const viewTypes = [
  ['unified', 'Unified'],
  ['split', 'Split'],
] as const

function ViewTypeSwitch({
  viewType,
  onChoose,
}: {
  viewType: DiffViewType
  onChoose: (viewType: DiffViewType) => void
}) {
  return (
    <div className="flex gap-1">
      {viewTypes.map(([id, name]) => (
        <Button
          key={id}
          aria-pressed={viewType === id}
          className="aria-pressed:bg-raised"
          onClick={() => onChoose(id)}
        >
          {name}
        </Button>
      ))}
    </div>
  )
}

function DiffSkeleton() {
  return (
    <div role="status">
      <span className="sr-only">Loading diff …</span>
      <Skeleton className="mb-2 h-10" />
      <Skeleton className="h-96" />
    </div>
  )
}
