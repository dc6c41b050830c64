// Finds formats with more placeholders than values.
import type { Node } from 'web-tree-sitter'
import { type Callees, callees } from './callee-words.ts'
import { callAndNewTypes, readCall } from './calls.ts'
import { languagesOf, pickByLanguage } from './language-rules.ts'
import { isText, stringText } from './literals.ts'
import type { Hit, ParsedFile } from './syntax-check.ts'
import { firstLine, quoteCode } from './syntax-nodes.ts'

/** How a function marks the places of values. */
type Style = 'printf' | 'braces' | 'names' | 'indexes'

interface Formatter {
  readonly callees: Callees
  readonly style: Style
  /** What happens at the places that have no value, as the end of "When this runs, …". */
  readonly outcome: string
}

/** What formats a text in each language; Python, Go and Java have checks of their own. */
const formatters = {
  javascript: [
    {
      callees: callees('util.format vsprintf sprintf console.{log,info,warn,error,debug}'),
      style: 'printf',
      outcome: 'the text keeps a placeholder in place of a value',
    },
  ],
  kotlin: [
    {
      callees: callees('**.{,_}{log,logger,LOG,LOGGER}.{trace,debug,info,warn,error}'),
      style: 'braces',
      outcome: 'the message keeps a `{}` in place of a value',
    },
  ],
  'c-sharp': [
    {
      callees: callees(
        '**.Log{Trace,Debug,Information,Warning,Error,Critical}',
        '{,_}{l,L}og{,ger}.{Verbose,Debug,Information,Warning,Error,Fatal}',
      ),
      style: 'names',
      outcome: 'the message keeps a placeholder in place of a value',
    },
    {
      callees: callees('{s,S}tring.Format .AppendFormat'),
      style: 'indexes',
      outcome: 'it throws a `FormatException`',
    },
  ],
  php: [
    {
      callees: callees('{,s}printf'),
      style: 'printf',
      outcome: 'it throws an `ArgumentCountError`',
    },
  ],
  ruby: [
    {
      callees: callees('{Kernel.,}{format,sprintf,printf}'),
      style: 'printf',
      outcome: 'it raises an `ArgumentError`',
    },
  ],
} satisfies Readonly<Record<string, readonly Formatter[]>>

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
export const formatCounts = {
  languages: languagesOf(formatters),
  nodes: callAndNewTypes,
  check: checkCall,
}

function checkCall(call: Node, file: ParsedFile): Hit | undefined {
  const { plain, args } = readCall(call)
  const formatter = pickByLanguage<readonly Formatter[]>(formatters, file)?.find((each) =>
    each.callees(plain),
  )
  if (!formatter) return undefined
  const at = args.slice(0, 3).findIndex(isText)
  const format = args[at]
  const values = args.slice(at + 1)
  if (!format || /[$#]\{|\{\$|^[f$@]+"/.test(format.text) || isSpread(values)) return undefined
  return countHit(format, values.length, formatter)
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
  const places = countPlaces(stringText(format), style)
  // A format without values is often a text that another function formats.
  if (places === undefined || places <= count || (count === 0 && style !== 'names'))
    return undefined
  const plural = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`
  return {
    at: firstLine(format),
    title:
      `${quoteCode(stringText(format))} has ${plural(places, 'placeholder')}, but gets ` +
      plural(count, 'argument'),
    body: `When this runs, ${outcome}.`,
  }
}
