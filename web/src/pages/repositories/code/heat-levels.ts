// Steps of warmth: so few that their colours can be told apart, and each a number of pull requests larger than the one before.

const maxHeatLevel = 4

/**
 * Chooses them for these numbers. Each but the first, which is for 0, begins at its number: `[0, 1, 4, 9]`. They are closer
 * where most numbers are.
 */
export function computeHeatThresholds(touches: readonly number[]): readonly number[] {
  const most = Math.max(0, ...touches)
  const starts = Array.from({ length: maxHeatLevel }, (_, index) =>
    Math.round((most + 1) ** (index / maxHeatLevel)),
  )
  return [0, ...new Set(starts.filter((start) => start <= most))]
}

/** How warm a number is, from 0 to 4: the last step is the warmest, however many there are. */
export function heatLevelOf(touches: number, steps: readonly number[]): number {
  const step = steps.findLastIndex((start) => start <= touches)
  return step === 0 ? 0 : maxHeatLevel - (steps.length - 1 - step)
}

/** In words for a legend: `none`, `1`, `2 to 5`, `6 and more`. */
export function describeThresholds(steps: readonly number[]): string[] {
  return steps.map((start, index) => {
    const next = steps[index + 1]
    if (start === 0) return 'none'
    if (next === undefined) return `${start} and more`
    return next - 1 === start ? `${start}` : `${start} to ${next - 1}`
  })
}
