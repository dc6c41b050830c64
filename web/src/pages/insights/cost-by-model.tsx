// What models cost, and of how many reviews that is known.
import { DataTable } from '../../components/data-table.tsx'
import { Panel } from '../../components/page.tsx'
import { ShareBar } from './bar-table.tsx'
import { formatCount, formatDollars, formatQuantity } from './format-numbers.ts'
import type { ReviewMetricsResponse } from './insights-queries.ts'

type Cost = ReviewMetricsResponse['cost']

export function CostByModel({
  reviewing: { cost, reviews },
}: {
  reviewing: ReviewMetricsResponse
}) {
  return (
    <Panel title="Cost by model">
      <p className="mb-2 text-muted">{describeKnownPrices(cost, reviews.posted)}</p>
      {cost.models.length === 0 ? (
        <p>No model took part.</p>
      ) : (
        <DataTable
          caption="Cost by model"
          rows={cost.models}
          rowKey={({ model }) => model}
          columns={[
            {
              name: 'Model',
              render: ({ model }) => <span className="whitespace-nowrap">{model}</span>,
            },
            { name: 'Cost', isNumber: true, render: (used) => formatCost(used.cost_usd) },
            {
              name: 'Share',
              render: (used) => (
                <ShareBar part={used.cost_usd ?? 0} whole={cost.total_usd} fill="fill-accent" />
              ),
            },
            { name: 'Reviews', isNumber: true, render: ({ runs }) => formatCount(runs) },
            { name: 'Calls', isNumber: true, render: ({ calls }) => formatCount(calls) },
            {
              name: 'Tokens read',
              isNumber: true,
              render: (used) => formatCount(used.input_tokens),
            },
            {
              name: 'Cached',
              isNumber: true,
              render: (used) => formatCount(used.cached_input_tokens),
            },
            { name: 'Written', isNumber: true, render: (used) => formatCount(used.output_tokens) },
          ]}
        />
      )}
      {cost.outside_usd !== null && (
        <p className="mt-2 text-muted">
          Scans and searches of memories cost {formatDollars(cost.outside_usd)} besides, for the
          whole service.
        </p>
      )}
    </Panel>
  )
}

function describeKnownPrices(
  { per_review: known, unknown_price: unknown, without_model: without }: Cost,
  posted: number,
) {
  const others = [
    unknown > 0 && `${formatCount(unknown)} used a model whose price is not known`,
    without > 0 && `${formatCount(without)} used no model`,
  ].filter(Boolean)
  const prices = `The price of ${formatCount(known.count)} of ${formatQuantity(posted, 'posted review')} is known`
  return `${[prices, ...others].join('; ')}. Reviews that failed or were skipped are part of the figures by model.`
}

const formatCost = (dollars: number | null) =>
  dollars === null ? 'Not known' : formatDollars(dollars)
