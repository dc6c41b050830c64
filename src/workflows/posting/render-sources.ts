// Renders which records of trackers and chats a review used, and which sources did not answer.
import type { ContextRecordSummary, LiveContextSummary } from '../../domain/live-context.ts'
import { redactKnownSecrets } from '../../lib/redact-known-secrets.ts'
import { escapeLine } from './escape-markdown.ts'
import type { SummarySection } from './render-impact.ts'

const maxRecords = 12
const maxTitleLength = 200

/** Null where there is no record and no failed source. */
export function renderSources(
  { records, missing }: LiveContextSummary,
  secrets: readonly string[],
): SummarySection | null {
  if (records.length + missing.length === 0) return null
  const shown = records.slice(0, maxRecords).map((record) => `- ${renderRecord(record, secrets)}`)
  const more = records.length > shown.length ? [`- ${records.length - shown.length} more`] : []
  const unavailable = missing.map(({ source, reason }) => {
    const cause = escapeLine(redactKnownSecrets(reason, secrets), { maxLength: 200 })
    return `- Without ${escapeLine(source, { maxLength: 40 })}: ${cause}`
  })
  const without = missing.length > 0 ? ` · ${missing.length} without an answer` : ''
  return {
    title: `Sources: ${records.length}${without}`,
    lines: [...shown, ...more, ...unavailable],
  }
}

/** Renders a record as its source and its linked title. */
export function renderRecord(
  { source, key, title, url }: ContextRecordSummary,
  secrets: readonly string[],
): string {
  const name = redactKnownSecrets(title, secrets)
  const nameWithKey = key === null || name.includes(key) ? name : `${key}: ${name}`
  const text = escapeLine(nameWithKey, { maxLength: maxTitleLength }) || 'an entry without a title'
  const isLinked = url !== null && redactKnownSecrets(url, secrets) === url
  const entry = isLinked ? `[${text}](${encodeLink(url)})` : text
  return `${escapeLine(source, { maxLength: 40 })}: ${entry}`
}

/** Percent-encodes the characters that have a meaning in Markdown. */
function encodeLink(url: string): string {
  return url.replace(
    /[()\\<>[\]*_~`|]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
