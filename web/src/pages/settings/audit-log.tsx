// Audit log, newest first.
import { useInfiniteQuery, useSuspenseQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { meQuery } from '../../api/shared-queries.ts'
import { useApi } from '../../api/use-api.ts'
import { Panel } from '../../components/page.tsx'
import { EmptyState } from '../../components/page-states.tsx'
import { PagedList } from '../../components/paged-list.tsx'
import { TextWithCode } from '../../components/text-with-code.tsx'
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
        renderRow={(entry) => <AuditRow entry={entry} />}
        empty={<EmptyState title="No activity yet" />}
      />
    </Panel>
  )
}

function AuditRow({ entry }: { entry: AuditEntry }) {
  const { created_at: at, login, action } = entry
  return (
    <div className="flex flex-wrap gap-x-3 sm:grid sm:grid-cols-[8rem_10rem_12rem_1fr]">
      <span className="text-muted">
        <Time at={at} />
      </span>
      <span className="font-medium">{login}</span>
      <span className="first-letter:uppercase">{action.replaceAll('_', ' ')}</span>
      <span className="w-full min-w-0 sm:w-auto">
        <AuditSubject entry={entry} />
      </span>
    </div>
  )
}

/** Findings and memories have ids that say nothing to people. */
function AuditSubject({ entry }: { entry: AuditEntry }) {
  const { action, subject, review_id: review, title, reason } = entry
  const [object = '', detail] = subject.split(/ (.*)/)
  const isFinding = action.startsWith('finding_')
  if (review === null && title === null && !isFinding && !action.startsWith('memory_'))
    return subject
  return (
    <>
      {review === null ? (
        object
      ) : (
        <Link
          to="/reviews/$id"
          params={{ id: String(review) }}
          hash={isFinding ? `finding-${detail}` : ''}
          className="text-accent hover:underline"
        >
          {object}
        </Link>
      )}{' '}
      {title !== null && (
        <span className="line-clamp-2">
          <TextWithCode text={title} />
        </span>
      )}
      {review !== null && !isFinding && detail}
      {reason && (
        <span className="block text-muted">
          Reason: <bdi>{reason}</bdi>
        </span>
      )}
    </>
  )
}
