// Rules about mistakes of Python: tuples by accident, results that are None, requests and tasks left alone.
import type { Node } from 'web-tree-sitter'
import { isPlainString, stringText } from './literals.ts'
import type { Hit, ParsedFile, Rule } from './rule.ts'
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
} from './syntax-nodes.ts'
import { originOf, typeOf } from './value-origins.ts'

/** Python: `if suffix in ('.png')`. */
function checkOneTuple(node: Node, file: ParsedFile): Hit | undefined {
  const operator = node
    .childrenForFieldName('operators')
    .map((part) => part.text)
    .join(' ')
  const right = node.namedChildren.at(-1)
  const text = right?.type === 'parenthesized_expression' ? right.namedChild(0) : null
  if (
    !/^(?:not )?in$/.test(operator) ||
    !right ||
    text?.type !== 'string' ||
    !isPlainString(text) ||
    /\s/.test(stringText(text))
  )
    return undefined
  return {
    at: firstLine(right),
    title: `${quoteCode(right.text)} is a text, not a tuple, so \`in\` looks for a part of it`,
    body: `When the left side is a part of ${quoteCode(text.text)}, or empty, the test holds as well. A tuple of one needs a comma.`,
    suggestion: replaceInLine(right, file, `(${text.text},)`),
  }
}

