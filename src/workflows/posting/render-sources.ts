// Which trackers and chats were asked about a change, what of theirs a review took into account, and which had no answer. Pure.
import type { ContextRecordSummary, LiveContextSummary } from '../../domain/live-context.ts'
import { redactKnownSecrets } from '../../lib/redact-known-secrets.ts'
import { escapeLine } from './escape-markdown.ts'

const mostRecords = 12
const longestTitle = 200

/** The section, its title for `<summary>`; undefined where nobody was asked, or nobody knew anything. */
export function renderSources(
  { records, missing }: LiveContextSummary,
  secrets: readonly string[],
): { title: string; lines: string[] } | undefined {
  if (records.length + missing.length === 0) return undefined
  const shown = records.slice(0, mostRecords).map((record) => `- ${renderRecord(record, secrets)}`)
  const more = records.length > shown.length ? [`- ${records.length - shown.length} more`] : []
  const absent = missing.map(({ source, reason }) => {
    return `- Without ${escapeLine(source, { maxLength: 40 })}: ${escapeLine(redactKnownSecrets(reason, secrets), { maxLength: 200 })}`
  })
  const without = missing.length > 0 ? ` · ${missing.length} without an answer` : ''
  return { title: `Sources: ${records.length}${without}`, lines: [...shown, ...more, ...absent] }
}

/** One record in a line: whose it is, and its title with a link. */
export function renderRecord(
  { source, key, title, url }: ContextRecordSummary,
  secrets: readonly string[],
): string {
  const words = redactKnownSecrets(title, secrets)
  const told = key === null || words.includes(key) ? words : `${key}: ${words}`
  const text = escapeLine(told, { maxLength: longestTitle }) || 'an entry without a title'
  const isLinked = url !== null && redactKnownSecrets(url, secrets) === url
  return `${escapeLine(source, { maxLength: 40 })}: ${isLinked ? `[${text}](${encodeLink(url)})` : text}`
}

/** Nothing in it ends the link or means anything in Markdown. */
function encodeLink(url: string): string {
  return url.replace(
    /[()\\<>[\]*_~`|]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
