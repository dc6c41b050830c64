// Parses the times of GitLab's payloads.

/**
 * Parses ISO 8601 and the form `2015-05-17 18:08:09 UTC`. Null for anything else, and for the years
 * before 1970.
 */
export function parseTime(text: unknown): Date | null {
  if (typeof text !== 'string' || text.length > 40) return null
  const iso = text.replace(/^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) UTC$/, '$1T$2Z')
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(iso)) return null
  const time = Date.parse(iso)
  return time > 0 ? new Date(time) : null
}
