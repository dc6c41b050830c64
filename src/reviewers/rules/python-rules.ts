// Rules about Python: commas, results that are `None`, requests without a timeout, lost tasks.
import type { Node } from 'web-tree-sitter'
import { isPlainString, stringText } from '../../languages/common/literals.ts'
import {
  argumentsOf,
  calleeOf,
  enclosingFunction,
  field,
  fieldText,
  firstLine,
  isAsync,
  isExplained,
  lineOf,
  quoteCode,
  replaceInLine,
} from '../../languages/common/syntax-nodes.ts'
import type { Hit, ParsedFile, Rule } from './rule.ts'
import { originOf, typeOf } from './value-origins.ts'

/** `if suffix in ('.png')`. */
function checkOneTuple(node: Node, file: ParsedFile): Hit | undefined {
  const operators = node.childrenForFieldName('operators').map((part) => part.text)
  if (!/^(?:not )?in$/.test(operators.join(' '))) return undefined
  const right = node.namedChildren.at(-1)
  if (right?.type !== 'parenthesized_expression') return undefined
  const text = right.namedChild(0)
  if (text?.type !== 'string' || !isPlainString(text) || /\s/.test(stringText(text)))
    return undefined
  return {
    at: firstLine(right),
    title: `${quoteCode(right.text)} is a string, not a tuple, so \`in\` searches for a substring`,
    body:
      `When the left side is a substring of ${quoteCode(text.text)}, or empty, the test is ` +
      'also true. A tuple of one element needs a comma.',
    suggestion: replaceInLine(right, file, `(${text.text},)`),
  }
}

/** Two strings of a list without a comma between them, where the others are single strings. */
function checkMissingComma(list: Node): Hit | undefined {
  const elements = list.namedChildren.filter((child) => child.type !== 'comment')
  const joined = elements.filter((element) => element.type === 'concatenated_string')
  const [pair] = joined
  if (elements.length < 3 || joined.length !== 1 || pair?.namedChildCount !== 2) return undefined
  const others = elements.filter((element) => element !== pair)
  const strings = elements.flatMap((element) => (element === pair ? pair.namedChildren : [element]))
  if (!strings.every((text) => text.type === 'string' && isPlainString(text))) return undefined
  // Nobody splits a word within a line. With few elements, a split text is more likely than a typo.
  if (!areWords(strings) && (elements.length < 4 || !areOnOwnLines(strings))) return undefined
  const [first = '', second = ''] = pair.namedChildren.map(stringText)
  if (isContinued(first, second, others)) return undefined
  return {
    at: firstLine(pair),
    title: `A comma is missing after ${quoteCode(pair.namedChild(0)!.text)}`,
    body:
      'When the list is built, this string and the next are concatenated to one element, ' +
      `${quoteCode(`"${first}${second}"`)}. Add the comma.`,
  }
}

