// Finds messages that were copied with the code around them, and that name what the copy replaced.
import type { Node } from 'web-tree-sitter'
import type { Hit, ParsedFile, SyntaxCheck } from './syntax-check.ts'
import { firstLine, lineOf, quoteCode } from './syntax-nodes.ts'

const textTypes = [
  ...['string', 'string_literal', 'interpreted_string_literal', 'encapsed_string'],
  ...['interpolated_string_expression', 'template_string'],
]

const minLength = 8
const maxLength = 200
const maxStatementLength = 600

/** How many nodes lie between a statement and its copy at most. */
const maxDistance = 4

/** Keys of translations stand for the same text in several places. */
const translationPath = /(?:^|\/)(?:lang|locales?|i18n|l10n|translations?)\//

const repeatedTexts = new WeakMap<ParsedFile, Map<string, Node[]>>()

/** Indexes the texts of a file that several literals have. */
function indexTexts(file: ParsedFile): Map<string, Node[]> {
  let index = repeatedTexts.get(file)
  if (!index) {
    index = new Map()
    for (const node of file.root.descendantsOfType(textTypes)) {
      const length = node.endIndex - node.startIndex
      if (length < minLength || length > maxLength || !/\w \w/.test(node.text)) continue
      index.set(node.text, [...(index.get(node.text) ?? []), node])
    }
    repeatedTexts.set(file, index)
  }
  return index
}

function checkMessage(literal: Node, file: ParsedFile): Hit | undefined {
  const length = literal.endIndex - literal.startIndex
  if (length < minLength || length > maxLength || translationPath.test(file.path)) return undefined
  // What another one doesn't have may be hidden on purpose.
  if (/not found|invalid|no such|unknown/i.test(literal.text)) return undefined
  const same = indexTexts(file).get(literal.text) ?? []
  const before = same.findLast((other) => other.endIndex <= literal.startIndex)
  const pair = before && siblingsAround(before, literal)
  const kept = pair && findKeptName(pair, literal.text)
  if (!kept) return undefined
  return {
    at: firstLine(literal),
    title:
      `Copied text: ${quoteCode(literal.text)} names ${quoteCode(kept.from)}, not ` +
      quoteCode(kept.to),
    body:
      `When somebody reads this, it sends them to ${quoteCode(kept.from)}, although the code is ` +
      `about ${quoteCode(kept.to)}. Name that.`,
    evidence: [{ line: lineOf(before), note: 'the same text, where it fits' }],
  }
}

/** The statements or elements of the same list that hold two nodes. */
function siblingsAround(first: Node, second: Node): readonly [Node, Node] | undefined {
  let later = second
  while (later.parent && later.parent.startIndex > first.startIndex) later = later.parent
  const list = later.parent
  if (!list || later.endIndex - later.startIndex > maxStatementLength) return undefined
  let earlier = first
  while (earlier.parent && earlier.parent.id !== list.id) {
    if (earlier.endIndex - earlier.startIndex > maxStatementLength) return undefined
    earlier = earlier.parent
  }
  let next = earlier.nextNamedSibling
  for (let count = 0; next && count < maxDistance; count++) {
    if (next.id === later.id) return [earlier, later]
    next = next.nextNamedSibling
  }
  return undefined
}

/** Splits code into the words of its names and the other characters, without blocks. */
function wordsOf(text: string): string[] {
  const words = text.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\sA-Za-z\d{};_]/g) ?? []
  return words.map((word) => word.toLowerCase())
}

/** A text for people, whose other words aren't those of the code. */
const sentence = /"[^"\n]*\w \w[^"\n]*"|'[^'\n]*\w \w[^'\n]*'|`[^`]*\w \w[^`]*`/g

const negation = /\bunless\b|!==? /

/** Finds the name that the code of a copy replaces and its message keeps. */
function findKeptName(
  [before, after]: readonly [Node, Node],
  message: string,
): { from: string; to: string } | undefined {
  const [old, copy] = [before, after].map(({ text }) => wordsOf(text.replaceAll(sentence, '')))
  if (!old || !copy || old.length !== copy.length) return undefined
  // A negation turns a name around.
  const [isOldNegated, isCopyNegated] = [before, after].map(({ text }) => negation.test(text))
  if (isOldNegated !== isCopyNegated) return undefined
  const changed = old.flatMap((word, index) => (word === copy[index] ? [] : [index]))
  if (changed.length === 0 || changed.length > 6) return undefined
  const named = wordsOf(message)
  for (const index of changed) {
    const [from, to] = [old[index]!, copy[index]!]
    const isNamed = named.includes(from) && !named.includes(to) && !copy.includes(from)
    if (isNamed && areOtherNames(from, to)) return { from, to }
  }
  return undefined
}

/** Whether two words are names, and not forms of one, which may share a text. */
function areOtherNames(one: string, other: string): boolean {
  const isForm = one.includes(other) || other.includes(one)
  return !isForm && [one, other].every((word) => /^[a-z]{3,}$/.test(word))
}

/** Reports a message that names what the code before it is about. */
export const copiedMessages: SyntaxCheck = { nodes: textTypes, check: checkMessage }

const thrown = 'throw new Argument\\w*Exception\\(\\s*nameof\\((\\w+)\\)'

const namedArgument = new RegExp(
  `\\b(\\w+)\\s*\\?\\?\\s*${thrown}|` +
    `\\bif \\(\\s*(\\w+) (?:==|is) null\\s*\\)\\s*\\{?\\s*${thrown}`,
)

/** C#: `b ?? throw new ArgumentNullException(nameof(a))`. */
function checkNameOf(node: Node): Hit | undefined {
  const text = node.text.slice(0, 300)
  const match = namedArgument.exec(text)
  const [tested, named] = (match ?? []).slice(1).filter((group) => group !== undefined)
  if (!tested || !named || tested === named) return undefined
  const row = text.slice(0, match!.index + match![0].length).split('\n').length - 1
  const line = lineOf(node) + row
  return {
    at: { startLine: line, endLine: line },
    title: `The exception names ${quoteCode(named)}, but ${quoteCode(tested)} was tested`,
    body:
      `When ${quoteCode(tested)} is missing, the message sends the reader to another parameter. ` +
      `Use \`nameof(${tested})\`.`,
  }
}

export const misnamedArgument: SyntaxCheck = {
  nodes: ['assignment_expression', 'if_statement'],
  check: checkNameOf,
}
