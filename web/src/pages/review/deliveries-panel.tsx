// What came in for the pull request, and what became of each delivery.
import { Link } from '@tanstack/react-router'
import type { ReviewDetail } from '../../api/shared-queries.ts'
import { OutcomeBadge } from '../../components/badge.tsx'
import { Panel } from '../../components/page.tsx'
import { Time } from '../../components/time.tsx'

type Delivery = ReviewDetail['deliveries'][number]

/** `shown` is the event whose review is on the page. */
export function DeliveriesPanel({
  deliveries,
  shown,
}: {
  deliveries: readonly Delivery[]
  shown: number
}) {
  return (
    <Panel title="Deliveries">
      <ol className="divide-y divide-line">
        {deliveries.map((delivery) => (
          <li
            key={delivery.id}
            className="flex flex-wrap items-center gap-x-3 gap-y-1 py-1.5 first:pt-0 last:pb-0"
          >
            <OutcomeBadge outcome={delivery.outcome} />
            <DeliveryName delivery={delivery} shown={shown} />
            <Time at={delivery.created_at} />
            {delivery.duplicates > 0 && (
              <span className="text-muted">
                {delivery.duplicates} more like it came while it waited
              </span>
            )}
            {delivery.error && <span className="text-bad">{delivery.error}</span>}
          </li>
        ))}
      </ol>
    </Panel>
  )
}

function DeliveryName({
  delivery: { id, event_type: name, outcome },
  shown,
}: {
  delivery: Delivery
  shown: number
}) {
  if (id === shown) return <strong>{name} (this review)</strong>
  if (outcome === 'recorded') return <span>{name}</span>
  return (
    <Link to="/reviews/$id" params={{ id: String(id) }} className="text-accent underline">
      {name}
    </Link>
  )
}
