// Figures in words.

export function formatCount(count: number): string {
  return count.toLocaleString('en')
}

/** `1 review`, `2 reviews`. */
export function formatQuantity(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`
}

/** A part of a whole, such as `79 %`; of nothing there are no parts. */
export function formatShare(part: number, whole: number): string {
  if (whole === 0) return '–'
  return `${((100 * part) / whole).toLocaleString('en', { maximumFractionDigits: part * 10 < whole ? 1 : 0 })} %`
}

/** Small sums with two more places. */
export function formatDollars(dollars: number | null): string {
  if (dollars === null) return '–'
  const places = dollars > 0 && dollars < 0.1 ? 4 : 2
  return `$${dollars.toLocaleString('en', { minimumFractionDigits: places, maximumFractionDigits: places })}`
}

const durationUnits = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
] as const

/** In its two largest units, such as `3 h 5 min`. */
export function formatDuration(seconds: number | null): string {
  if (seconds === null) return '–'
  if (seconds < 10) return `${seconds.toLocaleString('en', { maximumFractionDigits: 1 })} s`
  const whole = Math.round(seconds)
  const first = durationUnits.findIndex(([, length]) => whole >= length)
  const [unit, length] = durationUnits[first] ?? durationUnits[3]
  const next = durationUnits[first + 1]
  // Rounded to the smaller one first: 59.6 minutes are an hour.
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
