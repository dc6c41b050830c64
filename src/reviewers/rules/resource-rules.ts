// Rules about files, sockets and rows that are never closed.
import type { Node } from 'web-tree-sitter'
import { checkGoodPathClose } from '../../languages/rules/good-path-close.ts'
import {
  argumentsOf,
  calleeOf,
  codeChildren,
  enclosingFunction,
  enclosingNode,
  field,
  fieldText,
  findNodes,
  firstLine,
  quoteCode,
  unwrap,
} from '../../languages/rules/syntax-nodes.ts'
import { unreleased, unreleasedOf } from '../../languages/rules/unreleased.ts'
import { type Hit, javascriptFamily, listByLanguage, type Rule, steppedLanguages } from './rule.ts'

function notClosedHit(at: Node, name: string, remedy: string): Hit {
  const resource = quoteCode(name)
  return {
    at: firstLine(at),
    title: `Resource leak: ${resource} is opened here and never closed in this function`,
    body:
      `When this runs often, or fails halfway, ${resource} stays open, and the process runs ` +
      `out of file descriptors or connections. ${remedy}`,
  }
}

/**
 * Whether a local variable may leave the function: returned, stored, captured or passed on.
 *
 * @param isRead whether a use only passes the resource to code that reads from it
 */
function escapes(
  name: string,
  declaration: Node,
  fn: Node,
  isRead: (use: Node) => boolean = () => false,
): boolean {
  return findNodes(fn, 'identifier').some((use) => {
    if (use.text !== name || isWithin(use, declaration)) return false
    if (enclosingFunction(use)?.id !== fn.id) return true
    const parent = use.parent
    if (!parent) return false
    const isReceiver = ['object', 'operand'].some((role) => field(parent, role)?.id === use.id)
    return !isReceiver && !harmlessParents.has(parent.type) && !isRead(use)
  })
}

function isWithin(node: Node, outer: Node): boolean {
  return node.startIndex >= outer.startIndex && node.endIndex <= outer.endIndex
}

/** Parents of uses that don't pass the resource on: loops over it, comparisons with nil. */
const harmlessParents = new Set([
  'for_statement',
  'range_clause',
  'binary_expression',
  'comparison_operator',
  'if_statement',
  'for_in_clause',
])

/** Whether the function calls a method of the resource that closes it. */
function isClosed(name: string, fn: Node, method: RegExp): boolean {
  return findNodes(fn, 'call', 'call_expression', 'method_invocation').some((call) => {
    const { receiver, name: called } = calleeOf(call)
    return (
      receiver !== undefined &&
      method.test(called) &&
      new RegExp(`^${escapeRegExp(name)}\\b`).test(receiver.text)
    )
  })
}

function escapeRegExp(text: string): string {
  return text.replace(/[^\w]/g, '\\$&')
}

const pythonOpeners =
  /^(?:open|io\.open|codecs\.open|gzip\.open|socket\.socket|socket\.create_connection)$/

/** `file = open(path)`. */
function checkPythonOpen(assignment: Node): Hit | undefined {
  const call = field(assignment, 'right')
  const target = field(assignment, 'left')
  const fn = enclosingFunction(assignment)
  if (call?.type !== 'call' || target?.type !== 'identifier' || !fn) return undefined
  if (!pythonOpeners.test(fieldText(call, 'function'))) return undefined
  if (isClosed(target.text, fn, /^(?:close|detach|__exit__)$/)) return undefined
  if (escapesInPython(target.text, assignment, fn)) return undefined
  return notClosedHit(assignment, target.text, 'Open it in a `with` statement.')
}

/** Like `escapes`, for Python, where parsers such as `json.load(file)` only read the file. */
function escapesInPython(name: string, assignment: Node, fn: Node): boolean {
  const target = field(assignment, 'left')?.id
  return findNodes(fn, 'identifier').some((use) => {
    if (use.text !== name || use.id === target) return false
    const parent = use.parent!
    if (enclosingFunction(use)?.id !== fn.id || parent.type === 'with_item') return true
    if (parent.type === 'argument_list') return !pythonParsers.test(calledName(parent))
    return parent.type !== 'attribute' && !harmlessParents.has(parent.type)
  })
}

