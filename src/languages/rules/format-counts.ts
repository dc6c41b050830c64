// Finds formats with more placeholders than values, in languages whose calls are described.
import type { Node } from 'web-tree-sitter'
import { type CodeSyntax, contentOf } from './code-syntax.ts'
import type { Hit, SyntaxCheck } from './syntax-check.ts'
import { firstLine, quoteCode } from './syntax-nodes.ts'

type Calls = Pick<CodeSyntax, 'calls' | 'calleeOf' | 'argumentsOf' | 'literals'>

/** How a function marks the places of values. */
type Style = 'printf' | 'braces' | 'names' | 'indexes'

interface Formatter {
  readonly callee: RegExp
  readonly style: Style
  /** What happens at the places that have no value, as the end of "When this runs, …". */
  readonly outcome: string
}

const escapes = /%%|\{\{|\}\}/g

/** Counts the values that a format takes; undefined where names or positions prevent that. */
function countPlaces(format: string, style: Style): number | undefined {
  const text = format.replace(escapes, '')
  switch (style) {
    case 'printf': {
      if (/%[^%\s]*[*$<{(]|%-?\d*$/.test(text)) return undefined
      return text.match(/%[-+ #0-9.']*(?:hh?|ll?)?[bcdeEfFgGosuxXivjO]/g)?.length ?? 0
    }
    case 'braces':
      return text.split('{}').length - 1
    case 'names':
      return new Set(text.match(/\{[@$]?[A-Za-z_]\w*(?:[,:][^{}]*)?\}/g) ?? []).size
    case 'indexes': {
      const indexes = [...text.matchAll(/\{(\d+)(?:[,:][^{}]*)?\}/g)].map((match) =>
        Number(match[1]),
      )
      return Math.max(-1, ...indexes) + 1
    }
  }
}

/** Reports calls whose format has more places than values follow. */
export function formatCounts(syntax: Calls, formatters: readonly Formatter[]): SyntaxCheck {
  return {
    nodes: syntax.calls,
    check(call) {
      const callee = syntax.calleeOf(call).slice(-200)
      const formatter = formatters.find((each) => each.callee.test(callee))
      if (!formatter) return undefined
      const args = syntax.argumentsOf(call)
      const at = args.slice(0, 3).findIndex(({ type }) => syntax.literals.includes(type))
      const format = args[at]
      const values = args.slice(at + 1)
      if (!format || /[$#]\{|\{\$|^[f$@]+"/.test(format.text) || isSpread(values)) return undefined
      return countHit(format, values.length, formatter)
    },
  }
}

/** Whether one value may stand for several. */
function isSpread(values: readonly Node[]): boolean {
  const isList = ({ type, text }: Node) =>
    /spread|splat|unpack|hash|pair|named|array|dictionary|object/.test(type) ||
    /^(?:\.\.\.|\*|\w+:)/.test(text)
  const [first] = values
  const mayBeList =
    values.length === 1 && /args|values|params|parts|fields|list$|s$/i.test(first!.text)
  return (
    mayBeList ||
    values.some((value) => isList(value) || /^(?:\.\.\.|\*)/.test(value.parent?.text ?? ''))
  )
}

function countHit(format: Node, count: number, { style, outcome }: Formatter): Hit | undefined {
  const places = countPlaces(contentOf(format.text), style)
  // A format without values is often a text that another function formats.
  if (places === undefined || places <= count || (count === 0 && style !== 'names'))
    return undefined
  const plural = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`
  return {
    at: firstLine(format),
    title:
      `${quoteCode(contentOf(format.text))} has ${plural(places, 'placeholder')}, but gets ` +
      plural(count, 'argument'),
    body: `When this runs, ${outcome}.`,
  }
}

export const loggedBraces = {
  callee: /(?:^|\.)_?(?:log|logger|LOG|LOGGER)\.(?:trace|debug|info|warn|error)$/,
  style: 'braces',
  outcome: 'the message keeps a `{}` in place of a value',
} as const
