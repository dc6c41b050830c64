// Stacked column chart with one column per day.
import { type ScaleBand, type ScaleLinear, scaleBand, scaleLinear } from 'd3-scale'
import { stack } from 'd3-shape'
import { formatDay } from '../../components/format-numbers.ts'
import { useElementWidth } from '../../components/use-element-width.ts'
import type { DayMetrics } from './insights-queries.ts'

export interface Series {
  readonly name: string
  readonly fillClass: string
  readonly legendClass: string
  readonly getValue: (day: DayMetrics) => number
}

interface DayChartProps {
  /** Text alternative of the chart. */
  readonly label: string
  readonly days: readonly DayMetrics[]
  /** From bottom to top. */
  readonly series: readonly Series[]
  readonly format: (value: number) => string
  /** Whether the axis has only integer ticks. */
  readonly hasIntegerValues?: boolean
}

const chartHeightPx = 176
const marginPx = { top: 8, right: 4, bottom: 20, left: 48 }
const minDateSpacingPx = 72

export function DayChart({ label, days, series, format, hasIntegerValues = false }: DayChartProps) {
  const [container, width] = useElementWidth<HTMLDivElement>()
  const x = scaleBand(
    days.map(({ date }) => date),
    [marginPx.left, Math.max(marginPx.left + 1, width - marginPx.right)],
  ).padding(0.15)
  const totals = days.map((day) => series.reduce((sum, { getValue }) => sum + getValue(day), 0))
  // The scale needs a positive maximum even if all days are zero.
  const y = scaleLinear(
    [0, Math.max(...totals) || 1],
    [chartHeightPx - marginPx.bottom, marginPx.top],
  ).nice(4)
  return (
    <div ref={container} className="h-44">
      {width > 0 && (
        <svg role="img" aria-label={label} width={width} height={chartHeightPx} className="block">
          <YAxis y={y} width={width} format={format} hasIntegerValues={hasIntegerValues} />
          <Columns days={days} series={series} x={x} y={y} />
          <XAxis days={days} x={x} />
          {days.map((day) => (
            <rect
              key={day.date}
              x={x(day.date)}
              width={x.bandwidth()}
              height={chartHeightPx}
              className="fill-transparent"
            >
              <title>{describeDay(day, series, format)}</title>
            </rect>
          ))}
        </svg>
      )}
    </div>
  )
}

function describeDay(
  day: DayMetrics,
  series: readonly Series[],
  format: (value: number) => string,
): string {
  const parts = series.filter(({ getValue }) => getValue(day) > 0)
  const lines = parts.map(({ name, getValue }) =>
    series.length === 1 ? format(getValue(day)) : `${name}: ${format(getValue(day))}`,
  )
  return `${formatDay(day.date)}\n${lines.join('\n') || 'None'}`
}

interface YAxisProps {
  readonly y: ScaleLinear<number, number>
  readonly width: number
  readonly format: (value: number) => string
  readonly hasIntegerValues: boolean
}

function YAxis({ y, width, format, hasIntegerValues }: YAxisProps) {
  const ticks = y.ticks(4).filter((tick) => !hasIntegerValues || Number.isInteger(tick))
  const isRound = ticks.every(Number.isInteger)
  return ticks.map((tick) => (
    <g key={tick}>
      <line
        x1={marginPx.left}
        x2={width - marginPx.right}
        y1={y(tick)}
        y2={y(tick)}
        className="stroke-line"
      />
      <text
        x={marginPx.left - 6}
        y={y(tick)}
        dy="0.32em"
        textAnchor="end"
        className="fill-muted text-xs tabular-nums"
      >
        {isRound ? format(tick).replace(/\.0+$/, '') : format(tick)}
      </text>
    </g>
  ))
}

interface ColumnsProps {
  readonly days: readonly DayMetrics[]
  readonly series: readonly Series[]
  readonly x: ScaleBand<string>
  readonly y: ScaleLinear<number, number>
}

function Columns({ days, series, x, y }: ColumnsProps) {
  const layers = stack<unknown, DayMetrics, Series>()
    .keys(series)
    .value((day, { getValue }) => getValue(day))(days)
  return layers.map((layer) => (
    <g key={layer.key.name} className={layer.key.fillClass}>
      {layer.map(({ 0: from, 1: to, data: { date } }) => {
        const size = y(from) - y(to)
        // A gap separates adjacent series for readers who can't distinguish their colors.
        const gap = from > 0 && size > 2 ? 1 : 0
        return (
          size > 0 && (
            <rect key={date} x={x(date)} y={y(to)} width={x.bandwidth()} height={size - gap} />
          )
        )
      })}
    </g>
  ))
}

/** Labels as many days as fit, always including the last. */
function XAxis({ days, x }: Pick<ColumnsProps, 'days' | 'x'>) {
  const every = Math.ceil(minDateSpacingPx / x.step())
  const shown = days.filter((_, index) => (days.length - 1 - index) % every === 0)
  return shown.map(({ date }) => (
    <text
      key={date}
      // A centered last label would be cut off, so it is aligned with the end of its column.
      x={
        date === days.at(-1)?.date
          ? (x(date) ?? 0) + x.bandwidth()
          : (x(date) ?? 0) + x.bandwidth() / 2
      }
      y={chartHeightPx - 4}
      textAnchor={date === days.at(-1)?.date ? 'end' : 'middle'}
      className="fill-muted text-xs"
    >
      {formatDay(date)}
    </text>
  ))
}
