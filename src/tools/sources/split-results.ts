// Splits the Markdown answer to a search into its results, one for each numbered heading.

interface ResultPart {
  readonly title: string
  readonly text: string
}

/** Matches `## 1. …` and `### Result 1 of 5`. */
const numberedHeading =
  /^(#{1,4})[ \t]+(?:\d{1,3}\.|Result \d{1,4}(?: of \d{1,5})?)[ \t]*(.{0,500})/
const maxTextChars = 200_000

/** Returns the first results, at most `limit`; none when there are no numbered headings. */
export function splitResults(text: string, limit: number): ResultPart[] {
  const results: { heading: string; level: number; lines: string[] }[] = []
  let isInsideResult = false
  for (const line of text.slice(0, maxTextChars).split('\n')) {
    const start = numberedHeading.exec(line)
    const level = /^#{1,6}(?= )/.exec(line)?.[0].length
    if (start !== null) {
      if (results.length === limit) break
      results.push({
        heading: start[2] as string,
        level: (start[1] as string).length,
        lines: [line],
      })
      isInsideResult = true
    } else if (isInsideResult && level !== undefined && level <= (results.at(-1)?.level ?? 0)) {
      // Sections after the results hold hints for further requests.
      isInsideResult = false
    } else if (isInsideResult) results.at(-1)?.lines.push(line)
  }
  return results.map(({ heading, lines }) => ({
    title: titleOfResult(heading, lines.slice(1)),
    text: lines.join('\n'),
  }))
}

function titleOfResult(heading: string, lines: readonly string[]): string {
  const title = stripMarkdown(heading)
  if (title === '') return titleOfMessage(lines)
  const boldLine = lines.find((line) => /^\*\*[^*]+\*\*\s*$/.test(line))
  return boldLine === undefined ? title : `${title}: ${stripMarkdown(boldLine)}`
}

/** Chat messages have no heading, so the title is the channel and the first line of text. */
function titleOfMessage(lines: readonly string[]): string {
  const isNotBlank = (line: string) => line.trim() !== ''
  const textIndex = lines.findIndex((line) => /^Text:/.test(line))
  const textLines = [(lines[textIndex] ?? '').slice('Text:'.length), ...lines.slice(textIndex + 1)]
  const firstLine = textLines.find(isNotBlank) ?? lines.find(isNotBlank) ?? ''
  const channel = lines
    .map((line) => /^Channel: (#[^\s()]{1,80})/.exec(line)?.[1])
    .find((name) => name !== undefined)
  const text = stripMarkdown(firstLine)
  return channel === undefined ? text : `${channel}: ${text}`
}

/** Reads the first non-blank line as a title, without Markdown. */
export function titleOfText(text: string): string {
  const line =
    text
      .slice(0, maxTextChars)
      .split('\n')
      .find((each) => each.trim() !== '') ?? ''
  return stripMarkdown(line.replace(/^#+\s*/, ''))
}

function stripMarkdown(line: string): string {
  return line
    .slice(0, 2_000)
    .replace(/\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replace(/\*\*/g, '')
    .trim()
}

/** Whether a text reports that a search had no results, such as “No issues found”. */
export function isNoResultsText(text: string): boolean {
  return /\b(?:no|0)\b[^.\n]{0,40}\b(?:found|results?|matches)\b/i.test(text.slice(0, 1_000))
}
