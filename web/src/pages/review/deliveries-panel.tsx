// Folded panel with the webhook deliveries of the pull request and their outcomes.
import { Link } from '@tanstack/react-router'
import type { ReviewDetail } from '../../api/shared-queries.ts'
import { nameEvent } from '../../components/event-names.ts'
import { OutcomeBadge } from '../../components/outcome-badge.tsx'
import { Time } from '../../components/time.tsx'

type Delivery = ReviewDetail['deliveries'][number]

export function DeliveriesPanel({
  deliveries,
  currentEventId,
}: {
  deliveries: readonly Delivery[]
  currentEventId: number
}) {
  return (
    <details className="mb-4 rounded-lg border border-line bg-surface px-3 py-2">
      <summary className="text-muted">Deliveries ({deliveries.length})</summary>
      <ol className="mt-2 divide-y divide-line">
        {deliveries.map((delivery) => (
          <li
            key={delivery.id}
            className="flex flex-wrap items-center gap-x-3 gap-y-1 py-1.5 first:pt-0 last:pb-0"
          >
            <OutcomeBadge outcome={delivery.outcome} />
            <DeliveryName delivery={delivery} currentEventId={currentEventId} />
            <Time at={delivery.created_at} />
            {delivery.duplicates > 0 && (
              <span className="text-muted">
                {delivery.duplicates} more arrived before its review
              </span>
            )}
            {delivery.error && <span className="text-bad">{delivery.error}</span>}
          </li>
        ))}
      </ol>
    </details>
  )
}

function DeliveryName({
  delivery: { id, event_type: eventType, outcome },
  currentEventId,
}: {
  delivery: Delivery
  currentEventId: number
}) {
  const name = <span title={eventType}>{nameEvent(eventType)}</span>
  if (id === currentEventId) return <strong>{name} (this review)</strong>
  if (outcome === 'recorded') return name
  return (
    <Link to="/reviews/$id" params={{ id: String(id) }} className="text-accent underline">
      {name}
    </Link>
  )
}