/** Python: two texts in a list of texts, one per line or all of them single words, with no comma between them. */
function checkMissingComma(list: Node): Hit | undefined {
  const elements = list.namedChildren.filter((child) => child.type !== 'comment')
  const joined = elements.filter((element) => element.type === 'concatenated_string')
  const [pair] = joined
  if (elements.length < 3 || joined.length !== 1 || !pair || pair.namedChildCount !== 2)
    return undefined
  const texts = elements.flatMap((element) => (element === pair ? pair.namedChildren : [element]))
  if (!texts.every((text) => text.type === 'string' && isPlainString(text))) return undefined
  // Nobody splits a word in the middle of a line, or among few others.
  const areWords = texts.every(
    (text) => /^(["'])[\w-]{2,40}\1$/.test(text.text) && text.text[0] === texts[0]!.text[0],
  )
  if (!areWords && (elements.length < 4 || new Set(texts.map(lineOf)).size < texts.length))
    return undefined
  const [first, second] = pair.namedChildren.map(stringText)
  const longest = Math.max(
    ...elements.filter((element) => element !== pair).map((element) => stringText(element).length),
  )
  // A long text that goes on in the next line is meant to be one.
  if (
    !first ||
    !second ||
    /(?:[\s,;:.-]|\\n)$/.test(first) ||
    /^\s/.test(second) ||
    first.length > 40 ||
    first.length > 2 * longest
  )
    return undefined
  return {
    at: firstLine(pair),
    title: `A comma is missing after ${quoteCode(pair.namedChild(0)!.text)}`,
    body: `When the list is built, this and the next text become one element, ${quoteCode(`"${first}${second}"`)}, and neither is found.`,
  }
}

/** Python: `x = value,`. */
function checkStrayComma(assignment: Node, file: ParsedFile): Hit | undefined {
  const right = field(assignment, 'right')
  const left = field(assignment, 'left')
  if (
    right?.type !== 'expression_list' ||
    right.namedChildCount !== 1 ||
    !left ||
    !/^(?:identifier|attribute)$/.test(left.type)
  )
    return undefined
  if (
    right.startPosition.row !== assignment.startPosition.row ||
    isExplained(assignment, file, /\w/) ||
    /tuple|args|params|values|types$|classes$|^__\w+__$/i.test(left.text)
  )
    return undefined
  return {
    at: firstLine(right),
    title: `The comma at the end makes ${quoteCode(left.text)} a tuple of one`,
    body: `When ${quoteCode(left.text)} is used, it is ${quoteCode(`(${right.text})`)}, not the value itself.`,
  }
}

const inPlaceMethods = /^(?:append|extend|insert|sort|reverse|clear|remove)$/

/** Python: `items = items.sort()`. */
function checkInPlaceResult(call: Node, file: ParsedFile): Hit | undefined {
  const { receiver, name } = calleeOf(call)
  const owner = call.parent
  const isUsed =
    (owner?.type === 'assignment' && field(owner, 'right')?.id === call.id) ||
    owner?.type === 'return_statement' ||
    owner?.type === 'for_statement'
  if (receiver?.type !== 'identifier' || !inPlaceMethods.test(name) || !owner || !isUsed)
    return undefined
  const origin = originOf(receiver.text, owner, file)
  const isList =
    origin !== undefined &&
    (/^(?:list|list_comprehension)$/.test(origin.value.type) ||
      /^(?:list|sorted)\(/.test(origin.value.text))
  if (!isList && !/^(?:list|List)\b/.test(typeOf(receiver.text, call, file))) return undefined
  return {
    at: firstLine(call),
    title: `${quoteCode(`${receiver.text}.${name}`)} changes the list and gives back \`None\``,
    body: `When this runs, the result is \`None\`, not the list. ${name === 'sort' ? 'Use `sorted(…)`, or' : 'Call it in a statement of its own and'} use ${quoteCode(receiver.text)} afterwards.`,
  }
}

const unboundedCalls =
  /^requests\.(?:get|post|put|patch|delete|head|options|request)$|^(?:urllib\.request\.)?urlopen$/

/** Python's `requests` waits for ever by default. */
function checkTimeout(call: Node, file: ParsedFile): Hit | undefined {
  const callee = fieldText(call, 'function')
  // Nobody waits for an example but the person who started it.
  if (/(?:^|\/)(?:examples?|samples?|demos?|tutorials?|docs?)\//i.test(file.path)) return undefined
  const args = argumentsOf(call)
  if (
    !unboundedCalls.test(callee) ||
    args.some((argument) => /^timeout\s*=/.test(argument.text) || /splat/.test(argument.type))
  )
    return undefined
  const fn = enclosingFunction(call)
  // In an async function another rule reports the call itself.
  if ((/urlopen$/.test(callee) && args.length > 2) || (fn && isAsync(fn))) return undefined
  return {
    at: firstLine(call),
    title: `${quoteCode(callee)} has no time limit`,
    body: 'When the other side takes the connection and never answers, this waits for ever, and with it the thread or worker. Pass `timeout`.',
  }
}

/** Python: the loop keeps only a weak reference to a task. */
function checkLostTask(statement: Node): Hit | undefined {
  const call = statement.namedChild(0)
  const callee = call?.type === 'call' ? fieldText(call, 'function') : ''
  if (
    !/^(?:asyncio\.(?:create_task|ensure_future)|(?:self\.)?_?loop\.create_task|asyncio\.get_(?:running|event)_loop\(\)\.create_task)$/.test(
      callee,
    )
  )
    return undefined
  return {
    at: firstLine(call!),
    title: 'Nothing keeps the task that is started here',
    body: 'When the garbage collector comes by while the task waits, the task may vanish in the middle, because the event loop holds only a weak reference; and if it fails, nobody sees the error. Keep it in a variable or a set until it is done.',
  }
}

export const pythonRules: readonly Rule[] = [
  {
    id: 'tuple-without-comma',
    summary: 'Python: `in ("a")` looks for a part of a text, because a tuple of one needs a comma.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.95,
    syntax: [{ languages: ['python'], nodes: ['comparison_operator'], check: checkOneTuple }],
  },
  {
    id: 'missing-comma',
    summary: 'Python: two texts in a list have no comma between them and become one.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.85,
    syntax: [{ languages: ['python'], nodes: ['list', 'tuple', 'set'], check: checkMissingComma }],
  },
  {
    id: 'stray-comma',
    summary: 'Python: a comma at the end of an assignment makes its value a tuple.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.85,
    syntax: [{ languages: ['python'], nodes: ['assignment'], check: checkStrayComma }],
  },
  {
    id: 'none-result',
    summary:
      'Python: the result of a list method that changes the list in place is used; it is `None`.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.95,
    syntax: [{ languages: ['python'], nodes: ['call'], check: checkInPlaceResult }],
  },
  {
    id: 'request-without-timeout',
    summary: 'Python: a request is made with a function that waits for ever, without a time limit.',
    severity: 'minor',
    category: 'correctness',
    confidence: 0.9,
    syntax: [{ languages: ['python'], nodes: ['call'], check: checkTimeout }],
  },
  {
    id: 'task-not-kept',
    summary: 'Python: a task is started and nothing keeps it.',
    severity: 'minor',
    category: 'concurrency',
    confidence: 0.85,
    syntax: [{ languages: ['python'], nodes: ['expression_statement'], check: checkLostTask }],
  },
]
