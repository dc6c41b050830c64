// Reads the sections and the first paragraph of Markdown, AsciiDoc and reStructuredText.
import { isReadable, toOneLine, toPlainText } from './plain-text.ts'

export interface MarkdownSection {
  /** The markup is removed; it is empty before the first heading. */
  readonly heading: string
  /** It is from 1 to 6, and 0 before the first heading. */
  readonly level: number
  /** List items and paragraphs in their order, without tables. */
  readonly blocks: readonly MarkdownBlock[]
}

export interface MarkdownBlock {
  /** Without markup; includes the first lines of a code block that it introduces. */
  readonly text: string
  readonly isItem: boolean
  /** The indentation is in columns. */
  readonly indent: number
  /** The block's first line, 1-based. */
  readonly line: number
}

const maxLines = 5_000
const maxLineLength = 2_000

/** Sections begin at headings of any of the three formats. */
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
      // A sentence that ends with a colon introduces the code below it.
      if (last?.text.endsWith(':'))
        blocks[blocks.length - 1] = { ...last, text: `${last.text} ${content.code}` }
    } else if (typeof content !== 'string') {
      endBlock()
      sections.push({ heading: toPlainText(content.heading), level: content.level, blocks: [] })
    } else if (content === '') {
      endBlock()
    } else {
      const isItem = itemStart.test(content)
      if (isItem || labelStart.test(content)) endBlock()
      if (lines.length === 0) start = { isItem, indent, line }
      lines.push(isItem ? content.replace(itemStart, '') : content)
    }
  }
  endBlock()
  return sections
}

/** Lines such as `**Status:** …` are separate blocks, even without blank lines in between. */
const labelStart = /^(\*\*|__)[^*_]{2,40}([:.](\*\*|__)|(\*\*|__):)/
const itemStart = /^([-*+•]|\d{1,3}[.)])\s+(\[[ xX]\]\s+)?/

interface ContentLine {
  /** The trimmed line; a separator is an empty one. */
  readonly content:
    | string
    | { readonly heading: string; readonly level: number }
    | { readonly code: string }
  readonly line: number
  readonly indent: number
}

/** Yields the lines without front matter, tables and HTML comments; code blocks as one line. */
function* contentLines(text: string): Generator<ContentLine> {
  const body = withoutFrontMatter(text)
  const firstLine = text.slice(0, text.length - body.length).split('\n').length
  const lines = body.split('\n', maxLines)
  let fence: string | undefined
  let code: string[] = []
  let isInComment = false
  for (const [index, rawLine] of lines.entries()) {
    const line = rawLine.slice(0, maxLineLength).trim()
    const position = { line: firstLine + index, indent: /^\s{0,40}/.exec(rawLine)![0].length }
    if (fence !== undefined) {
      const isClosing = line.startsWith(fence)
      if (!isClosing) {
        code.push(line)
        continue
      }
      yield { content: { code: shortenCode(code) }, ...position }
      fence = undefined
      code = []
      continue
    }
    if (isInComment || opensComment(line)) {
      isInComment = !line.includes('-->')
      continue
    }
    const heading = headingOf(line, lines[index + 1])
    if (heading === undefined) fence = /^(```|~~~)/.exec(line)?.[1]
    if (fence === undefined) yield { content: heading ?? toContent(line), ...position }
  }
}

function opensComment(line: string): boolean {
  return line.startsWith('<!--') && !line.includes('-->')
}

/** Lines of tables, rules, underlines, directives, fields and link definitions. */
const separatorLine = /^(\||=+$|-{3,}$|\*{3,}$|_{3,}$|~{3,}$|\.\. |:\w+:|\[[^\]]+\]:)/

function toContent(line: string): string {
  return separatorLine.test(line) ? '' : line.replace(/^>\s?/, '')
}

/** Keeps the first two lines that are not comments. */
function shortenCode(lines: readonly string[]): string {
  const commands = lines
    .filter((line) => line !== '' && !/^(#|\/\/|--)/.test(line))
    .map((line) => line.replace(/^\$ /, ''))
  const text = toOneLine(commands.slice(0, 2).join('; ').slice(0, 160))
  return commands.length > 2 ? `${text} …` : text
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

/** The text between a first line `---` and the next one; empty if there is none. */
export function readFrontMatter(text: string): string {
  return /^---\n([\s\S]{0,4000}?)\n---\s*(\n|$)/.exec(text)?.[1] ?? ''
}

function withoutFrontMatter(text: string): string {
  return text.replace(/^---\n[\s\S]{0,4000}?\n---\s*(\n|$)/, '')
}

/** The first readable paragraph that isn't navigation or badges, otherwise the title. */
export function readFirstParagraph(text: string): string | undefined {
  const sections = readSections(text)
  for (const { blocks } of sections.slice(0, 4)) {
    const texts = blocks.map((block) => block.text)
    const index = texts.findIndex(
      (candidate) => isReadable(candidate) && candidate.length >= 15 && !isNavigation(candidate),
    )
    const paragraph = texts[index]
    if (paragraph === undefined) continue
    // A paragraph that ends with a colon introduces the blocks after it.
    const isIntroduction = paragraph.endsWith(':')
    if (!isIntroduction) return paragraph
    return `${paragraph} ${texts.slice(index + 1, index + 4).join('; ')}`
  }
  return sections.find(({ heading }) => isReadable(heading))?.heading
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
