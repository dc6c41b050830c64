// The diff that was reviewed, with the findings on their lines.
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import type { ReviewDetail } from '../../api/queries.ts'
import { useApi } from '../../api/use-api.ts'
import { Button } from '../../components/button.tsx'
import { Panel } from '../../components/page.tsx'
import { Failure, Skeleton } from '../../components/states.tsx'
import type { DiffLook } from './diff/diff-look.ts'
import { reviewDiffQuery } from './queries.ts'

const DiffView = lazy(async () => ({ default: (await import('./diff/diff-view.tsx')).DiffView }))

const storageKey = 'umpire-diff-look'

export function DiffPanel({ review }: { review: ReviewDetail }) {
  const { data, error, refetch } = useQuery(reviewDiffQuery(useApi(), review))
  const [look, setLook] = useState<DiffLook>(
    localStorage.getItem(storageKey) === 'split' ? 'split' : 'unified',
  )
  const choose = (chosen: DiffLook) => {
    localStorage.setItem(storageKey, chosen)
    setLook(chosen)
  }
  return (
    <div id="diff" tabIndex={-1}>
      <Panel title="Changes" aside={<LookSwitch look={look} onChoose={choose} />}>
        {error && <Failure error={error} onRetry={refetch} />}
        {!error && data === undefined && <WaitingDiff />}
        {data && (
          <Suspense fallback={<WaitingDiff />}>
            <DiffView diff={data} findings={review.findings} look={look} />
          </Suspense>
        )}
      </Panel>
    </div>
  )
}

const looks = [
  ['unified', 'Unified'],
  ['split', 'Side by side'],
] as const

function LookSwitch({ look, onChoose }: { look: DiffLook; onChoose: (look: DiffLook) => void }) {
  return (
    <div className="flex gap-1">
      {looks.map(([id, name]) => (
        <Button
          key={id}
          aria-pressed={look === id}
          className="aria-pressed:bg-raised"
          onClick={() => onChoose(id)}
        >
          {name}
        </Button>
      ))}
    </div>
  )
}

function WaitingDiff() {
  return (
    <div role="status">
      <span className="sr-only">Loading the diff …</span>
      <Skeleton className="mb-2 h-10" />
      <Skeleton className="h-96" />
    </div>
  )
}
