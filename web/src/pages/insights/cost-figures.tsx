// What models cost, and of how many reviews that is known.
import { FigureTable } from '../../components/figure-table.tsx'
import { Panel } from '../../components/page.tsx'
import { Share } from './bar-table.tsx'
import { formatCount, formatDollars, formatNumber } from './format.ts'
import type { Reviewing } from './queries.ts'

type Cost = Reviewing['cost']

export function CostByModel({ reviewing: { cost, reviews } }: { reviewing: Reviewing }) {
  return (
    <Panel title="Cost by model">
      <p className="mb-2 text-muted">{describeDenominators(cost, reviews.posted)}</p>
      {cost.models.length === 0 ? (
        <p>No model took part.</p>
      ) : (
        <FigureTable
          caption="Cost by model"
          rows={cost.models}
          keyOf={({ model }) => model}
          columns={[
            {
              name: 'Model',
              draw: ({ model }) => <span className="whitespace-nowrap">{model}</span>,
            },
            { name: 'Cost', isNumber: true, draw: (used) => formatCost(used.cost_usd) },
            {
              name: 'Share',
              draw: (used) => (
                <Share part={used.cost_usd ?? 0} whole={cost.total_usd} fill="fill-accent" />
              ),
            },
            { name: 'Reviews', isNumber: true, draw: ({ runs }) => formatCount(runs) },
            { name: 'Calls', isNumber: true, draw: ({ calls }) => formatCount(calls) },
            { name: 'Tokens read', isNumber: true, draw: (used) => formatCount(used.input_tokens) },
            {
              name: 'Cached',
              isNumber: true,
              draw: (used) => formatCount(used.cached_input_tokens),
            },
            { name: 'Written', isNumber: true, draw: (used) => formatCount(used.output_tokens) },
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

function describeDenominators(
  { per_review: known, unknown_price: unknown, without_model: without }: Cost,
  posted: number,
) {
  const others = [
    unknown > 0 && `${formatCount(unknown)} used a model whose price is not known`,
    without > 0 && `${formatCount(without)} used no model`,
  ].filter(Boolean)
  const prices = `The price of ${formatCount(known.count)} of ${formatNumber(posted, 'posted review')} is known`
  return `${[prices, ...others].join('; ')}. Reviews that failed or were skipped are part of the figures by model.`
}

const formatCost = (dollars: number | null) =>
  dollars === null ? 'Not known' : formatDollars(dollars)
