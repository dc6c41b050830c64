// A column for each day, of one part or of several on top of each other. Its numbers stand in a table beside it.
import { type ScaleBand, type ScaleLinear, scaleBand, scaleLinear } from 'd3-scale'
import { stack } from 'd3-shape'
import { useElementWidth } from '../../components/use-element-width.ts'
import { formatDay } from './format-numbers.ts'
import type { DayMetrics } from './insights-queries.ts'

/** A part of each column. */
export interface Series {
  readonly name: string
  /** Of its colour: the fill of a mark, the ground of its sign in the legend. */
  readonly fill: string
  readonly legendClass: string
  readonly getValue: (day: DayMetrics) => number
}

interface DayChartProps {
  /** What it shows, for those who don't see it. */
  readonly label: string
  readonly days: readonly DayMetrics[]
  /** The lowest first. */
  readonly series: readonly Series[]
  readonly format: (value: number) => string
  /** Whether there are no halves of what is counted. */
  readonly hasIntegerValues?: boolean
}

const chartHeightPx = 176
const marginPx = { top: 8, right: 4, bottom: 20, left: 48 }
/** Between the beginnings of two dates below the columns. */
const minDateSpacingPx = 72

export function DayChart({
  label,
  days,
  series,
  format,
  hasIntegerValues: isWhole = false,
}: DayChartProps) {
  const [place, width] = useElementWidth<HTMLDivElement>()
  const x = scaleBand(
    days.map(({ date }) => date),
    [marginPx.left, Math.max(marginPx.left + 1, width - marginPx.right)],
  ).padding(0.15)
  const totals = days.map((day) => series.reduce((sum, { getValue: read }) => sum + read(day), 0))
  // Without anything there is a scale nevertheless.
  const y = scaleLinear(
    [0, Math.max(...totals) || 1],
    [chartHeightPx - marginPx.bottom, marginPx.top],
  ).nice(4)
  return (
    <div ref={place} className="h-44">
      {width > 0 && (
        <svg role="img" aria-label={label} width={width} height={chartHeightPx} className="block">
          <YAxis y={y} width={width} format={format} hasIntegerValues={isWhole} />
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
  const parts = series.filter(({ getValue: read }) => read(day) > 0)
  const words = parts.map(({ name, getValue: read }) =>
    series.length === 1 ? format(read(day)) : `${name}: ${format(read(day))}`,
  )
  return `${formatDay(day.date)}\n${words.join('\n') || 'Nothing'}`
}

interface YAxisProps {
  readonly y: ScaleLinear<number, number>
  readonly width: number
  readonly format: (value: number) => string
  readonly hasIntegerValues: boolean
}

function YAxis({ y, width, format, hasIntegerValues: isWhole }: YAxisProps) {
  const ticks = y.ticks(4).filter((tick) => !isWhole || Number.isInteger(tick))
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
    .value((day, { getValue: read }) => read(day))(days)
  return layers.map((layer) => (
    <g key={layer.key.name} className={layer.key.fill}>
      {layer.map(({ 0: from, 1: to, data: { date } }) => {
        const size = y(from) - y(to)
        // A gap below keeps it apart from the one under it, whatever the colours look like to somebody.
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

/** As many as there is room for, the last one among them. */
function XAxis({ days, x }: Pick<ColumnsProps, 'days' | 'x'>) {
  const every = Math.ceil(minDateSpacingPx / x.step())
  const shown = days.filter((_, index) => (days.length - 1 - index) % every === 0)
  return shown.map(({ date }) => (
    <text
      key={date}
      // The last one would be cut off in the middle of its column.
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
