// Relative time, with the full local time as tooltip.

const relativeFormat = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'long' })
const fullFormat = new Intl.DateTimeFormat('en', { dateStyle: 'full', timeStyle: 'long' })
const dayFormat = new Intl.DateTimeFormat('en', { dateStyle: 'medium' })

const units = [
  ['minute', 60],
  ['hour', 3600],
  ['day', 86_400],
] as const

/** `at` is an ISO 8601 date. */
export function Time({ at }: { at: string }) {
  const date = new Date(at)
  return (
    <time dateTime={at} title={fullFormat.format(date)} className="whitespace-nowrap">
      {formatAge(date)}
    </time>
  )
}

function formatAge(date: Date): string {
  const seconds = (date.getTime() - Date.now()) / 1000
  const size = Math.abs(seconds)
  if (size < 45) return 'just now'
  // Rounds before choosing the unit, so that 59.6 minutes become an hour.
  const unit = units.findLast(([, length]) => Math.round(size / length) >= 1) ?? units[0]
  if (size > 14 * 86_400) return dayFormat.format(date)
  return relativeFormat.format(Math.round(seconds / unit[1]), unit[0])
}
