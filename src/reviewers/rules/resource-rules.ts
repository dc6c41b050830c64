// Rules about files, sockets and rows that are never closed.
import type { Node } from 'web-tree-sitter'
import { readCall } from '../../languages/rules/calls.ts'
import { functionAround } from '../../languages/rules/functions.ts'
import { goodPathClose } from '../../languages/rules/good-path-close.ts'
import {
  codeChildren,
  enclosingNode,
  field,
  fieldText,
  findNodes,
  firstLine,
  isWithin,
  quoteCode,
} from '../../languages/rules/syntax-nodes.ts'
import { unreleased, unreleasedOf } from '../../languages/rules/unreleased.ts'
import { type Hit, listByLanguage, type ParsedFile, type Rule } from './rule.ts'

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
    if (functionAround(use)?.id !== fn.id) return true
    const parent = use.parent
    if (!parent) return false
    const isReceiver = ['object', 'operand'].some((role) => field(parent, role)?.id === use.id)
    return !isReceiver && !harmlessParents.has(parent.type) && !isRead(use)
  })
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
    const { receiver, name: called } = readCall(call)
    return (
      receiver !== undefined &&
      method.test(called) &&
      new RegExp(`^${RegExp.escape(name)}\\b`).test(receiver.text)
    )
  })
}

/** The function that is called with a list of arguments. */
function calledName(argumentList: Node): string {
  return fieldText(argumentList.parent!, 'function')
}

/** `json.load(open(path))`. */
function checkPythonNestedOpen(call: Node): Hit | undefined {
  if (!/^(?:open|io\.open|codecs\.open|gzip\.open)$/.test(fieldText(call, 'function')))
    return undefined
  if (!functionAround(call) || call.parent?.type !== 'argument_list') return undefined
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
function checkGoOpen(statement: Node, file: ParsedFile): Hit | undefined {
  const fn = functionAround(statement)
  const name = firstTargetOf(statement)
  const opener = findGoOpener(statement, file)
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

function findGoOpener(statement: Node, { declarations }: ParsedFile): GoOpener | undefined {
  const call = field(statement, 'right')?.namedChild(0)
  if (call?.type !== 'call_expression') return undefined
  const callee = fieldText(call, 'function')
  const count = readCall(call).args.length
  const name = /\w+$/.exec(callee)?.[0] ?? ''
  const own = [...declarations.functions(name), ...declarations.methods(name)]
  if (own.length === 1 && /^\(?\*http\.Response\b/.test(fieldText(own[0]!, 'result')))
    return { call: /^/, closed: 'Body' }
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
  return new RegExp(`\\b${RegExp.escape(name)}\\.(?:Body|Status|Header)`).test(fn.text)
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

/** A `defer` inside a loop is run when the function ends, not at the end of each turn. */
function checkDeferInLoop(statement: Node): Hit | undefined {
  const owner = enclosingNode(statement, goLoopsAndFunctions)
  const call = statement.namedChild(0)
  if (owner?.type !== 'for_statement' || call?.type !== 'call_expression') return undefined
  // If the block ends with a `return`, this turn of the loop is the last one.
  if (codeChildren(statement.parent!).at(-1)?.type === 'return_statement') return undefined
  const { receiver, name } = readCall(call)
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
      // In C++, destructors release what a block holds.
      ...[...unreleased, goodPathClose].map((check) => ({ ...check, except: ['cpp'] as const })),
      ...listByLanguage(unreleasedOf),
      { languages: ['python'], nodes: ['call'], check: checkPythonNestedOpen },
      {
        languages: ['go'],
        nodes: ['short_var_declaration', 'assignment_statement'],
        check: checkGoOpen,
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