const pythonParsers = /^(?:json|csv|yaml|pickle|tomllib|toml)\.\w+$/

/** The function that is called with a list of arguments. */
function calledName(argumentList: Node): string {
  return fieldText(argumentList.parent!, 'function')
}

/** `json.load(open(path))`. */
function checkPythonNestedOpen(call: Node): Hit | undefined {
  if (!/^(?:open|io\.open|codecs\.open|gzip\.open)$/.test(fieldText(call, 'function')))
    return undefined
  if (!enclosingFunction(call) || call.parent?.type !== 'argument_list') return undefined
  if (!pythonReaders.test(calledName(call.parent))) return undefined
  return {
    ...notClosedHit(call, 'open', 'Open it in a `with` statement.'),
    title: `Resource leak: the file of ${quoteCode(call.text)} is never closed`,
    body:
      'When this runs, the file stays open until the garbage collector finds it, and an error ' +
      'keeps it open longer. Open it in a `with` statement.',
    severity: 'minor',
  }
}

const pythonReaders =
  /^(?:json|pickle|tomllib|toml|yaml)\.(?:load|dump|safe_load)$|^csv\.(?:DictReader|reader|DictWriter|writer)$/

interface GoOpener {
  readonly call: RegExp
  /** The field of the result that has to be closed; empty for the result itself. */
  readonly closed: string
  /** The number of arguments, if clients of other protocols have a method of the same name. */
  readonly argumentCount?: number
}

const goOpeners: readonly GoOpener[] = [
  { call: /^http\.(?:Get|Post|PostForm|Head)$/, closed: 'Body' },
  { call: /(?:[cC]lient|http\.DefaultClient)\.(?:Do|Get|Head)$/, closed: 'Body', argumentCount: 1 },
  { call: /(?:[cC]lient|http\.DefaultClient)\.Post$/, closed: 'Body', argumentCount: 3 },
  { call: /^os\.(?:Open|Create|OpenFile)$|^net\.(?:Dial|DialTimeout)$/, closed: '' },
]

/** `response, err := http.Get(url)`. */
function checkGoOpen(statement: Node): Hit | undefined {
  const fn = enclosingFunction(statement)
  const name = firstTargetOf(statement)
  const opener = findGoOpener(statement)
  if (!name || !opener || !fn) return undefined
  if (isClosed(name, fn, /^Close$/)) return undefined
  if (escapes(name, statement, fn, (use) => isReadInGo(use, fn))) return undefined
  if (bodyEscapes(name, opener.closed, fn)) return undefined
  // Clients of other protocols have methods of the same names.
  if (opener.argumentCount && !isHttpResponse(name, fn)) return undefined
  const resource = opener.closed ? `${name}.${opener.closed}` : name
  const remedy = `\`defer ${resource}.Close()\` after the error was checked.`
  return notClosedHit(statement, resource, remedy)
}

function findGoOpener(statement: Node): GoOpener | undefined {
  const call = field(statement, 'right')?.namedChild(0)
  if (call?.type !== 'call_expression') return undefined
  const callee = fieldText(call, 'function')
  const count = argumentsOf(call).length
  return goOpeners.find(
    ({ call: pattern, argumentCount = count }) => argumentCount === count && pattern.test(callee),
  )
}

/** The variable that gets the resource, if the statement also assigns the error. */
function firstTargetOf(statement: Node): string | undefined {
  const left = field(statement, 'left')
  const targets = left ? codeChildren(left) : []
  const name = targets[0]?.text
  const isVariable = name !== undefined && /^\w+$/.test(name) && name !== '_'
  return isVariable && targets.length >= 2 ? name : undefined
}

function isHttpResponse(name: string, fn: Node): boolean {
  return new RegExp(`\\b${escapeRegExp(name)}\\.(?:Body|Status|Header)`).test(fn.text)
}

