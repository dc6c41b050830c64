// The findings of a review in its diff, with a list of them next to it.
import { useQuery } from '@tanstack/react-query'
import { CatchBoundary } from '@tanstack/react-router'
import { lazy, Suspense, useMemo, useState, useSyncExternalStore } from 'react'
import type { ReviewDetail } from '../../api/shared-queries.ts'
import { useApi } from '../../api/use-api.ts'
import { Panel } from '../../components/page.tsx'
import { ErrorAlert, PartError, Skeleton } from '../../components/page-states.tsx'
import { TextWithCode } from '../../components/text-with-code.tsx'
import { loadPart } from '../../load-part.ts'
import type { DiffViewType } from './diff/diff-types.ts'
import { FindingCard } from './finding-card.tsx'
import { FindingNavigationProvider } from './finding-navigation.tsx'
import { type FindingPlaces, placeFindings } from './finding-places.ts'
import { FindingsOutline } from './findings-outline.tsx'
import { FindingsToolbar } from './findings-toolbar.tsx'
import { reviewDiffQuery } from './review-queries.ts'

const loadDiffView = loadPart(() => import('./diff/diff-view.tsx'))
const DiffView = lazy(async () => ({ default: (await loadDiffView()).DiffView }))

const storageKey = 'umpire-diff-look'

export function ChangesSection({
  review,
  followVerdict,
}: {
  review: ReviewDetail
  followVerdict: (id: number) => void
}) {
  const { data: diff, error, refetch } = useQuery(reviewDiffQuery(useApi(), review))
  const [viewType, chooseView] = useViewType()
  const { findings } = review
  const places = useMemo(() => placeFindings(review, diff), [review, diff])
  const isLoading = diff === undefined && error === null
  return (
    <FindingNavigationProvider
      review={review}
      inOrder={isLoading ? [] : places.inOrder}
      followVerdict={followVerdict}
    >
      <FindingsToolbar places={places} viewType={viewType} onChooseView={chooseView} />
      <div className={places.inOrder.length > 0 ? 'review-columns' : ''}>
        {places.inOrder.length > 0 && (
          <div className="review-outline">
            {isLoading ? <Skeleton className="h-40" /> : <FindingsOutline places={places} />}
          </div>
        )}
        <div id="diff" tabIndex={-1} className="min-w-0 outline-none">
          {findings.length === 0 && (
            <p className="mb-3 text-muted">
              No findings. See Coverage below for what was reviewed.
            </p>
          )}
          {isLoading ? <DiffSkeleton /> : <FindingsElsewhere places={places} />}
          {error && <ErrorAlert error={error} onRetry={refetch} />}
          {diff && (
            <CatchBoundary getResetKey={() => diff.head_sha} errorComponent={PartError}>
              <Suspense fallback={<DiffSkeleton />}>
                <DiffView diff={diff} places={places} viewType={viewType} />
              </Suspense>
            </CatchBoundary>
          )}
          <ResolvedFindings places={places} />
        </div>
      </div>
    </FindingNavigationProvider>
  )
}

/** Two columns of code need some width. */
const wideScreen = matchMedia('(min-width: 48rem)')

function onWidthChange(notify: () => void): () => void {
  wideScreen.addEventListener('change', notify)
  return () => wideScreen.removeEventListener('change', notify)
}

function useViewType(): [DiffViewType, (chosen: DiffViewType) => void] {
  const [viewType, setViewType] = useState<DiffViewType>(
    localStorage.getItem(storageKey) === 'split' ? 'split' : 'unified',
  )
  const choose = (chosen: DiffViewType) => {
    localStorage.setItem(storageKey, chosen)
    setViewType(chosen)
  }
  const isWide = useSyncExternalStore(onWidthChange, () => wideScreen.matches)
  return [isWide ? viewType : 'unified', choose]
}

function FindingsElsewhere({ places: { elsewhere, files } }: { places: FindingPlaces }) {
  if (elsewhere.length === 0) return null
  return (
    <Panel title={files.length === 0 ? 'Without the diff' : 'Outside of the diff'}>
      <div className="space-y-2">
        {elsewhere.map((finding) => (
          <FindingCard key={finding.fingerprint} finding={finding} lines={null} showsPlace />
        ))}
      </div>
    </Panel>
  )
}

function ResolvedFindings({ places: { resolved } }: { places: FindingPlaces }) {
  if (resolved.length === 0) return null
  return (
    <details className="mb-4 rounded-lg border border-line bg-surface px-3 py-2">
      <summary className="font-medium">{resolved.length} fixed</summary>
      <ul className="mt-2 space-y-1">
        {resolved.map(({ fingerprint, title, path, severity }) => (
          <li key={fingerprint}>
            <span className="text-muted">{severity}</span> <TextWithCode text={title} />{' '}
            <bdi className="font-mono text-muted text-xs">{path}</bdi>
          </li>
        ))}
      </ul>
    </details>
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
