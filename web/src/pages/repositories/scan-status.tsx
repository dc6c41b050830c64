// Live status of a repository scan, and a button that requests another scan.

import {
  queryOptions,
  skipToken,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { getErrorMessage } from '../../api/api-error.ts'
import { formatRepository } from '../../api/platform-name.ts'
import { useApi } from '../../api/use-api.ts'
import { Badge, type Tone } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Skeleton } from '../../components/page-states.tsx'
import { Time } from '../../components/time.tsx'
import { type Scan, scanQuery } from './repository-queries.ts'

type ScanProgress = Pick<Scan, 'status' | 'step' | 'done' | 'total'>

/** Progress that only live updates write; see live-updates.ts. */
function scanProgressQuery(repo: string) {
  return queryOptions<ScanProgress>({ queryKey: ['scan-progress', repo], queryFn: skipToken })
}

/** The fetched scan, updated with newer progress from live updates. */
function useScan(repo: string): { scan: Scan | undefined; error: Error | null } {
  const { data, error, dataUpdatedAt } = useQuery(scanQuery(useApi(), repo))
  const live = useQuery(scanProgressQuery(repo))
  const isNewer = live.data !== undefined && live.dataUpdatedAt >= dataUpdatedAt
  const scan = data && isNewer ? { ...data, ...pickProgress(live.data) } : data
  return { scan, error: data === undefined ? error : null }
}

/** Ignores the end of a scan, because only the fetched scan has its details. */
function pickProgress({ status, step, done, total }: ScanProgress): Partial<ScanProgress> {
  return status === 'completed' || status === 'failed' ? {} : { status, step, done, total }
}

const statusLabels: Readonly<Record<Scan['status'], readonly [Tone, string]>> = {
  none: ['plain', 'Not scanned yet'],
  pending: ['plain', 'Scan queued'],
  processing: ['info', 'Scanning'],
  completed: ['good', 'Scanned'],
  failed: ['bad', 'Scan failed'],
}

/** Reserves its height while loading, so that the layout does not shift. */
export function ScanStatus({ repo }: { repo: string }) {
  const { scan, error } = useScan(repo)
  return (
    <div role="status" className="flex min-h-6 flex-wrap items-center gap-x-2 text-muted">
      {error && getErrorMessage(error)}
      {!error && scan && <ScanLine scan={scan} />}
      {!error && !scan && <Skeleton className="h-5 w-56" />}
    </div>
  )
}

function ScanLine({ scan }: { scan: Scan }) {
  const [tone, name] = statusLabels[scan.status]
  const isFinished = scan.status === 'completed' || scan.status === 'failed'
  return (
    <>
      <Badge tone={tone}>{name}</Badge>
      {scan.status === 'processing' && <ScanProgressBar {...scan} />}
      {isFinished && scan.finished_at && <Time at={scan.finished_at} />}
      {isFinished && scan.commit && <code title={scan.commit}>{scan.commit.slice(0, 7)}</code>}
      {scan.error && (
        <span className={scan.status === 'failed' ? 'text-bad' : ''}>{scan.error}</span>
      )}
    </>
  )
}

function ScanProgressBar({ step, done, total }: ScanProgress): ReactNode {
  if (total === 0) return <span>{step}</span>
  return (
    <>
      <progress
        aria-label="Scan progress"
        max={total}
        value={done}
        className="h-1.5 w-24 accent-(--accent)"
      />
      <span>
        {step}{' '}
        <span className="tabular-nums">{`${done.toLocaleString('en')} of ${total.toLocaleString('en')}`}</span>
      </span>
    </>
  )
}

export function RescanButton({ repo }: { repo: string }) {
  const api = useApi()
  const client = useQueryClient()
  const { scan } = useScan(repo)
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => api.call('rescan', { query: { repo } }),
    onSuccess: () => client.invalidateQueries({ queryKey: scanQuery(api, repo).queryKey }),
  })
  const isUnderWay = scan?.status === 'pending' || scan?.status === 'processing'
  return (
    <>
      <Button disabled={isPending || isUnderWay} onClick={() => mutate()}>
        Scan again<span className="sr-only"> {formatRepository(repo)}</span>
      </Button>
      {error && (
        <span role="alert" className="text-bad">
          {getErrorMessage(error)}
        </span>
      )}
    </>
  )
}