/** Whether the body of a response may leave the function: returned, stored or passed on. */
function bodyEscapes(name: string, part: string, fn: Node): boolean {
  if (!part) return false
  return findNodes(fn, 'selector_expression').some((node) => {
    if (node.text !== `${name}.${part}`) return false
    const parent = node.parent
    if (parent?.type !== 'argument_list') return parent?.type !== 'selector_expression'
    return !goReaders.test(calledName(parent))
  })
}

/** Functions of Go's library that read from or write to what they get, and don't keep it. */
const goTransfers =
  /^(?:io|ioutil)\.(?:ReadAll|ReadFull|Copy\w*|WriteString)$|^fmt\.F(?:print|scan)\w*$/

/** Functions of Go's library whose results read from what they get. */
const goWrappers = /^(?:csv|bufio|gzip|zlib)\.New\w+$|^(?:json|xml|gob)\.New(?:Decoder|Encoder)$/

/** Whether a use passes a resource to a reader that stays in the function. */
function isReadInGo(use: Node, fn: Node): boolean {
  const list = use.parent
  if (list?.type !== 'argument_list') return false
  const callee = calledName(list)
  return goTransfers.test(callee) || (goWrappers.test(callee) && !wrapperEscapes(list.parent!, fn))
}

/** Whether the reader that a call makes may leave the function. */
function wrapperEscapes(call: Node, fn: Node): boolean {
  const owner = call.parent
  if (owner?.type === 'selector_expression') return false
  const statement = owner?.type === 'expression_list' ? owner.parent : undefined
  const [reader] = statement ? codeChildren(field(statement, 'left') ?? statement) : []
  return reader?.type !== 'identifier' || escapes(reader.text, statement!, fn)
}

/** Functions of Go's library that read from a reader and don't close it. */
const goReaders = /^(?:io|ioutil)\.\w+$|json\.NewDecoder$|xml\.NewDecoder$|bufio\.\w+$/

const javaResources =
  /^(?:File|Buffered|Input|Output|Object|Data|Print|Zip|GZIP|Random|Socket|Server)\w*(?:Stream|Reader|Writer|Socket|AccessFile)$|^(?:Socket|ServerSocket|RandomAccessFile)$/

const javaOpeners =
  /^(?:getConnection|prepareStatement|createStatement|executeQuery|newBufferedReader|newBufferedWriter|newInputStream|newOutputStream)$/

/** `FileReader reader = new FileReader(path)`. */
function checkJavaOpen(declaration: Node): Hit | undefined {
  const declarator = field(declaration, 'declarator')
  const value = declarator && field(declarator, 'value')
  const fn = enclosingFunction(declaration)
  if (!value || !fn || declaration.parent?.type !== 'block') return undefined
  if (!opensInJava(unwrap(value))) return undefined
  const name = fieldText(declarator, 'name')
  if (isClosedInJava(name, fn) || escapes(name, declaration, fn)) return undefined
  return notClosedHit(declaration, name, 'Declare it in a try-with-resources statement.')
}

function opensInJava(value: Node): boolean {
  if (value.type === 'object_creation_expression') {
    const type = fieldText(value, 'type')
    return (
      javaResources.test(type) && !/^(?:ByteArray|String|CharArray)/.test(type) && !wrapsName(value)
    )
  }
  return value.type === 'method_invocation' && javaOpeners.test(calleeOf(value).name)
}

/** `new BufferedReader(reader)`: the code that opened `reader` closes it. */
function wrapsName(creation: Node): boolean {
  const argument = argumentsOf(creation)[0]
  const type = fieldText(creation, 'type')
  return (
    argument?.type === 'identifier' && /^(?:Buffered|Input|Output|Data|Object|Print)/.test(type)
  )
}

/** Whether the function closes a resource, with a method, a helper or a try-with-resources. */
function isClosedInJava(name: string, fn: Node): boolean {
  if (isClosed(name, fn, /^close\w*$/)) return true
  if (new RegExp(`close\\w*\\(\\s*${escapeRegExp(name)}\\b`).test(fn.text)) return true
  return findNodes(fn, 'resource').some((resource) => resource.text.includes(name))
}

