// Reads Markdown for what it says: its title, its first paragraph, its sections. By lines, each looked at once.
import { isReadable, toOneLine, toPlainText } from './plain-text.ts'

/** A heading and what stands below it up to the next one. */
export interface MarkdownSection {
  /** Plain; empty before the first heading. */
  readonly heading: string
  /** 1 to 6; 0 before the first heading. */
  readonly level: number
  /** List items and paragraphs, in their order; no tables. */
  readonly blocks: readonly MarkdownBlock[]
}

/** A paragraph or a list item. */
export interface MarkdownBlock {
  /** Plain. Of a code block that it announces, the first lines are a part of it. */
  readonly text: string
  readonly isItem: boolean
  /** Of an item, in columns. */
  readonly indent: number
  /** Where it begins, from 1. */
  readonly line: number
}

const maxLines = 5_000
const maxLineLength = 2_000

/** The sections of a document, AsciiDoc's and reStructuredText's headings among them. */
export function readSections(text: string): MarkdownSection[] {
  const sections: { heading: string; level: number; blocks: MarkdownBlock[] }[] = [
    { heading: '', level: 0, blocks: [] },
  ]
  let lines: string[] = []
  let start = { isItem: false, indent: 0, line: 0 }
  const endBlock = () => {
    const plain = toPlainText(lines.join(' '))
    if (plain !== '') sections.at(-1)!.blocks.push({ text: plain, ...start })
    lines = []
  }
  for (const { content, line, indent } of contentLines(text)) {
    if (typeof content !== 'string' && 'code' in content) {
      endBlock()
      const { blocks } = sections.at(-1)!
      const last = blocks.at(-1)
      // What a sentence announces belongs to it.
      if (last?.text.endsWith(':'))
        blocks[blocks.length - 1] = { ...last, text: `${last.text} ${content.code}` }
    } else if (typeof content !== 'string') {
      endBlock()
      sections.push({ heading: toPlainText(content.heading), level: content.level, blocks: [] })
    } else if (content === '') endBlock()
    else {
      const isItem = itemStart.test(content)
      if (isItem || labelStart.test(content)) endBlock()
      if (lines.length === 0) start = { isItem, indent, line }
      lines.push(isItem ? content.replace(itemStart, '') : content)
    }
  }
  endBlock()
  return sections
}

/** `**Status:** …` on lines one below the other are no paragraph. */
const labelStart = /^(\*\*|__)[^*_]{2,40}([:.](\*\*|__)|(\*\*|__):)/
const itemStart = /^([-*+•]|\d{1,3}[.)])\s+(\[[ xX]\]\s+)?/

/** What stands on a line, trimmed, and where. */
interface ContentLine {
  readonly content:
    | string
    | { readonly heading: string; readonly level: number }
    | { readonly code: string }
  readonly line: number
  readonly indent: number
}

/** Lines without front matter, tables and HTML comments; headings and code blocks as such. */
function* contentLines(text: string): Generator<ContentLine> {
  const body = withoutFrontMatter(text)
  const first = text.slice(0, text.length - body.length).split('\n').length
  const lines = body.split('\n', maxLines)
  let fence = ''
  let code: string[] = []
  let inComment = false
  for (const [index, raw] of lines.entries()) {
    const line = raw.slice(0, maxLineLength).trim()
    const at = { line: first + index, indent: /^\s{0,40}/.exec(raw)![0].length }
    const opening = /^(```|~~~|----$)/.exec(line)?.[1] ?? ''
    if (fence !== '') {
      if (!line.startsWith(fence)) code.push(line)
      else {
        fence = ''
        yield { content: { code: shortenCode(code) }, ...at }
        code = []
      }
      continue
    }
    if (inComment || (line.startsWith('<!--') && !line.includes('-->'))) {
      inComment = !line.includes('-->')
      continue
    }
    const heading = headingOf(line, lines[index + 1])
    if (heading) yield { content: heading, ...at }
    else if (opening !== '' && opening !== '----') fence = opening
    else if (/^(\||=+$|-{3,}$|\*{3,}$|_{3,}$|~{3,}$|\.\. |:\w+:|\[[^\]]+\]:)/.test(line))
      yield { content: '', ...at }
    else yield { content: line.replace(/^>\s?/, ''), ...at }
  }
}

/** Its first two lines that aren't comments. */
function shortenCode(lines: readonly string[]): string {
  const told = lines
    .filter((line) => line !== '' && !/^(#|\/\/|--)/.test(line))
    .map((line) => line.replace(/^\$ /, ''))
  return toOneLine(told.slice(0, 2).join('; ').slice(0, 160)) + (told.length > 2 ? ' …' : '')
}

function headingOf(
  line: string,
  next: string | undefined,
): { heading: string; level: number } | undefined {
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
export function readFirstParagraph(text: string): string | undefined {
  const sections = readSections(text)
  for (const { blocks } of sections.slice(0, 4)) {
    const parts = blocks.map((block) => block.text)
    const at = parts.findIndex(
      (part) => isReadable(part) && part.length >= 15 && !isNavigation(part),
    )
    const paragraph = parts[at]
    // What it announces comes after it.
    if (paragraph?.endsWith(':')) return `${paragraph} ${parts.slice(at + 1, at + 4).join('; ')}`
    if (paragraph !== undefined) return paragraph
  }
  const title = sections.find(({ heading }) => isReadable(heading))?.heading
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
