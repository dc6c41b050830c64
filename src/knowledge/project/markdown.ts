// Reads Markdown for what it says: its title, its first paragraph, its sections. By lines, each looked at once.
import { isProse, toOneLine, toPlainText } from './plain-text.ts'

/** A heading and what stands below it up to the next one. */
export interface MarkdownSection {
  /** Plain; empty before the first heading. */
  readonly heading: string
  /** 1 to 6; 0 before the first heading. */
  readonly level: number
  /** List items and paragraphs, plain, in their order. Of code blocks the first lines of announced ones; no tables. */
  readonly parts: readonly string[]
}

const mostLines = 5_000
const longestLine = 2_000

/** The sections of a document, AsciiDoc's and reStructuredText's headings among them. */
export function readSections(text: string): MarkdownSection[] {
  const sections: { heading: string; level: number; parts: string[] }[] = [{ heading: '', level: 0, parts: [] }]
  let part: string[] = []
  const endPart = () => {
    const plain = toPlainText(part.join(' '))
    if (plain !== '') sections.at(-1)!.parts.push(plain)
    part = []
  }
  for (const line of contentLines(text)) {
    if (typeof line !== 'string' && 'code' in line) {
      endPart()
      const parts = sections.at(-1)!.parts
      // What a sentence announces belongs to it.
      if (parts.at(-1)?.endsWith(':')) parts[parts.length - 1] += ` ${line.code}`
    } else if (typeof line !== 'string') {
      endPart()
      sections.push({ heading: toPlainText(line.heading), level: line.level, parts: [] })
    } else if (line === '') endPart()
    else if (/^([-*+]|\d{1,3}[.)])\s/.test(line)) {
      endPart()
      part.push(line.replace(/^([-*+]|\d{1,3}[.)])\s+(\[[ xX]\]\s+)?/, ''))
    } else part.push(line)
  }
  endPart()
  return sections
}

/** Trimmed lines without front matter, tables and HTML comments; headings and code blocks as such. */
function* contentLines(text: string): Generator<string | { heading: string; level: number } | { code: string }> {
  const lines = withoutFrontMatter(text).split('\n', mostLines)
  let fence = ''
  let code: string[] = []
  let inComment = false
  for (const [index, raw] of lines.entries()) {
    const line = raw.slice(0, longestLine).trim()
    const opening = /^(```|~~~|----$)/.exec(line)?.[1] ?? ''
    if (fence !== '') {
      if (!line.startsWith(fence)) code.push(line)
      else {
        fence = ''
        yield { code: shortenCode(code) }
        code = []
      }
      continue
    }
    if (inComment || (line.startsWith('<!--') && !line.includes('-->'))) {
      inComment = !line.includes('-->')
      continue
    }
    const heading = headingOf(line, lines[index + 1])
    if (heading) yield heading
    else if (opening !== '' && opening !== '----') fence = opening
    else if (/^(\||=+$|-{3,}$|\*{3,}$|_{3,}$|~{3,}$|\.\. |:\w+:|\[[^\]]+\]:)/.test(line)) yield ''
    else yield line.replace(/^>\s?/, '')
  }
}

/** Its first two lines that aren't comments. */
function shortenCode(lines: readonly string[]): string {
  const told = lines.filter((line) => line !== '' && !/^(#|\/\/|--)/.test(line)).map((line) => line.replace(/^\$ /, ''))
  return toOneLine(told.slice(0, 2).join('; ').slice(0, 160)) + (told.length > 2 ? ' …' : '')
}

function headingOf(line: string, next: string | undefined): { heading: string; level: number } | undefined {
  const marked = /^(#{1,6}|={1,6})\s+(.+)$/.exec(line)
  if (marked) return { heading: marked[2]!.replace(/\s+#+$/, ''), level: marked[1]!.length }
  const underline = next?.trim() ?? ''
  const isUnderlined = /^(=+|-+|~+)$/.test(underline) && underline.length >= 3
  if (!isUnderlined || line === '' || /^[-*+|>]/.test(line) || line.length > 120) return undefined
  return { heading: line, level: underline.startsWith('=') ? 1 : 2 }
}

/** What stands between the first two lines of `---`, or nothing. */
export function readFrontMatter(text: string): string {
  return /^---\n([\s\S]{0,4000}?)\n---\s*(\n|$)/.exec(text)?.[1] ?? ''
}

function withoutFrontMatter(text: string): string {
  return text.replace(/^---\n[\s\S]{0,4000}?\n---\s*(\n|$)/, '')
}

/** The first paragraph that says something, not a list of links to translations or badges; else the title. */
export function readOpening(text: string): string | undefined {
  const sections = readSections(text)
  for (const { parts } of sections.slice(0, 4)) {
    const at = parts.findIndex((part) => isProse(part) && part.length >= 15 && !isNavigation(part))
    const paragraph = parts[at]
    // What it announces comes after it.
    if (paragraph?.endsWith(':')) return `${paragraph} ${parts.slice(at + 1, at + 4).join('; ')}`
    if (paragraph !== undefined) return paragraph
  }
  const title = sections.find(({ heading }) => isProse(heading))?.heading
  return title
}

function isNavigation(part: string): boolean {
  const separators = part.match(/[|•·]/g)?.length ?? 0
  const isLink = part.includes('://') && part.length < 120
  return (
    isLink ||
    separators >= 2 ||
    /^(table of contents|note|warning|status|website|docs|documentation)\b.{0,20}$/i.test(part)
  )
}
