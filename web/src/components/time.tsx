// Relative time, with the full local time as tooltip.

const relativeFormat = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'long' })
const fullFormat = new Intl.DateTimeFormat('en', { dateStyle: 'full', timeStyle: 'long' })
const dayFormat = new Intl.DateTimeFormat('en', { dateStyle: 'medium' })

type Unit = readonly [name: Intl.RelativeTimeFormatUnit, seconds: number]

const units: readonly [Unit, ...Unit[]] = [
  ['minute', 60],
  ['hour', 3600],
  ['day', 86_400],
]

/** `at` is an ISO 8601 date. */
export function Time({ at }: { at: string }) {
  const date = new Date(at)
  return (
    <time dateTime={at} title={fullFormat.format(date)} className="whitespace-nowrap">
      {formatAge(date)}
    </time>
  )
}

/** Chooses the largest unit that the rounded age reaches: 59.6 minutes are an hour. */
function chooseUnit(seconds: number) {
  let [unit] = units
  for (const next of units) {
    if (Math.round(seconds / unit[1]) * unit[1] >= next[1]) unit = next
  }
  return unit
}

function formatAge(date: Date): string {
  const seconds = (date.getTime() - Date.now()) / 1000
  const size = Math.abs(seconds)
  if (size < 45) return 'just now'
  const unit = chooseUnit(size)
  if (size > 14 * 86_400) return dayFormat.format(date)
  return relativeFormat.format(Math.round(seconds / unit[1]), unit[0])
}
