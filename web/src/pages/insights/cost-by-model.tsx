// Panel with the cost of each model.
import { DataTable } from '../../components/data-table.tsx'
import { formatCount, formatDollars, formatQuantity } from '../../components/format-numbers.ts'
import { Panel } from '../../components/page.tsx'
import { ShareBar } from './bar-table.tsx'
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
        <p>No models were used.</p>
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
                <ShareBar
                  part={used.cost_usd ?? 0}
                  total={cost.total_usd}
                  fillClass="fill-accent"
                />
              ),
            },
            { name: 'Reviews', isNumber: true, render: ({ runs }) => formatCount(runs) },
            { name: 'Calls', isNumber: true, render: ({ calls }) => formatCount(calls) },
            {
              name: 'Input tokens',
              isNumber: true,
              render: (used) => formatCount(used.input_tokens),
            },
            {
              name: 'Cached',
              isNumber: true,
              render: (used) => formatCount(used.cached_input_tokens),
            },
            {
              name: 'Output tokens',
              isNumber: true,
              render: (used) => formatCount(used.output_tokens),
            },
          ]}
        />
      )}
      {cost.outside_usd !== null && (
        <p className="mt-2 text-muted">
          Scans and memory searches of the whole service cost an additional{' '}
          {formatDollars(cost.outside_usd)}.
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
    unknown > 0 && `${formatCount(unknown)} used a model with an unknown price`,
    without > 0 && `${formatCount(without)} used no model`,
  ].filter(Boolean)
  const reviews = formatQuantity(posted, 'posted review')
  const prices = `The cost of ${formatCount(known.count)} of ${reviews} is known`
  const summary = [prices, ...others].join('; ')
  return `${summary}. The table includes failed and skipped reviews.`
}

const formatCost = (dollars: number | null) =>
  dollars === null ? 'Unknown' : formatDollars(dollars)
