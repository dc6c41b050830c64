// Panel with the duration of each review step and the model cost.
import { Link } from '@tanstack/react-router'
import type { ReviewDetail } from '../../api/shared-queries.ts'
import { Panel } from '../../components/page.tsx'

const stepLabels: readonly (readonly [string, string])[] = [
  ['gather', 'Read change'],
  ['pack', 'Pack context'],
  ['review', 'Propose findings'],
  ['judge', 'Check findings'],
  ['publish', 'Post review'],
]

/** A verdict that was computed again has the time and cost of the review that it is based on. */
export function TimeAndCostPanel({ review }: { review: ReviewDetail }) {
  const { examination, attempts } = review
  const { timings, usage } = examination ?? review
  return (
    <Panel title="Time and cost">
      {timings && <Steps timings={timings} />}
      {usage && <Cost usage={usage} />}
      {examination && (
        <p className="mt-2 text-muted">
          Measured in the{' '}
          {examination.review_id === null ? (
            'review of this commit'
          ) : (
            <Link
              to="/reviews/$id"
              params={{ id: String(examination.review_id) }}
              className="text-accent underline"
            >
              review of this commit
            </Link>
          )}
          . Since then, the verdict was only computed again, without a model.
        </p>
      )}
      {attempts > 1 && <p className="mt-2">The review took {attempts} attempts.</p>}
    </Panel>
  )
}

function Steps({ timings }: { timings: Readonly<Record<string, number>> }) {
  const known = stepLabels.filter(([step]) => timings[step] !== undefined)
  const total = known.reduce((sum, [step]) => sum + (timings[step] ?? 0), 0)
  return (
    <table className="w-full">
      <caption className="sr-only">Duration of each review step</caption>
      <tbody>
        {known.map(([step, name]) => (
          <tr key={step}>
            <th scope="row" className="py-0.5 pr-2 text-left font-normal">
              {name}
            </th>
            <td className="hidden w-1/3 sm:table-cell">
              <meter
                aria-label={`${name}: share of the total time`}
                min={0}
                max={Math.max(1, total)}
                value={timings[step] ?? 0}
                className="w-full"
              />
            </td>
            <td className="py-0.5 pl-2 text-right tabular-nums">
              {formatStepDuration(timings[step] ?? 0)}
            </td>
          </tr>
        ))}
        <tr className="font-medium">
          <th scope="row" className="py-0.5 text-left font-medium">
            Total
          </th>
          <td className="hidden sm:table-cell" />
          <td className="py-0.5 pl-2 text-right tabular-nums">{formatStepDuration(total)}</td>
        </tr>
      </tbody>
    </table>
  )
}

function formatStepDuration(milliseconds: number): string {
  if (milliseconds < 60_000)
    return `${(milliseconds / 1000).toFixed(milliseconds < 10_000 ? 2 : 1)} s`
  return `${Math.floor(milliseconds / 60_000)} min ${Math.round((milliseconds % 60_000) / 1000)} s`
}

function Cost({ usage }: { usage: NonNullable<ReviewDetail['usage']> }) {
  const {
    calls,
    input_tokens: input,
    output_tokens: output,
    cached_input_tokens: cached,
    cost_usd: cost,
  } = usage
  if (calls === 0)
    return <p className="mt-2 text-muted">No model was used, so there was no cost.</p>
  const formatTokens = (tokens: number) => tokens.toLocaleString('en')
  return (
    <p className="mt-2">
      <strong>{cost === null ? 'Unknown price' : `$${cost.toFixed(cost < 0.1 ? 4 : 2)}`}</strong>
      <span className="text-muted">
        {' '}
        for {calls} model {calls === 1 ? 'call' : 'calls'}: {formatTokens(input)} input tokens (
        {formatTokens(cached)} cached), {formatTokens(output)} output tokens
      </span>
    </p>
  )
}
