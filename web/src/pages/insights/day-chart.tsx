// A column for each day, of one part or of several on top of each other. Its numbers stand in a table beside it.
import { type ScaleBand, type ScaleLinear, scaleBand, scaleLinear } from 'd3-scale'
import { stack } from 'd3-shape'
import { useWidth } from '../../components/use-width.ts'
import { formatDay } from './format.ts'
import type { Day } from './queries.ts'

/** A part of each column. */
export interface Series {
  readonly name: string
  /** Of its colour: the fill of a mark, the ground of its sign in the legend. */
  readonly fill: string
  readonly ground: string
  readonly read: (day: Day) => number
}

interface DayChartProps {
  /** What it shows, for those who don't see it. */
  readonly label: string
  readonly days: readonly Day[]
  /** The lowest first. */
  readonly series: readonly Series[]
  readonly format: (value: number) => string
  /** Whether there are no halves of what is counted. */
  readonly isWhole?: boolean
}

const height = 176
const margin = { top: 8, right: 4, bottom: 20, left: 48 }
/** Between the beginnings of two dates below the columns. */
const dateWidth = 72

export function DayChart({ label, days, series, format, isWhole = false }: DayChartProps) {
  const [place, width] = useWidth<HTMLDivElement>()
  const x = scaleBand(
    days.map(({ date }) => date),
    [margin.left, Math.max(margin.left + 1, width - margin.right)],
  ).padding(0.15)
  const totals = days.map((day) => series.reduce((sum, { read }) => sum + read(day), 0))
  // Without anything there is a scale nevertheless.
  const y = scaleLinear([0, Math.max(...totals) || 1], [height - margin.bottom, margin.top]).nice(4)
  return (
    <div ref={place} className="h-44">
      {width > 0 && (
        <svg role="img" aria-label={label} width={width} height={height} className="block">
          <Scale y={y} width={width} format={format} isWhole={isWhole} />
          <Columns days={days} series={series} x={x} y={y} />
          <Dates days={days} x={x} />
          {days.map((day) => (
            <rect
              key={day.date}
              x={x(day.date)}
              width={x.bandwidth()}
              height={height}
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
  day: Day,
  series: readonly Series[],
  format: (value: number) => string,
): string {
  const parts = series.filter(({ read }) => read(day) > 0)
  const words = parts.map(({ name, read }) =>
    series.length === 1 ? format(read(day)) : `${name}: ${format(read(day))}`,
  )
  return `${formatDay(day.date)}\n${words.join('\n') || 'Nothing'}`
}

interface ScaleProps {
  readonly y: ScaleLinear<number, number>
  readonly width: number
  readonly format: (value: number) => string
  readonly isWhole: boolean
}

function Scale({ y, width, format, isWhole }: ScaleProps) {
  const ticks = y.ticks(4).filter((tick) => !isWhole || Number.isInteger(tick))
  const isRound = ticks.every(Number.isInteger)
  return ticks.map((tick) => (
    <g key={tick}>
      <line
        x1={margin.left}
        x2={width - margin.right}
        y1={y(tick)}
        y2={y(tick)}
        className="stroke-line"
      />
      <text
        x={margin.left - 6}
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
  readonly days: readonly Day[]
  readonly series: readonly Series[]
  readonly x: ScaleBand<string>
  readonly y: ScaleLinear<number, number>
}

function Columns({ days, series, x, y }: ColumnsProps) {
  const layers = stack<unknown, Day, Series>()
    .keys(series)
    .value((day, { read }) => read(day))(days)
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
function Dates({ days, x }: Pick<ColumnsProps, 'days' | 'x'>) {
  const every = Math.ceil(dateWidth / x.step())
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
      y={height - 4}
      textAnchor={date === days.at(-1)?.date ? 'end' : 'middle'}
      className="fill-muted text-xs"
    >
      {formatDay(date)}
    </text>
  ))
}
