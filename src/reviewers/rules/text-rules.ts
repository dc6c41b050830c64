// Rules about texts that are taken for something else: sets of characters, patterns, tuples, elements of a list.
import type { Node } from 'web-tree-sitter'
import { isPlainString, stringText } from './literals.ts'
import { type Hit, javascriptFamily, type ParsedFile, type Rule } from './rule.ts'
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
} from './syntax-nodes.ts'

/** A text that is meant as a whole: an extension, a prefix, a word; not a set such as `0-9` or `\r\n`. */
function isWord(text: string): boolean {
  return (
    text.length >= 3 &&
    /[a-z]{2}/i.test(text) &&
    !/\\|^[a-z]*$|abc|xyz|aeiou|^[A-Z]*$/.test(text) &&
    !/^(.)\1*$/.test(text)
  )
}

/** `name.rstrip('.txt')`, `strings.TrimRight(name, ".txt")`. */
function checkStrip(call: Node, file: ParsedFile): Hit | undefined {
  const isGo = file.language === 'go'
  const { receiver, name } = calleeOf(call)
  const argument = argumentsOf(call)[isGo ? 1 : 0]
  const matches = isGo
    ? receiver?.text === 'strings' && /^Trim(?:Left|Right)?$/.test(name)
    : /^[lr]?strip$/.test(name)
  if (!matches || !argument || !isPlainString(argument) || !isWord(stringText(argument)))
    return undefined
  const better = isGo ? '`TrimPrefix` or `TrimSuffix`' : '`removeprefix` or `removesuffix`'
  return {
    at: firstLine(call),
    title: `${quoteCode(name)} removes any of the characters in ${quoteCode(argument.text)}, not that text`,
    body: `When the rest begins or ends with one of these characters, it is cut off as well. Use ${better}.`,
  }
}

/** Java: `text.split(".")`, `text.replaceAll("|", "")`. */
function checkPattern(call: Node): Hit | undefined {
  const { receiver, name } = calleeOf(call)
  const [pattern] = argumentsOf(call)
  if (
    !receiver ||
    !pattern ||
    !/^(?:split|replaceAll|replaceFirst)$/.test(name) ||
    !isPlainString(pattern)
  )
    return undefined
  const text = stringText(pattern)
  // `split` of a single character takes it literally, except for those of patterns.
  if (text !== '.' && text !== '|' && text !== '||') return undefined
  return {
    at: firstLine(call),
    title: `${quoteCode(pattern.text)} is a pattern here, not that character`,
    body: `When this runs, ${text === '.' ? '`.` stands for any character' : 'it matches the empty text everywhere'}, so ${quoteCode(`${receiver.text}.${name}`)} gives something else than it reads. Write it as \`Pattern.quote(${pattern.text})\`.`,
  }
}

/** A pattern with the flag `g` that outlives the call remembers where it stopped. */
function checkStatefulPattern(call: Node, file: ParsedFile): Hit | undefined {
  const { receiver, name } = calleeOf(call)
  if (name !== 'test' || receiver?.type !== 'identifier') return undefined
  const declarations = file.declarations.variables(receiver.text)
  const [declaration] = declarations
  const pattern = declaration && field(declaration, 'value')
  const fn = enclosingFunction(call)
  if (
    !declaration ||
    declarations.length > 1 ||
    pattern?.type !== 'regex' ||
    !/[gy]/.test(fieldText(pattern, 'flags')) ||
    !fn
  )
    return undefined
  if (
    enclosingFunction(declaration)?.id === fn.id ||
    /lastIndex/.test(fn.text) ||
    enclosingNode(call, new Set(['while_statement', 'do_statement']))
  )
    return undefined
  return {
    at: firstLine(call),
    title: `${quoteCode(receiver.text)} has the flag \`g\`, so \`test\` starts where the last call stopped`,
    body: `When it matched once, the next call begins in the middle of its text and may say no to what it should accept. Leave out the flag, which \`test\` has no use for.`,
    evidence: [{ line: lineOf(declaration), note: 'the pattern with its flags' }],
  }
}

export const textRules: readonly Rule[] = [
  {
    id: 'strip-characters',
    summary:
      'A word is given to a function that strips single characters, such as `rstrip(".txt")`.',
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
      'Java: a character that means something in patterns is given to `split` or `replaceAll`.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.98,
    syntax: [{ languages: ['java'], nodes: ['method_invocation'], check: checkPattern }],
  },
  {
    id: 'stateful-pattern',
    summary: 'A pattern with the flag `g` or `y` that outlives the call is used with `test`.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.95,
    syntax: [
      { languages: javascriptFamily, nodes: ['call_expression'], check: checkStatefulPattern },
    ],
  },
]
