// Takes the Markdown apart with which sources answer searches: a numbered heading for each result. Pure.

/** One result. */
export interface ResultPart {
  readonly title: string
  readonly text: string
}

/** `## 1. …` or `### Result 1 of 5`. */
const numberedHeading =
  /^(#{1,4})[ \t]+(?:\d{1,3}\.|Result \d{1,4}(?: of \d{1,5})?)[ \t]*(.{0,500})/
const maxTextChars = 200_000

/** The first results; none where there are no such headings. */
export function splitResults(text: string, most: number): ResultPart[] {
  const results: { heading: string; level: number; lines: string[] }[] = []
  let inside = false
  for (const line of text.slice(0, maxTextChars).split('\n')) {
    const start = numberedHeading.exec(line)
    const level = /^#{1,6}(?= )/.exec(line)?.[0].length
    if (start !== null) {
      if (results.length === most) break
      results.push({
        heading: start[2] as string,
        level: (start[1] as string).length,
        lines: [line],
      })
      inside = true
    } else if (inside && level !== undefined && level <= (results.at(-1)?.level ?? 0)) {
      // What comes after the results is for whoever asks on.
      inside = false
    } else if (inside) results.at(-1)?.lines.push(line)
  }
  return results.map(({ heading, lines }) => ({
    title: titleOfResult(heading, lines.slice(1)),
    text: lines.join('\n'),
  }))
}

function titleOfResult(heading: string, lines: readonly string[]): string {
  const named = stripMarkdown(heading)
  if (named !== '') {
    const stressed = lines.find((line) => /^\*\*[^*]+\*\*\s*$/.test(line))
    return stressed === undefined ? named : `${named}: ${stripMarkdown(stressed)}`
  }
  // A message: who said it isn't what it says.
  const at = lines.findIndex((line) => /^Text:/.test(line))
  const said = [(lines[at] ?? '').slice('Text:'.length), ...lines.slice(at + 1)].find(
    (line) => line.trim() !== '',
  )
  const channel = lines
    .map((line) => /^Channel: (#[^\s()]{1,80})/.exec(line)?.[1])
    .find((name) => name !== undefined)
  const words = stripMarkdown(said ?? lines.find((line) => line.trim() !== '') ?? '')
  return channel === undefined ? words : `${channel}: ${words}`
}

/** Its heading, where it is Markdown. */
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

/** Whether the answer to a search is that there is nothing. */
export function saysNoResults(text: string): boolean {
  return /\b(?:no|0)\b[^.\n]{0,40}\b(?:found|results?|matches)\b/i.test(text.slice(0, 1_000))
}
