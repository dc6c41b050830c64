// Makes records of what sources answer: JSON of their own forms, or Markdown; one thing, or the results of a search.
import type { ContextSourceConfig } from '../../config/context-source-config.ts'
import type { ContextRecord } from '../../domain/live-context.ts'
import { redactKnownSecrets } from '../../lib/redact-known-secrets.ts'
import { findEntries, formatEntry, ownField, titleFields } from './json-entries.ts'
import { saysNoResults, splitResults, titleOfText } from './split-results.ts'

const maxTitleChars = 300
const maxTextChars = 8_000
const maxUrlChars = 500

/** What is told of one thing, before it is cut. */
interface RecordDraft {
  readonly key: string | null
  readonly title: string
  /** Where its address may stand. */
  readonly links: string
  readonly text: string
}

/**
 * @param key by which it was asked for; null for a search
 * @param secrets that no record may hold: a server could send our token back
 * @returns at most `most`, each once; none where the source knows of nothing
 */
export function readRecords(
  source: Pick<ContextSourceConfig, 'name' | 'kind' | 'link' | 'linkHosts'>,
  { key, text, most }: { key: string | null; text: string; most: number },
  secrets: readonly string[],
): ContextRecord[] {
  return draftRecords(key, text, most).map((draft) => {
    const blot = (words: string, length: number) =>
      redactKnownSecrets(truncate(words, length), secrets)
    const url = linkOf(source, draft)
    return {
      source: source.name,
      kind: source.kind,
      key: draft.key,
      title: blot(
        draft.title
          .slice(0, 10 * maxTitleChars)
          .replace(/\s+/g, ' ')
          .trim(),
        maxTitleChars,
      ),
      url: url !== null && redactKnownSecrets(url, secrets) === url ? url : null,
      text: blot(draft.text.trim(), maxTextChars),
    }
  })
}

function draftRecords(key: string | null, text: string, most: number): RecordDraft[] {
  const parsed = parseJson(text)
  // A text within JSON.
  const said = typeof parsed === 'object' && parsed !== null ? joinTexts(parsed) : text
  if (said === null) return draftEntries(key, parsed, most)
  const results = key === null ? splitResults(said, most) : []
  if (results.length > 0) return results.map((part) => ({ key: null, links: part.text, ...part }))
  if (said.trim() === '' || (key === null && saysNoResults(said))) return []
  return [{ key, title: titleOfText(said), links: said, text: said }]
}

function draftEntries(key: string | null, parsed: unknown, most: number): RecordDraft[] {
  const entries = findEntries(parsed, key === null ? most : 1)
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

/** The texts of an object that holds nothing else, and no title either. */
function joinTexts(parsed: object): string | null {
  const values = Object.values(parsed)
  const holdsMore =
    Array.isArray(parsed) || values.some((value) => typeof value !== 'string' && value !== null)
  if (holdsMore || ownField(parsed, titleFields) !== undefined) return null
  return values.filter((value) => value !== null).join('\n\n')
}

/** On the source's own hosts only: whoever writes a ticket could put any address into it. One with the key goes first. */
function linkOf(
  source: Pick<ContextSourceConfig, 'link' | 'linkHosts'>,
  { key, links }: RecordDraft,
): string | null {
  if (source.link !== null && key !== null)
    return source.link.replaceAll('{key}', encodeURIComponent(key))
  const found = [...links.slice(0, 100_000).matchAll(/https?:\/\/[^\s"'<>()[\]\\`]{1,500}/g)]
    .map(([link]) => URL.parse(link.replace(/[.,;:!?*_]+$/, '')))
    .filter((url) => url !== null && url.username === '' && url.password === '')
    .filter((url) => source.linkHosts.some((host) => matchesHost(url as URL, host)))
    .map((url) => (url as URL).href)
    .filter((link) => link.length <= maxUrlChars)
  return found.find((link) => key !== null && link.includes(key)) ?? found[0] ?? null
}

function matchesHost({ hostname }: URL, host: string): boolean {
  return host.startsWith('*.') ? hostname.endsWith(host.slice(1)) : hostname === host
}

function truncate(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
