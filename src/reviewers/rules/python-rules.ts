// Rules about Python: commas, results that are `None`, requests without a timeout, lost tasks.
import type { Node } from 'web-tree-sitter'
import { functionAround, isAsync } from '../../languages/rules/functions.ts'
import { isPlainString, stringLike, stringText } from '../../languages/rules/literals.ts'
import type { Match } from '../../languages/rules/pattern-check.ts'
import {
  field,
  firstLine,
  isExplained,
  lineOf,
  quoteCode,
} from '../../languages/rules/syntax-nodes.ts'
import type { Hit, ParsedFile, Rule } from './rule.ts'
import { originOf, typeOf } from './value-origins.ts'

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

function isMeantAsValue(match: Match, file: ParsedFile): boolean {
  const { node, get, text } = match
  const isOnOneLine = get('VALUE').startPosition.row === node.startPosition.row
  return isOnOneLine && !tupleNames.test(text('NAME')) && !isExplained(node, file, /\w/)
}

/** Names of variables that are meant to be tuples. */
const tupleNames = /tuple|args|params|values|types$|classes$|^__\w+__$/i

const inPlaceMethods = /^(?:append|extend|insert|sort|reverse|clear|remove)$/

function describeNone({ node, get, text }: Match, file: ParsedFile): Partial<Hit> | undefined {
  if (!isResultUsed(node) || !isList(get('LIST'), node, file)) return undefined
  const isSort = text('METHOD') === 'sort'
  const remedy = isSort ? 'Use `sorted(…)`, or' : 'Call it in a statement of its own and'
  return {
    body:
      `When this runs, the result is \`None\`, not the list. ${remedy} use ` +
      `${quoteCode(text('LIST'))} afterwards.`,
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

/** Whether a call makes someone else wait, and no other rule reports it in an async function. */
function blocksThread({ node }: Match, file: ParsedFile): boolean {
  const fn = functionAround(node)
  const isExample = /(?:^|\/)(?:examples?|samples?|demos?|tutorials?|docs?)\//i.test(file.path)
  return !isExample && !(fn && isAsync(fn))
}

export const pythonRules: readonly Rule[] = [
  {
    id: 'tuple-without-comma',
    summary: '`in ("a")` searches a substring, because a tuple of one element needs a comma.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.95,
    title: '`($TEXT)` is a string, not a tuple, so `in` searches for a substring',
    body:
      'When the left side is a substring of $TEXT, or empty, the test is also true. A tuple of ' +
      'one element needs a comma.',
    patterns: { python: ['$_ in ($TEXT)', '$_ not in ($TEXT)'] },
    where: { TEXT: stringLike(/^\S*$/) },
    at: 'TEXT',
    replacement: '$TEXT,',
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
    title: 'The trailing comma makes $NAME a tuple',
    body: 'When $NAME is used, it is `($VALUE,)`, not the value itself.',
    patterns: { python: ['$NAME = $VALUE,'] },
    where: { NAME: ({ type }) => type === 'identifier' || type === 'attribute' },
    refine: isMeantAsValue,
    at: 'VALUE',
  },
  {
    id: 'none-result',
    summary:
      'The result of `sort`, `append` or another method that changes a list in place is used; ' +
      'it is `None`.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.95,
    title: '`$LIST.$METHOD` changes its list and returns `None`',
    patterns: { python: ['$LIST.$METHOD($$$)'] },
    where: { METHOD: inPlaceMethods, LIST: ({ type }) => type === 'identifier' },
    refine: describeNone,
  },
  {
    id: 'request-without-timeout',
    summary: 'An HTTP request has no timeout, so it can block forever.',
    seeAlso: ['Ruff `S113`'],
    severity: 'minor',
    category: 'correctness',
    confidence: 0.9,
    title: '$CALLEE has no timeout',
    body:
      'When the server accepts the connection and never responds, this blocks forever, and ' +
      'with it the thread or worker. Pass `timeout`.',
    patterns: { python: ['$CALLEE($$$)'] },
    where: { CALLEE: unboundedCalls },
    not: [
      '$_($$$, timeout=$_, $$$)',
      '$_($$$, *$_, $$$)',
      '$_($$$, **$_, $$$)',
      'urlopen($_, $_, $_, $$$)',
      'urllib.request.urlopen($_, $_, $_, $$$)',
    ],
    refine: blocksThread,
  },
  {
    id: 'task-not-kept',
    summary: 'A task is created and no reference to it is kept, so it may be garbage-collected.',
    seeAlso: ['Ruff `RUF006`'],
    severity: 'minor',
    category: 'concurrency',
    confidence: 0.85,
    title: 'No reference to this task is kept',
    body:
      'When the task is suspended, the garbage collector may destroy it, because the event ' +
      'loop holds only a weak reference; and if it fails, the error goes unnoticed. Keep it ' +
      'in a variable or a set until it is done.',
    // The event loop has only a weak reference to a task.
    patterns: {
      python: [
        'asyncio.create_task($$$);',
        'asyncio.ensure_future($$$);',
        '$LOOP.create_task($$$);',
      ],
    },
    where: { LOOP: /^(?:self\.)?_?loop$|^asyncio\.get_(?:running|event)_loop\(\)$/ },
  },
]
