// Small columns that show the course of a figure. The numbers are in a table.
import { scaleBand, scaleLinear } from 'd3-scale'

const [width, height] = [150, 28]

/** @param values the oldest first; null where there is none */
export function Sparkline({ values }: { values: readonly (number | null)[] }) {
  const x = scaleBand(values.keys(), [0, width]).paddingInner(0.25)
  const y = scaleLinear([0, Math.max(...values.map((value) => value ?? 0)) || 1], [0, height - 1])
  return (
    <svg
      aria-hidden="true"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      className="mt-2 h-7 w-full"
    >
      {values.map((value, index) => (
        <rect
          // biome-ignore lint/suspicious/noArrayIndexKey: a part of the period has no other key
          key={index}
          x={x(index)}
          y={height - 1 - y(value ?? 0)}
          width={x.bandwidth()}
          height={y(value ?? 0) + 1}
          className={value === null || value === 0 ? 'fill-line' : 'fill-accent'}
        />
      ))}
    </svg>
  )
}
