// Formats numbers, dollars and durations.

export function formatCount(count: number): string {
  return count.toLocaleString('en')
}

/** `1 review`, `2 reviews`. */
export function formatQuantity(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`
}

/** A share such as `79%`, or `–` if the total is zero. */
export function formatShare(part: number, total: number): string {
  if (total === 0) return '–'
  const maximumFractionDigits = part * 10 < total ? 1 : 0
  return `${((100 * part) / total).toLocaleString('en', { maximumFractionDigits })}%`
}

/** The p90 of fewer values is little else than the highest one. */
export const minP90Sample = 10

export function hasP90(count: number): boolean {
  return count >= minP90Sample
}

/** Amounts below 10 cents have four decimal places. */
export function formatDollars(dollars: number | null): string {
  if (dollars === null) return '–'
  const digits = dollars > 0 && dollars < 0.1 ? 4 : 2
  const format = { minimumFractionDigits: digits, maximumFractionDigits: digits }
  return `$${dollars.toLocaleString('en', format)}`
}

const durationUnits = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
] as const

/** The two largest units, such as `3 h 5 min`. */
export function formatDuration(seconds: number | null): string {
  if (seconds === null) return '–'
  if (seconds < 10) return `${seconds.toLocaleString('en', { maximumFractionDigits: 1 })} s`
  const whole = Math.round(seconds)
  const first = durationUnits.findIndex(([, length]) => whole >= length)
  const [unit, length] = durationUnits[first] ?? durationUnits[3]
  const next = durationUnits[first + 1]
  // Rounds to the smaller unit first, so that 59.6 minutes become an hour.
  const rounded = next === undefined ? whole : Math.round(whole / next[1]) * next[1]
  if (rounded !== whole) return formatDuration(rounded)
  const rest = next === undefined ? 0 : Math.round((rounded % length) / next[1])
  return `${Math.floor(rounded / length)} ${unit}${rest > 0 && next ? ` ${rest} ${next[0]}` : ''}`
}

const shortDay = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' })

/** A day in UTC, `2026-11-22`, such as `Nov 22`. */
export function formatDay(date: string): string {
  return shortDay.format(new Date(`${date}T00:00:00Z`))
}
