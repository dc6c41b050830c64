// Page with the webhook deliveries and their outcomes.

import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { ApiClient } from '../../api/api-client.ts'
import type { ResponseOf } from '../../api/endpoints.ts'
import { formatRepository } from '../../api/platform-name.ts'
import { useApi } from '../../api/use-api.ts'
import { Button } from '../../components/button.tsx'
import { nameEvent } from '../../components/event-names.ts'
import { SelectField } from '../../components/field.tsx'
import { OutcomeBadge } from '../../components/outcome-badge.tsx'
import { Page, Panel } from '../../components/page.tsx'
import { EmptyState } from '../../components/page-states.tsx'
import { PagedList } from '../../components/paged-list.tsx'
import { Time } from '../../components/time.tsx'
import {
  type DeliveriesSearch,
  deliveryStates,
  parseDeliveriesSearch,
} from './deliveries-search.ts'

type Delivery = ResponseOf<'listDeliveries'>['deliveries'][number]

function deliveriesQuery(api: ApiClient, filter: DeliveriesSearch) {
  return infiniteQueryOptions({
    queryKey: ['deliveries', filter],
    queryFn: ({ pageParam, signal }) =>
      api.call(
        'listDeliveries',
        { query: { ...filter, limit: 50, before: pageParam } },
        { signal },
      ),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
  })
}

export function DeliveriesPage() {
  const filter = useSearch({ from: '/shell/deliveries' })
  const query = useInfiniteQuery(deliveriesQuery(useApi(), filter))
  return (
    <Page title="Deliveries" lead={<Lead />} aside={<ReviewsLink />}>
      <DeliveriesFilters filter={filter} />
      <Panel title="Newest first">
        <PagedList
          query={query}
          rows={query.data?.pages.flatMap(({ deliveries }) => deliveries) ?? []}
          rowKey={({ id }) => String(id)}
          renderRow={(delivery) => <DeliveryRow delivery={delivery} />}
          empty={<NoDeliveries isFiltered={Object.keys(filter).length > 0} />}
        />
      </Panel>
    </Page>
  )
}

function Lead() {
  return (
    <p className="mt-1 text-muted">
      What the code host and people reported about pull requests, and what came of it.
    </p>
  )
}

function ReviewsLink() {
  return (
    <Link to="/reviews" className="text-accent underline">
      All reviews
    </Link>
  )
}

const statusLabels: Readonly<Record<(typeof deliveryStates)[number], string>> = {
  pending: 'Waiting, or no review',
  processing: 'Reviewing',
  completed: 'Reviewed',
  failed: 'Failed',
  unused: 'Repeated, not needed or rejected',
}

function DeliveriesFilters({ filter }: { filter: DeliveriesSearch }) {
  const navigate = useNavigate({ from: '/deliveries' })
  const change = (changes: Record<string, string | undefined>) =>
    void navigate({
      search: (now) => parseDeliveriesSearch({ ...now, ...changes }),
      replace: true,
      resetScroll: false,
    })
  return (
    <search className="mb-3 flex flex-wrap items-end gap-2">
      <SelectField
        label="State"
        hideLabel
        className="w-64"
        value={filter.status ?? ''}
        onChange={(event) => change({ status: event.target.value })}
      >
        <option value="">All states</option>
        {deliveryStates.map((state) => (
          <option key={state} value={state}>
            {statusLabels[state]}
          </option>
        ))}
      </SelectField>
      {filter.repo && (
        <Button
          onClick={() => change({ repo: undefined })}
          aria-label={`Clear repository filter: ${filter.repo}`}
        >
          {filter.repo} <span aria-hidden="true">×</span>
        </Button>
      )}
    </search>
  )
}

function DeliveryRow({ delivery }: { delivery: Delivery }) {
  const {
    event_type: eventType,
    delivery_id: deliveryId,
    outcome,
    status,
    created_at: createdAt,
    duplicates,
    error,
  } = delivery
  return (
    <div className="flex flex-wrap gap-x-3 gap-y-0.5 sm:grid sm:grid-cols-[7rem_14rem_1fr_8rem]">
      <span>
        <OutcomeBadge outcome={outcome} />
      </span>
      <span title={[eventType, ...(deliveryId === null ? [] : [deliveryId])].join(', ')}>
        {nameEvent(eventType)}
      </span>
      <span className="w-full min-w-0">
        <DeliverySubject delivery={delivery} />
        {duplicates > 0 && (
          <span className="text-muted">
            {' '}
            {duplicates} more arrived {status === 'unused' ? 'on that day' : 'before its review'}.
          </span>
        )}
        {error && (
          <span className={`block ${outcome === 'ignored' ? 'text-muted' : 'text-bad'}`}>
            {error}
          </span>
        )}
      </span>
      <span className="text-muted sm:text-right">
        <Time at={createdAt} />
      </span>
    </div>
  )
}

function DeliverySubject({
  delivery: { id, repo_name: repo, pr_number: number, status },
}: {
  delivery: Delivery
}) {
  if (repo === null) return <span className="text-muted">no repository</span>
  // Fingers need 24 pixels.
  const linkClass = 'inline-block min-w-6 leading-6 hover:text-accent hover:underline'
  return (
    <>
      <Link to="/deliveries" search={{ repo }} className={linkClass}>
        {formatRepository(repo)}
      </Link>
      {number !== null && status === 'unused' && <span className="text-muted">#{number}</span>}
      {number !== null && status !== 'unused' && (
        <Link to="/reviews/$id" params={{ id: String(id) }} className={`text-accent ${linkClass}`}>
          #{number}
        </Link>
      )}
    </>
  )
}

function NoDeliveries({ isFiltered }: { isFiltered: boolean }) {
  if (!isFiltered)
    return (
      <EmptyState title="No deliveries yet">
        <Link to="/repositories" className="text-accent underline">
          Connect a repository
        </Link>{' '}
        and open a pull request.
      </EmptyState>
    )
  return (
    <EmptyState title="No deliveries match your filters">
      <Link to="/deliveries" className="text-accent underline">
        Clear filters
      </Link>
    </EmptyState>
  )
}
