// Converts Markdown, HTML and comments of repositories into plain sentences of bounded length.

const maxSentenceLength = 240

/** Matches control characters, invisible ones, and those that change the direction of text. */
const invisibleCharacters = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}]+/gu

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  '#39': "'",
}

/** Joins lines and removes invisible characters. */
export function toOneLine(text: string): string {
  return text.replace(invisibleCharacters, ' ').replace(/\s+/g, ' ').trim()
}

/** Removes markup, but not its contents, and joins lines. Code stays unchanged. */
export function toPlainText(text: string): string {
  const code: string[] = []
  // Private-use characters, which are removed from the input, serve as placeholders for code.
  const marked = text
    .replace(/\p{Co}/gu, ' ')
    .replace(/`{1,3}([^`]{1,300})`{1,3}/g, (_, inner: string) => {
      code.push(inner)
      return `\uE000${code.length - 1}\uE001`
    })
  const plain = withoutMarkup(marked).replace(
    /\uE000(\d{1,5})\uE001/g,
    (_, index: string) => code[Number(index)] ?? '',
  )
  return toOneLine(plain).replace(/ ([,.;:!?])(?=\s|$)/g, '$1')
}

function withoutMarkup(text: string): string {
  return text
    .replace(/<!--[\s\S]{0,2000}?-->/g, ' ')
    .replace(/<(https?:[^<>\s]{1,300})>/g, '$1')
    .replace(/<\/?[a-zA-Z][^<>]{0,500}>/g, ' ')
    .replace(/!\[[^[\]]{0,300}\](\([^()]{0,500}\)|\[[^[\]]{0,100}\])/g, ' ')
    .replace(/\[([^[\]]{0,300})\](\([^()]{0,500}\)|\[[^[\]]{0,100}\])/g, '$1')
    .replace(/\[!(\w{1,20})\]/g, ' ')
    .replace(/(\*{1,3})(?=\S)([^*]{0,300}[^\s*])\1/g, '$2')
    .replace(/(?<![\p{L}\p{N}_])(__?)(?=\S)([^_]{0,300}[^\s_])\1(?![\p{L}\p{N}_])/gu, '$2')
    .replace(/\*{2,3}(?=\p{L})|(?<=[\p{L}\p{P}])\*{2,3}/gu, '')
    .replace(/\\([\\`*_{}[\]()#+.!~-])/g, '$1')
    .replace(/(?<=^|\s):[a-z0-9_+-]{2,30}:(?=\s|$)/g, ' ')
    .replace(/&(#39|[a-z]{2,5});/g, (whole, name: string) => entities[name] ?? whole)
    .replace(/\p{Extended_Pictographic}|\u{FE0F}/gu, ' ')
}

/** A full stop after these doesn't end a sentence. */
const abbreviation =
  /(^|[\s(])(e\.g|i\.e|etc|vs|cf|approx|resp|no|incl|St|Mr|Mrs|Dr|Inc|Ltd|al|[A-Z])\.$/i

/** Returns the first sentence with its full stop, cut at a word if it is too long. */
export function firstSentence(text: string, maxLength = maxSentenceLength): string {
  const start = text.slice(0, maxLength + 1)
  for (const match of start.matchAll(/[.!?。！？]["')\]]{0,2}(?=\s|$)|[。！？]/gu)) {
    const sentence = start.slice(0, match.index + match[0].length)
    if (sentence.length >= 12 && sentence.length <= maxLength && !abbreviation.test(sentence))
      return sentence
  }
  return text.length <= maxLength ? endSentence(text) : truncateText(text, maxLength)
}

/** Cuts a long text at a word and appends an ellipsis. */
export function truncateText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  const start = text.slice(0, maxLength - 1).toWellFormed()
  const space = start.lastIndexOf(' ')
  const cut = space > maxLength / 2 ? start.slice(0, space) : start
  return `${cut.replace(/[\s,;:–-]+$/, '')}…`
}

function endSentence(text: string): string {
  const trimmed = text.replace(/[\s,;:–-]+$/, '')
  const isEnded = trimmed === '' || /[.!?…。！？]["')\]]?$/.test(trimmed)
  return isEnded ? trimmed : `${trimmed}.`
}

/** Whether a text consists of words: at least three, and more letters than other characters. */
export function isReadable(text: string): boolean {
  const letters = text.match(/\p{L}/gu)?.length ?? 0
  const words = text.match(/[\p{L}\p{N}]{2,}/gu)?.length ?? 0
  if (letters < 10 || letters < text.length * 0.55) return false
  const hasWords = words >= 3 && /\S\s+\S+\s+\S/.test(text)
  // Chinese and Japanese have no spaces between words.
  return hasWords || /[\p{Script=Han}\p{Script=Hiragana}]/u.test(text)
}
