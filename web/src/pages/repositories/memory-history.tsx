// Earlier versions of a memory.
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/use-api.ts'
import { ErrorAlert, Skeleton } from '../../components/page-states.tsx'
import { Time } from '../../components/time.tsx'
import { MemoryProvenance } from './memory-provenance.tsx'
import { memoryHistoryQuery, type PastMemory } from './repository-queries.ts'

export function MemoryHistory({ repo, id }: { repo: string; id: string }) {
  const { data, error, refetch } = useQuery(memoryHistoryQuery(useApi(), repo, id))
  if (error) return <ErrorAlert error={error} onRetry={refetch} />
  if (data === undefined) return <Skeleton className="my-2 h-16" />
  return (
    <ol aria-label="History, newest first" className="my-2 space-y-2 border-line border-l-2 pl-3">
      {data.memories.map((past) => (
        <li key={past.id}>
          <MemoryProvenance repo={repo} memory={past} />{' '}
          <span className="text-muted">{describeEnd(past)}</span>
          {past.ended_at && <Time at={past.ended_at} />}
          <p className="max-w-prose whitespace-pre-line">{past.memory}</p>
        </li>
      ))}
    </ol>
  )
}

function describeEnd({ ended_at: endedAt, ended_by: endedBy }: PastMemory): string {
  if (endedAt === null) return 'It is current.'
  return endedBy === null ? 'Replaced ' : `Dismissed by ${endedBy} `
}
