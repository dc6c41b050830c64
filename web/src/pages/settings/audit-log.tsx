// Audit log, newest first.
import { useInfiniteQuery, useSuspenseQuery } from '@tanstack/react-query'
import { meQuery } from '../../api/shared-queries.ts'
import { useApi } from '../../api/use-api.ts'
import { Panel } from '../../components/page.tsx'
import { EmptyState } from '../../components/page-states.tsx'
import { PagedList } from '../../components/paged-list.tsx'
import { Time } from '../../components/time.tsx'
import { type AuditEntry, auditQuery } from './settings-queries.ts'

export function AuditLog() {
  const api = useApi()
  const { data: me } = useSuspenseQuery(meQuery(api))
  const query = useInfiniteQuery(auditQuery(api))
  return (
    <Panel title={me.is_admin ? 'All activity' : 'Your activity'}>
      <PagedList
        query={query}
        rows={query.data?.pages.flatMap(({ entries }) => entries) ?? []}
        rowKey={({ id }) => String(id)}
        renderRow={(entry) => <AuditRow {...entry} />}
        empty={<EmptyState title="No activity yet" />}
      />
    </Panel>
  )
}

function AuditRow({ created_at, login, action, subject }: AuditEntry) {
  return (
    <div className="flex flex-wrap gap-x-3 sm:grid sm:grid-cols-[8rem_10rem_12rem_1fr]">
      <span className="text-muted">
        <Time at={created_at} />
      </span>
      <span className="font-medium">{login}</span>
      <span>{action.replaceAll('_', ' ')}</span>
      <span>{subject}</span>
    </div>
  )
}
