// Rules about texts that a function reads as a set of characters or as a regular expression.
import type { Node } from 'web-tree-sitter'
import { isPlainString, stringText } from '../../languages/common/literals.ts'
import {
  argumentsOf,
  calleeOf,
  enclosingFunction,
  enclosingNode,
  field,
  fieldText,
  firstLine,
  lineOf,
  quoteCode,
} from '../../languages/common/syntax-nodes.ts'
import { type Hit, javascriptFamily, type ParsedFile, type Rule } from './rule.ts'

/** Whether a text is meant as a whole, such as `.txt`, and not as a set, such as `0-9`. */
function isWord(text: string): boolean {
  return (
    text.length >= 3 &&
    /[a-z]{2}/i.test(text) &&
    !/\\|^[a-z]*$|abc|xyz|aeiou|^[A-Z]*$/.test(text) &&
    !/^(.)\1*$/.test(text)
  )
}

/** The functions of a language that strip single characters. */
interface StripFunctions {
  readonly names: RegExp
  readonly receiver?: string
  /** The index of the argument that holds the characters. */
  readonly argument: number
  readonly remedy: string
}

const stripFunctions: Readonly<Record<string, StripFunctions>> = {
  python: {
    names: /^[lr]?strip$/,
    argument: 0,
    remedy: '`removeprefix` or `removesuffix`',
  },
  go: {
    names: /^Trim(?:Left|Right)?$/,
    receiver: 'strings',
    argument: 1,
    remedy: '`TrimPrefix` or `TrimSuffix`',
  },
}

/** `name.rstrip('.txt')`, `strings.TrimRight(name, ".txt")`. */
function checkStrip(call: Node, file: ParsedFile): Hit | undefined {
  const functions = stripFunctions[file.language]!
  const { receiver, name } = calleeOf(call)
  if (!functions.names.test(name)) return undefined
  if (functions.receiver !== undefined && receiver?.text !== functions.receiver) return undefined
  const characters = argumentsOf(call)[functions.argument]
  if (!characters || !isPlainString(characters) || !isWord(stringText(characters))) return undefined
  return {
    at: firstLine(call),
    title:
      `${quoteCode(name)} removes any of the characters in ${quoteCode(characters.text)}, ` +
      'not that string',
    body:
      'When the rest begins or ends with one of these characters, it is removed as well. Use ' +
      `${functions.remedy}.`,
  }
}

/** Java: `text.split(".")`, `text.replaceAll("|", "")`. */
function checkPattern(call: Node): Hit | undefined {
  const { receiver, name } = calleeOf(call)
  const [pattern] = argumentsOf(call)
  if (!receiver || !pattern || !isPlainString(pattern)) return undefined
  if (!/^(?:split|replaceAll|replaceFirst)$/.test(name)) return undefined
  // `split` reads most single characters literally; these have a meaning in patterns.
  const meaning = patternMeanings.get(stringText(pattern))
  if (!meaning) return undefined
  const callee = quoteCode(`${receiver.text}.${name}`)
  return {
    at: firstLine(call),
    title: `${quoteCode(pattern.text)} is a regular expression here, not that character`,
    body:
      `When this runs, ${meaning}, so ${callee} doesn't do what it seems to. Use ` +
      `\`Pattern.quote(${pattern.text})\`.`,
  }
}

const patternMeanings: ReadonlyMap<string, string> = new Map([
  ['.', '`.` stands for any character'],
  ['|', 'it matches the empty string everywhere'],
  ['||', 'it matches the empty string everywhere'],
])

/** A regular expression with the flag `g` that outlives the call continues after its last match. */
function checkStatefulPattern(call: Node, file: ParsedFile): Hit | undefined {
  const { receiver, name } = calleeOf(call)
  const fn = enclosingFunction(call)
  if (name !== 'test' || receiver?.type !== 'identifier' || !fn) return undefined
  const declarations = file.declarations.variables(receiver.text)
  const [declaration] = declarations
  if (!declaration || declarations.length > 1 || !isStatefulPattern(declaration)) return undefined
  if (enclosingFunction(declaration)?.id === fn.id) return undefined
  if (/lastIndex/.test(fn.text) || enclosingNode(call, conditionLoops)) return undefined
  return {
    at: firstLine(call),
    title: `${quoteCode(receiver.text)} has the flag \`g\`, so \`test\` starts at \`lastIndex\``,
    body:
      'When it has matched once, the next call starts in the middle of its string and may ' +
      'reject valid input. Remove the flag, which `test` does not need.',
    evidence: [{ line: lineOf(declaration), note: 'the regular expression with its flags' }],
  }
}

/** Loops that may go through all matches on purpose. */
const conditionLoops = new Set(['while_statement', 'do_statement'])

function isStatefulPattern(declaration: Node): boolean {
  const pattern = field(declaration, 'value')
  return pattern?.type === 'regex' && /[gy]/.test(fieldText(pattern, 'flags'))
}

export const textRules: readonly Rule[] = [
  {
    id: 'strip-characters',
    summary:
      'A whole word is passed to a function that strips single characters, such as ' +
      '`rstrip(".txt")`.',
    seeAlso: ['Ruff `B005`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.95,
    syntax: [
      { languages: ['python', 'go'], nodes: ['call', 'call_expression'], check: checkStrip },
    ],
  },
  {
    id: 'text-as-pattern',
    summary:
      '`split` or `replaceAll` gets a string with a special meaning in regular expressions, ' +
      'such as `"."`.',
    seeAlso: ['SpotBugs `RE_POSSIBLE_UNINTENDED_PATTERN`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.98,
    syntax: [{ languages: ['java'], nodes: ['method_invocation'], check: checkPattern }],
  },
  {
    id: 'stateful-pattern',
    summary:
      'A regular expression with the flag `g` or `y` is reused with `test`, which remembers ' +
      '`lastIndex`.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.95,
    syntax: [
      { languages: javascriptFamily, nodes: ['call_expression'], check: checkStatefulPattern },
    ],
  },
]
