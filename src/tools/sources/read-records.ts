// Converts a source's answer, JSON or Markdown, to records.

import type { ContextRecord } from '../../domain/live-context.ts'
import { parseJson } from '../../lib/parse-json.ts'
import { redactKnownSecrets } from '../../lib/redact-known-secrets.ts'
import { findEntries, formatEntry, ownField, titleFields } from './json-entries.ts'
import type { ContextSourceConfig } from './source-config.ts'
import { isNoResultsText, splitResults, titleOfText } from './split-results.ts'

const maxTitleChars = 300
const maxTextChars = 8_000
const maxUrlChars = 500
const maxLinkTextChars = 100_000

const urlPattern = /https?:\/\/[^\s"'<>()[\]\\`]{1,500}/g
const trailingPunctuation = /[.,;:!?*_]+$/

/** A record before its texts are truncated and redacted. */
interface RecordDraft {
  readonly key: string | null
  readonly title: string
  /** Text in which the record's URL is searched for. */
  readonly links: string
  readonly text: string
}

/**
 * @param answer.key the key that was looked up; null for a search
 * @param secrets values that are redacted, because a server could echo our token
 * @returns at most `maxRecords` records; none when the answer has no result
 */
export function readRecords(
  source: Pick<ContextSourceConfig, 'name' | 'kind' | 'link' | 'linkHosts'>,
  { key, text, maxRecords }: { key: string | null; text: string; maxRecords: number },
  secrets: readonly string[],
): ContextRecord[] {
  const truncateAndRedact = (value: string, length: number) =>
    redactKnownSecrets(truncate(value, length), secrets)
  return draftRecords(key, text, maxRecords).map((draft) => {
    const url = findUrl(source, draft)
    const title = draft.title
      .slice(0, 10 * maxTitleChars)
      .replace(/\s+/g, ' ')
      .trim()
    return {
      source: source.name,
      kind: source.kind,
      key: draft.key,
      title: truncateAndRedact(title, maxTitleChars),
      url: url !== null && redactKnownSecrets(url, secrets) === url ? url : null,
      text: truncateAndRedact(draft.text.trim(), maxTextChars),
    }
  })
}

function draftRecords(key: string | null, text: string, maxRecords: number): RecordDraft[] {
  const parsed = parseJson(text)
  // Some servers wrap plain text in a JSON object.
  const plainText = typeof parsed === 'object' && parsed !== null ? joinTexts(parsed) : text
  if (plainText === null) return draftEntries(key, parsed, maxRecords)
  const isSearch = key === null
  const results = isSearch ? splitResults(plainText, maxRecords) : []
  if (results.length > 0) return results.map((part) => ({ key: null, links: part.text, ...part }))
  if (plainText.trim() === '' || (isSearch && isNoResultsText(plainText))) return []
  return [{ key, title: titleOfText(plainText), links: plainText, text: plainText }]
}

function draftEntries(key: string | null, parsed: unknown, maxRecords: number): RecordDraft[] {
  const entries = findEntries(parsed, key === null ? maxRecords : 1)
  if (entries.length === 0 && key !== null)
    return [{ key, title: key, links: '', text: formatEntry(parsed) }]
  return entries.map((entry) => ({
    key: key ?? ownField(entry, ['key', 'identifier', 'shortId']) ?? null,
    title: ownField(entry, titleFields) ?? '',
    links: ownField(entry, urlFields) ?? '',
    text: formatEntry(entry),
  }))
}

const urlFields = ['webUrl', 'web_url', 'html_url', 'permalink', 'url', 'link']

/** Joins the values of an object without a title that holds only strings; null for others. */
function joinTexts(parsed: object): string | null {
  const values = Object.values(parsed)
  const holdsMore =
    Array.isArray(parsed) || values.some((value) => typeof value !== 'string' && value !== null)
  if (holdsMore || ownField(parsed, titleFields) !== undefined) return null
  return values.filter((value) => value !== null).join('\n\n')
}

/**
 * Finds the URL of a record, on the source's own hosts only, because the author of a ticket can put
 * any URL into it. Prefers a URL that contains the key.
 */
function findUrl(
  source: Pick<ContextSourceConfig, 'link' | 'linkHosts'>,
  { key, links }: RecordDraft,
): string | null {
  if (source.link !== null && key !== null)
    return source.link.replaceAll('{key}', encodeURIComponent(key))
  const found: string[] = []
  for (const [link] of links.slice(0, maxLinkTextChars).matchAll(urlPattern)) {
    const url = URL.parse(link.replace(trailingPunctuation, ''))
    if (url === null || url.username !== '' || url.password !== '') continue
    if (!source.linkHosts.some((host) => matchesHost(url, host))) continue
    if (url.href.length <= maxUrlChars) found.push(url.href)
  }
  return found.find((link) => key !== null && link.includes(key)) ?? found[0] ?? null
}

function matchesHost({ hostname }: URL, host: string): boolean {
  return host.startsWith('*.') ? hostname.endsWith(host.slice(1)) : hostname === host
}

function truncate(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`
}
