// Finds loops whose bound doesn't fit what they read, by the text of their heads.
import type { Node } from 'web-tree-sitter'
import type { Hit, SyntaxCheck } from './syntax-check.ts'
import { field, firstLine, quoteCode } from './syntax-nodes.ts'

/** Heads and bodies of loops are read up to these lengths. */
const maxHead = 200
const maxBody = 10_000

/** The numbers that a loop counts, without the last one. */
interface Counted {
  readonly name: string
  readonly first: string
  readonly end: string
}

/** Checks loops that count: pages without the last one, and elements past the end. */
export function loopBounds(nodes: readonly string[]): SyntaxCheck {
  return {
    nodes,
    check(loop, file) {
      const body = field(loop, 'body') ?? loop.namedChildren.at(-1)
      if (!body) return undefined
      const head = loop.text.slice(0, Math.min(maxHead, body.startIndex - loop.startIndex))
      const counted = readCounted(head.replace(/\s+/g, ' '))
      const text = body.text.slice(0, maxBody)
      if (!counted) return undefined
      return (
        checkPages(loop, counted, text) ??
        checkWindows(loop, counted, text) ??
        (file.language === 'rust' ? checkNext(loop, counted, text) : undefined)
      )
    },
  }
}

const countedHeads = [
  // `for (let page = 2; page < total; page++)`, also in Go and PHP.
  new RegExp(
    String.raw`^for \(?(?:let |var |int |long |size_t )?(\$?\w+) ?:?= ?(\w+); ?` +
      String.raw`\1 < ([^;=<]{1,80}?); ?(?:\1 ?\+\+|\+\+ ?\1|\1 ?\+= ?1)`,
  ),
  // Python.
  /^for (\w+) in range\((?:(\w+), ?)?([^:=]{1,80})\) ?:/,
  // Rust.
  /^for (\w+) in (\w+) ?\.\.(?![=.]) ?([^={]{1,80}?) ?$/,
  // Kotlin.
  /^for \((\w+) in (\w+) (?:until|\.\.<) ([^{]{1,80}?)\) ?$/,
]

/** Reads the head of a loop that goes up by one, and stops before its end. */
function readCounted(head: string): Counted | undefined {
  for (const pattern of countedHeads) {
    const [, name, first = '0', end] = pattern.exec(head) ?? []
    if (name && end) return { name, first, end: end.trim() }
  }
  return undefined
}

const pageCount =
  /(?:^|[\w.$>])(?:total_?pages?|pages?_?(?:count|total)|num_?(?:of_?)?pages|number_?of_?pages|last_?page)(?:\(\))?$/i

/** `for (page = 2; page < totalPages; page++)`: who starts at 2 counts from 1. */
function checkPages(loop: Node, { name, first, end }: Counted, body: string): Hit | undefined {
  if (first !== '2' || !pageCount.test(end)) return undefined
  if (mentionsNext(body, name)) return undefined
  return {
    at: firstLine(loop),
    title: `Off-by-one: the last page is missing, ${quoteCode(name)} ends before ${quoteCode(end)}`,
    body:
      `When there are several pages, the loop ends before the last one: pages are counted from ` +
      `1 here, because it starts at 2. Include ${quoteCode(end)}.`,
  }
}

function mentionsNext(body: string, name: string): boolean {
  return ['+ 1', '+1'].some(
    (step) => body.includes(`${name} ${step}`) || body.includes(name + step),
  )
}

const windowEnd =
  /^(?:len\(([\w.]{1,60})\)|count\((\$?[\w>-]{1,60})\)|([\w.$>-]{1,60}?)\.(?:length|size|Length|Count|len)(?:\(\))?) ?- ?(\w{1,40})$/

/** `for i in range(len(xs) - n)` with `xs[i:i + n]`. */
function checkWindows(loop: Node, { name, first, end }: Counted, body: string): Hit | undefined {
  const [, ...groups] = windowEnd.exec(end) ?? []
  const size = groups.pop()
  const list = groups.find((group) => group !== undefined)
  if (first !== '0' || !size || !list || size === '1') return undefined
  const flat = body.replace(/\s+/g, '')
  const next = `${name}+${size}`
  const windows = [
    ...[`[${name}:${next}]`, `[${name}..${next}]`, `(${name},${next})`],
    ...[`.Substring(${name},${size})`, `.substr(${name},${size})`],
  ]
  const used = windows.find((text) => flat.includes(text))
  // Who reads the element after the window needs one.
  const rest = used && flat.replaceAll(used, '')
  if (rest === undefined || rest.includes(next)) return undefined
  return {
    at: firstLine(loop),
    title: `Off-by-one: the last window of ${quoteCode(list)} is missing`,
    body:
      `When ${quoteCode(list)} has exactly ${quoteCode(size)} elements, the loop doesn't run at ` +
      `all, although there is one window. Add 1 to ${quoteCode(end)}.`,
  }
}

/** Rust: `for i in 1..v.len()` with `v[i + 1]`. */
function checkNext(loop: Node, { name, end }: Counted, body: string): Hit | undefined {
  const list = /^([\w.]{1,60})\.len\(\)$/.exec(end)?.[1]
  if (!list) return undefined
  const access = [`${list}[${name} + 1]`, `${list}[${name}+1]`].find((text) => body.includes(text))
  const guarded = guards(name).test(body.replace(/\[[^[\]]{0,60}\]/g, ''))
  if (!access || guarded || /\b(?:break|return|continue)\b/.test(body)) return undefined
  return {
    at: firstLine(loop),
    title: `Off-by-one: ${quoteCode(access)} is out of bounds in the last iteration`,
    body:
      `When ${quoteCode(name)} is the last index, there is no next element, and this panics. End ` +
      'the loop one iteration earlier.',
  }
}

/** A comparison with the index, apart from those of elements. */
function guards(name: string): RegExp {
  return new RegExp(
    `\\b${name}\\b[^;\\n]{0,40}(?:[<>=!]=|[<>])|[<>=]\\s?[^;\\n]{0,40}\\b${name}\\b`,
  )
}