/** Whether all strings are single words in quotes of the same kind. */
function areWords(strings: readonly Node[]): boolean {
  const quote = strings[0]!.text[0]
  return strings.every(({ text }) => /^(["'])[\w-]{2,40}\1$/.test(text) && text[0] === quote)
}

function areOnOwnLines(strings: readonly Node[]): boolean {
  return new Set(strings.map(lineOf)).size === strings.length
}

/** Whether the second string seems to continue the first one on purpose. */
function isContinued(first: string, second: string, others: readonly Node[]): boolean {
  if (!first || !second || first.length > 40) return true
  if (/(?:[\s,;:.-]|\\n)$/.test(first) || /^\s/.test(second)) return true
  const maxLength = Math.max(...others.map((element) => stringText(element).length))
  return first.length > 2 * maxLength
}

/** `x = value,`. */
function checkStrayComma(assignment: Node, file: ParsedFile): Hit | undefined {
  const right = field(assignment, 'right')
  const left = field(assignment, 'left')
  if (right?.type !== 'expression_list' || right.namedChildCount !== 1) return undefined
  if (!left || !/^(?:identifier|attribute)$/.test(left.type)) return undefined
  if (right.startPosition.row !== assignment.startPosition.row) return undefined
  if (tupleNames.test(left.text) || isExplained(assignment, file, /\w/)) return undefined
  return {
    at: firstLine(right),
    title: `The trailing comma makes ${quoteCode(left.text)} a tuple`,
    body:
      `When ${quoteCode(left.text)} is used, it is ${quoteCode(`(${right.text})`)}, not the ` +
      'value itself.',
  }
}

/** Names of variables that are meant to be tuples. */
const tupleNames = /tuple|args|params|values|types$|classes$|^__\w+__$/i

const inPlaceMethods = /^(?:append|extend|insert|sort|reverse|clear|remove)$/

/** `items = items.sort()`. */
function checkInPlaceResult(call: Node, file: ParsedFile): Hit | undefined {
  const { receiver, name } = calleeOf(call)
  if (receiver?.type !== 'identifier' || !inPlaceMethods.test(name)) return undefined
  if (!isResultUsed(call) || !isList(receiver, call, file)) return undefined
  const remedy = name === 'sort' ? 'Use `sorted(…)`, or' : 'Call it in a statement of its own and'
  return {
    at: firstLine(call),
    title: `${quoteCode(`${receiver.text}.${name}`)} changes its list and returns \`None\``,
    body:
      `When this runs, the result is \`None\`, not the list. ${remedy} use ` +
      `${quoteCode(receiver.text)} afterwards.`,
  }
}

function isResultUsed(call: Node): boolean {
  const owner = call.parent
  if (owner?.type === 'assignment') return field(owner, 'right')?.id === call.id
  return owner?.type === 'return_statement' || owner?.type === 'for_statement'
}

/** Whether a variable is certain to hold a list. */
function isList(variable: Node, call: Node, file: ParsedFile): boolean {
  const value = originOf(variable.text, call.parent!, file)?.value
  const startsAsList =
    value !== undefined &&
    (/^(?:list|list_comprehension)$/.test(value.type) || /^(?:list|sorted)\(/.test(value.text))
  return startsAsList || /^(?:list|List)\b/.test(typeOf(variable.text, call, file))
}

const unboundedCalls =
  /^requests\.(?:get|post|put|patch|delete|head|options|request)$|^(?:urllib\.request\.)?urlopen$/

/** `requests` and `urlopen` have no timeout by default. */
function checkTimeout(call: Node, file: ParsedFile): Hit | undefined {
  const callee = fieldText(call, 'function')
  // An example only makes the person wait who started it.
  if (/(?:^|\/)(?:examples?|samples?|demos?|tutorials?|docs?)\//i.test(file.path)) return undefined
  if (!unboundedCalls.test(callee)) return undefined
  const args = argumentsOf(call)
  const mayHaveTimeout =
    args.some((argument) => /^timeout\s*=/.test(argument.text) || /splat/.test(argument.type)) ||
    (/urlopen$/.test(callee) && args.length > 2)
  if (mayHaveTimeout) return undefined
  const fn = enclosingFunction(call)
  // In an async function, another rule reports the call itself.
  if (fn && isAsync(fn)) return undefined
  return {
    at: firstLine(call),
    title: `${quoteCode(callee)} has no timeout`,
    body:
      'When the server accepts the connection and never responds, this blocks forever, and ' +
      'with it the thread or worker. Pass `timeout`.',
  }
}

const taskStarts = new RegExp(
  [
    String.raw`^asyncio\.(?:create_task|ensure_future)$`,
    String.raw`^(?:self\.)?_?loop\.create_task$`,
    String.raw`^asyncio\.get_(?:running|event)_loop\(\)\.create_task$`,
  ].join('|'),
)

/** The event loop has only a weak reference to a task. */
function checkLostTask(statement: Node): Hit | undefined {
  const call = statement.namedChild(0)
  if (call?.type !== 'call' || !taskStarts.test(fieldText(call, 'function'))) return undefined
  return {
    at: firstLine(call),
    title: 'No reference to this task is kept',
    body:
      'When the task is suspended, the garbage collector may destroy it, because the event ' +
      'loop holds only a weak reference; and if it fails, the error goes unnoticed. Keep it ' +
      'in a variable or a set until it is done.',
  }
}

export const pythonRules: readonly Rule[] = [
  {
    id: 'tuple-without-comma',
    summary: '`in ("a")` searches a substring, because a tuple of one element needs a comma.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.95,
    syntax: [{ languages: ['python'], nodes: ['comparison_operator'], check: checkOneTuple }],
  },
  {
    id: 'missing-comma',
    summary: 'A comma is missing between two strings of a list, so Python concatenates them.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.85,
    syntax: [{ languages: ['python'], nodes: ['list', 'tuple', 'set'], check: checkMissingComma }],
  },
  {
    id: 'stray-comma',
    summary: 'A trailing comma turns the assigned value into a tuple.',
    seeAlso: ['Ruff `COM818`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.85,
    syntax: [{ languages: ['python'], nodes: ['assignment'], check: checkStrayComma }],
  },
  {
    id: 'none-result',
    summary:
      'The result of `sort`, `append` or another method that changes a list in place is used; ' +
      'it is `None`.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.95,
    syntax: [{ languages: ['python'], nodes: ['call'], check: checkInPlaceResult }],
  },
  {
    id: 'request-without-timeout',
    summary: 'An HTTP request has no timeout, so it can block forever.',
    seeAlso: ['Ruff `S113`'],
    severity: 'minor',
    category: 'correctness',
    confidence: 0.9,
    syntax: [{ languages: ['python'], nodes: ['call'], check: checkTimeout }],
  },
  {
    id: 'task-not-kept',
    summary: 'A task is created and no reference to it is kept, so it may be garbage-collected.',
    seeAlso: ['Ruff `RUF006`'],
    severity: 'minor',
    category: 'concurrency',
    confidence: 0.85,
    syntax: [{ languages: ['python'], nodes: ['expression_statement'], check: checkLostTask }],
  },
]
