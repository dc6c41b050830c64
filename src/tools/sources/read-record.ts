// Makes records of what sources answer: JSON of their own forms, or text.
import type { ContextSourceConfig } from '../../config/context-sources.ts'
import type { ContextRecord } from '../../domain/live-context.ts'

const longestTitle = 300
const longestText = 8_000
const longestUrl = 500
const deepest = 4

const titleFields = ['title', 'summary', 'subject', 'name', 'message']
const urlFields = ['url', 'permalink', 'webUrl', 'web_url', 'html_url', 'link']

/** @param key by which it was asked for; null for what a search found */
export function readRecord(source: ContextSourceConfig, key: string | null, text: string): ContextRecord {
  const parsed = parseJson(text)
  const title = findField(parsed, titleFields) ?? firstLine(text)
  const urls = findField(parsed, urlFields) ?? text
  return {
    source: source.name,
    kind: source.kind,
    key,
    title: cut(title.replace(/\s+/g, ' ').trim(), longestTitle),
    url: findLink(urls, source.linkHosts, key),
    text: cut(text.trim(), longestText),
  }
}

/** The outermost field of one of these names, the first name before the others. */
function findField(value: unknown, names: readonly string[], depth = 0): string | undefined {
  if (typeof value !== 'object' || value === null || depth > deepest) return undefined
  for (const name of names) {
    const field = (value as Record<string, unknown>)[name]
    if (typeof field === 'string' && field.trim() !== '') return field
  }
  for (const part of Object.values(value).slice(0, 50)) {
    const found = findField(part, names, depth + 1)
    if (found !== undefined) return found
  }
  return undefined
}

/** Its heading, where it is Markdown. */
function firstLine(text: string): string {
  const line = text.split('\n').find((each) => each.trim() !== '') ?? ''
  return line.replace(/^#+\s*/, '')
}

/** An address on the source's own hosts: whoever writes a ticket could put any into it. One with the key goes first. */
function findLink(text: string, hosts: readonly string[], key: string | null): string | null {
  const links = [...text.slice(0, 100_000).matchAll(/https:\/\/[^\s"'<>()[\]\\`]{1,500}/g)]
    .map(([link]) => URL.parse(link.replace(/[.,;:!?*_]+$/, '')))
    .filter(
      (url) => url !== null && url.username === '' && url.password === '' && hosts.some((host) => fits(url, host)),
    )
    .map((url) => (url as URL).href)
    .filter((link) => link.length <= longestUrl)
  return links.find((link) => key !== null && link.includes(key)) ?? links[0] ?? null
}

function fits({ hostname }: URL, host: string): boolean {
  return host.startsWith('*.') ? hostname.endsWith(host.slice(1)) : hostname === host
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
