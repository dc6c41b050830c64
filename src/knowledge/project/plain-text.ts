// Turns what repositories say of themselves, in Markdown, HTML or comments, into plain sentences of a bounded length.

/** What is longer is cut. */
const maxSentenceLength = 240

/** Control characters, and those that turn the direction of text around or can't be seen. */
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

/** On one line, without what can't be seen. */
export function toOneLine(text: string): string {
  return text.replace(invisibleCharacters, ' ').replace(/\s+/g, ' ').trim()
}

/** Markup is taken away, what it marks stays, code as it is; one line. */
export function toPlainText(text: string): string {
  const code: string[] = []
  // Private characters, of which nothing is left in what is read, hold the places of the code.
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

/** No sentence ends after these. */
const abbreviation =
  /(^|[\s(])(e\.g|i\.e|etc|vs|cf|approx|resp|no|incl|St|Mr|Mrs|Dr|Inc|Ltd|al|[A-Z])\.$/i

/** The first sentence of a plain text, with its full stop; what is longer than a sentence should be is cut at a word. */
export function firstSentence(text: string, most = maxSentenceLength): string {
  const start = text.slice(0, most + 1)
  for (const match of start.matchAll(/[.!?。！？]["')\]]{0,2}(?=\s|$)|[。！？]/gu)) {
    const sentence = start.slice(0, match.index + match[0].length)
    if (sentence.length >= 12 && sentence.length <= most && !abbreviation.test(sentence))
      return sentence
  }
  return text.length <= most ? endSentence(text) : truncateText(text, most)
}

/** Cut at a word, with an ellipsis. */
export function truncateText(text: string, most: number): string {
  if (text.length <= most) return text
  const start = text.slice(0, most - 1).toWellFormed()
  const space = start.lastIndexOf(' ')
  return `${(space > most / 2 ? start.slice(0, space) : start).replace(/[\s,;:–-]+$/, '')}…`
}

function endSentence(text: string): string {
  const bare = text.replace(/[\s,;:–-]+$/, '')
  return bare === '' || /[.!?…。！？]["')\]]?$/.test(bare) ? bare : `${bare}.`
}

/** Whether a text says something to a reader: some words, and more letters than signs. */
export function isReadable(text: string): boolean {
  const letters = text.match(/\p{L}/gu)?.length ?? 0
  const words = text.match(/[\p{L}\p{N}]{2,}/gu)?.length ?? 0
  return (
    letters >= 10 &&
    letters >= text.length * 0.55 &&
    ((words >= 3 && /\S\s+\S+\s+\S/.test(text)) ||
      /[\p{Script=Han}\p{Script=Hiragana}]/u.test(text))
  )
}
