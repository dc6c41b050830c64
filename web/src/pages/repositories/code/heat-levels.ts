// Maps numbers of pull requests to a few heat levels with distinguishable colors.

const maxHeatLevel = 4

/** The lowest number of each level, such as `[0, 1, 4, 9]`, on a logarithmic scale. */
export function computeHeatThresholds(touches: readonly number[]): readonly number[] {
  const max = Math.max(0, ...touches)
  const starts = Array.from({ length: maxHeatLevel }, (_, index) =>
    Math.round((max + 1) ** (index / maxHeatLevel)),
  )
  return [0, ...new Set(starts.filter((start) => start <= max))]
}

/** The heat level from 0 to 4. The last threshold is always level 4. */
export function heatLevelOf(touches: number, thresholds: readonly number[]): number {
  const index = thresholds.findLastIndex((start) => start <= touches)
  return index === 0 ? 0 : maxHeatLevel - (thresholds.length - 1 - index)
}

/** Labels for a legend: `none`, `1`, `2 to 5`, `6 and more`. */
export function describeThresholds(thresholds: readonly number[]): string[] {
  return thresholds.map((start, index) => {
    const next = thresholds[index + 1]
    if (start === 0) return 'none'
    if (next === undefined) return `${start} and more`
    return next - 1 === start ? `${start}` : `${start} to ${next - 1}`
  })
}
