// Escaped HTML, the page layout, and a small Markdown renderer.
import type { ForgeResponse } from './http.ts'

/** HTML that is safe to insert. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

export function escapeHtml(text: string): string {
  const entities: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  }
  return text.replace(/[&<>"']/g, (character) => entities[character]!)
}

/** A template tag that escapes values unless they are Html (or a list of it). */
export function safeHtml(
  parts: TemplateStringsArray,
  ...values: (string | number | Html | readonly Html[])[]
): Html {
  const shown = values.map((value) => {
    if (value instanceof Html) return value.text
    if (typeof value === 'object') return value.map((item) => item.text).join('')
    return escapeHtml(String(value))
  })
  return new Html(parts.map((part, index) => part + (shown[index] ?? '')).join(''))
}

const style = `
:root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 18%, transparent); --soft: color-mix(in srgb, currentColor 6%, transparent) }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 1080px; margin: 2rem auto; padding: 0 1rem }
h1 small { opacity: .6; font-weight: normal } a { color: #0969da } .muted { opacity: .65 }
.state { display: inline-block; padding: .1rem .7rem; border-radius: 1rem; color: #fff; background: #1a7f37 }
.state.closed { background: #cf222e } .state.merged { background: #8250df } .state.draft { background: #59636e }
.box { border: 1px solid var(--line); border-radius: 6px; margin: 1rem 0; overflow: hidden }
.box > header { background: var(--soft); padding: .4rem .8rem; border-bottom: 1px solid var(--line) }
.box > div { padding: .2rem .8rem }
table { border-collapse: collapse } .text td, .text th { border: 1px solid var(--line); padding: .2rem .6rem }
table.diff { width: 100%; font: 12px/1.5 ui-monospace, monospace; table-layout: fixed }
.diff td { padding: 0 .5rem; vertical-align: top; white-space: pre-wrap; overflow-wrap: anywhere }
.diff td.n { width: 3.2rem; text-align: right; opacity: .5; user-select: none }
.diff .add { background: color-mix(in srgb, #2da44e 18%, transparent) } .diff .del { background: color-mix(in srgb, #cf222e 15%, transparent) }
.diff .hunk { background: color-mix(in srgb, #0969da 12%, transparent) }
.diff .thread { white-space: normal; font: 14px/1.5 system-ui, sans-serif } .resolved { opacity: .6 }
pre { background: var(--soft); padding: .6rem; overflow: auto } code { background: var(--soft); padding: 0 .2rem }
`

/** Renders a whole page that loads nothing and runs no scripts. */
/** Renders a page. Forms on it can be sent only with `forms`. */
export function renderPage(
  title: string,
  body: Html,
  status = 200,
  options: { forms?: boolean } = {},
): ForgeResponse {
  const html = safeHtml`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}</title><style>${new Html(style)}</style></head><body>${body}</body></html>
`
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; style-src 'unsafe-inline'; ${options.forms ? '' : "form-action 'none'; "}frame-ancestors 'none'`,
    'x-content-type-options': 'nosniff',
  }
  return { status, headers, body: html.text }
}

/** Renders the Markdown of reviews. All HTML is escaped except a few tags without attributes. */
export function renderMarkdown(text: string): Html {
  const out: string[] = []
  const lines = text
    .replaceAll('\r\n', '\n')
    .replace(/<!--[\s\S]*?(-->|$)/g, '')
    .split('\n')
  let at = 0
  while (at < lines.length) {
    const fence = /^\s*(`{3,})\s*(\S*)/.exec(lines[at]!)
    const end = fence === null ? at : blockEnd(lines, at, fence[1]!)
    if (fence !== null) {
      const label = fence[2] === 'suggestion' ? '<strong>Suggested change</strong>' : ''
      out.push(`${label}<pre>${escapeHtml(lines.slice(at + 1, end).join('\n'))}</pre>`)
      at = end + 1
    } else if (/^\s*\|/.test(lines[at]!)) {
      const from = at
      while (/^\s*\|/.test(lines[at] ?? '')) at += 1
      out.push(renderTable(lines.slice(from, at)))
    } else if (/^\s*[-*] /.test(lines[at]!)) {
      const from = at
      while (/^\s*[-*] /.test(lines[at] ?? '')) at += 1
      const items = lines
        .slice(from, at)
        .map((line) => `<li>${renderInline(line.replace(/^\s*[-*] /, ''))}</li>`)
      out.push(`<ul>${items.join('')}</ul>`)
    } else {
      out.push(renderLine(lines[at]!))
      at += 1
    }
  }
  return new Html(out.join('\n'))
}

/** Returns the index of the line that closes a code block, or of the end. */
function blockEnd(lines: readonly string[], start: number, fence: string): number {
  const end = lines.findIndex((line, index) => index > start && line.trim().startsWith(fence))
  return end < 0 ? lines.length : end
}

function renderTable(lines: readonly string[]): string {
  const cells = (line: string) =>
    line
      .trim()
      .replace(/^\||\|$/g, '')
      .split(/(?<!\\)\|/)
  const rows = lines.filter((line) => !/^\s*\|[\s:|-]+$/.test(line) || /[^\s:|-]/.test(line))
  const shown = rows.map(
    (line) =>
      `<tr>${cells(line)
        .map((cell) => `<td>${renderInline(cell.trim())}</td>`)
        .join('')}</tr>`,
  )
  return `<table class="text">${shown.join('')}</table>`
}

function renderLine(line: string): string {
  const heading = /^(#{1,6}) (.*)$/.exec(line)
  if (heading !== null)
    return `<h${heading[1]!.length}>${renderInline(heading[2]!)}</h${heading[1]!.length}>`
  if (/^&gt;|^>/.test(line)) return `<blockquote>${renderInline(line.slice(1))}</blockquote>`
  if (/^\s*<\/?(details|summary)\b/.test(line)) return renderInline(line)
  return line.trim() === '' ? '' : `<p>${renderInline(line)}</p>`
}

const allowedTags = /&lt;(\/?(?:details|summary|strong|em|sub|sup|kbd|br|b|i))\s*\/?&gt;/g

/** Code is put back last, so that links and bold text can contain it. */
function renderInline(text: string): string {
  const codes: string[] = []
  const withoutCode = escapeHtml(text).replace(/`([^`]+)`/g, (_, code: string) => {
    codes.push(`<code>${code}</code>`)
    return `\0${codes.length - 1}\0`
  })
  const formatted = withoutCode
    .replace(allowedTags, '<$1>')
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
  return renderLinks(formatted).replace(/\0(\d+)\0/g, (_, index: string) => codes[Number(index)]!)
}

function renderLinks(text: string): string {
  const link = '<a href="$2" rel="nofollow noopener">$1</a>'
  return text.replace(/\[([^\]]*)\]\((https?:\/\/[^\s)]+)\)/g, link)
}