/** A `defer` inside a loop is run when the function ends, not at the end of each turn. */
function checkDeferInLoop(statement: Node): Hit | undefined {
  const owner = enclosingNode(statement, goLoopsAndFunctions)
  const call = statement.namedChild(0)
  if (owner?.type !== 'for_statement' || call?.type !== 'call_expression') return undefined
  // If the block ends with a `return`, this turn of the loop is the last one.
  if (codeChildren(statement.parent!).at(-1)?.type === 'return_statement') return undefined
  const { receiver, name } = calleeOf(call)
  if (!receiver || !/^(?:Close|Unlock|RUnlock|Rollback|Done)$/.test(name)) return undefined
  const callee = quoteCode(`${receiver.text}.${name}`)
  return {
    at: firstLine(statement),
    title: `${callee} is deferred inside a loop and runs only when the function returns`,
    body:
      'When the loop has many iterations, everything that it opens or locks stays so until ' +
      'the function returns; a lock deadlocks in the second iteration. Move the body of the ' +
      'loop into a function.',
    severity: /Unlock$/.test(name) ? 'critical' : 'moderate',
  }
}

const goLoopsAndFunctions = new Set([
  'for_statement',
  'func_literal',
  'function_declaration',
  'method_declaration',
])

export const resourceRules: readonly Rule[] = [
  {
    id: 'resource-not-closed',
    summary:
      'Resource leak: a file, response, result set or connection is opened and never closed in ' +
      'the function, or on only some of its paths.',
    seeAlso: ['CWE-772', '`bodyclose`', 'Ruff `SIM115`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.75,
    syntax: [
      ...unreleased.map((check) => ({ languages: steppedLanguages, ...check })),
      ...listByLanguage(unreleasedOf),
      { languages: ['python'], nodes: ['assignment'], check: checkPythonOpen },
      { languages: ['python'], nodes: ['call'], check: checkPythonNestedOpen },
      {
        languages: ['go'],
        nodes: ['short_var_declaration', 'assignment_statement'],
        check: checkGoOpen,
      },
      { languages: ['java'], nodes: ['local_variable_declaration'], check: checkJavaOpen },
      {
        languages: javascriptFamily,
        ...checkGoodPathClose({
          bindings: ['lexical_declaration'],
          opens:
            /^(?:this\.)?[\w.]*(?:pool|Pool|db|knex|dataSource)\w*\.(?:connect|getConnection|acquire)\(\)/,
          closers: 'release|end|destroy',
          at: 'close',
          remedy: 'Release it in `finally`.',
        }),
      },
      {
        languages: ['go'],
        ...checkGoodPathClose({
          bindings: ['short_var_declaration'],
          opens: /^os\.(?:Open|Create|OpenFile|CreateTemp)\(|^net\.(?:Dial|DialTimeout)\(/,
          closers: 'Close',
          at: 'open',
          remedy: 'Close it with `defer`.',
        }),
      },
      {
        languages: ['python'],
        ...checkGoodPathClose({
          bindings: ['assignment'],
          opens:
            /^(?:open|io\.open|gzip\.open|socket\.socket|socket\.create_connection|(?:sqlite3|psycopg2?|pymysql)\.connect)\(/,
          closers: 'close',
          at: 'open',
          remedy: 'Open it in a `with` statement.',
        }),
      },
      {
        languages: ['java'],
        ...checkGoodPathClose({
          bindings: ['local_variable_declaration'],
          opens:
            /^new (?:File|Buffered|Random|Print|Zip)\w*(?:Stream|Reader|Writer|AccessFile|File)\(|^(?:\w+\.)?(?:getConnection|prepareStatement|createStatement|executeQuery|newBufferedReader|newBufferedWriter|newInputStream|newOutputStream)\(/,
          closers: 'close',
          at: 'open',
          remedy: 'Declare it in a try-with-resources statement.',
        }),
      },
    ],
  },
  {
    id: 'defer-in-loop',
    summary: '`defer` in a loop closes or unlocks only when the function returns.',
    seeAlso: ['gocritic `deferInLoop`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.85,
    syntax: [{ languages: ['go'], nodes: ['defer_statement'], check: checkDeferInLoop }],
  },
]
