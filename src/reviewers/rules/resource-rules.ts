// Rules about files, sockets and rows that stay open.
import type { Node } from 'web-tree-sitter'
import type { Hit, Rule } from './rule.ts'
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
} from './syntax-nodes.ts'

function notClosed(at: Node, name: string, how: string): Hit {
  return {
    at: firstLine(at),
    title: `${quoteCode(name)} is opened here and never closed in this function`,
    body: `When this runs often, or fails half-way, ${quoteCode(name)} stays open and the process runs out of descriptors or connections. ${how}`,
  }
}

/** Whether a local name leaves the function: returned, yielded, stored, captured, or handed to something else. */
function escapes(name: string, declaration: Node, fn: Node): boolean {
  return findNodes(fn, 'identifier').some((use) => {
    if (
      use.text !== name ||
      (use.startIndex >= declaration.startIndex && use.endIndex <= declaration.endIndex)
    )
      return false
    if (enclosingFunction(use)?.id !== fn.id) return true
    const parent = use.parent
    if (!parent) return false
    const isReceiver = ['object', 'operand'].some((role) => field(parent, role)?.id === use.id)
    return !isReceiver && !harmlessParents.has(parent.type)
  })
}

/** Uses that don't hand the resource on: loops over it, comparisons with nil. */
const harmlessParents = new Set([
  'for_statement',
  'range_clause',
  'binary_expression',
  'comparison_operator',
  'if_statement',
  'for_in_clause',
])

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

function checkPythonOpen(assignment: Node): Hit | undefined {
  const call = field(assignment, 'right')
  const target = field(assignment, 'left')
  const fn = enclosingFunction(assignment)
  if (call?.type !== 'call' || target?.type !== 'identifier' || !fn) return undefined
  if (
    !/^(?:open|io\.open|codecs\.open|gzip\.open|socket\.socket|socket\.create_connection)$/.test(
      fieldText(call, 'function'),
    )
  ) {
    return undefined
  }
  if (
    isClosed(target.text, fn, /^(?:close|detach|__exit__)$/) ||
    escapesPython(target.text, assignment, fn)
  )
    return undefined
  return notClosed(assignment, target.text, 'Open it in a `with` statement.')
}

function escapesPython(name: string, assignment: Node, fn: Node): boolean {
  return findNodes(fn, 'identifier').some((use) => {
    if (use.text !== name || use.id === field(assignment, 'left')?.id) return false
    if (enclosingFunction(use)?.id !== fn.id || use.parent?.type === 'with_item') return true
    const parent = use.parent
    // A function of a parser reads the file and gives it back: `json.load(f)`.
    if (parent?.type === 'argument_list')
      return !/^(?:json|csv|yaml|pickle|tomllib|toml)\.\w+$/.test(
        fieldText(parent.parent!, 'function'),
      )
    return parent?.type !== 'attribute' && !harmlessParents.has(parent?.type ?? '')
  })
}

/** `values` is the number of arguments that tells a client of HTTP from others that `Get` something. */
const goOpeners: readonly {
  readonly call: RegExp
  readonly closed: string
  readonly values?: number
}[] = [
  { call: /^http\.(?:Get|Post|PostForm|Head)$/, closed: 'Body' },
  { call: /(?:[cC]lient|http\.DefaultClient)\.(?:Do|Get|Head)$/, closed: 'Body', values: 1 },
  { call: /(?:[cC]lient|http\.DefaultClient)\.Post$/, closed: 'Body', values: 3 },
  {
    call: /^(?:\w+\.)*(?:db|tx|conn|DB|pool)\.(?:Query|QueryContext|Queryx|QueryxContext)$/,
    closed: '',
  },
  { call: /^os\.(?:Open|Create|OpenFile)$|^net\.(?:Dial|DialTimeout)$/, closed: '' },
]

function checkGoOpen(statement: Node): Hit | undefined {
  const targets = field(statement, 'left')
  const call = field(statement, 'right')?.namedChild(0)
  const fn = enclosingFunction(statement)
  if (!targets || call?.type !== 'call_expression' || !fn) return undefined
  const callee = fieldText(call, 'function')
  const count = argumentsOf(call).length
  const opener = goOpeners.find(
    ({ call: pattern, values = count }) => values === count && pattern.test(callee),
  )
  const name = codeChildren(targets)[0]?.text
  if (!opener || !name || !/^\w+$/.test(name) || name === '_' || codeChildren(targets).length < 2)
    return undefined
  if (
    isClosed(name, fn, /^Close$/) ||
    escapes(name, statement, fn) ||
    bodyEscapes(name, opener.closed, fn)
  )
    return undefined
  // Other clients `Get` something too.
  if (
    opener.values &&
    !new RegExp(`\\b${escapeRegExp(name)}\\.(?:Body|Status|Header)`).test(fn.text)
  )
    return undefined
  const what = opener.closed ? `${name}.${opener.closed}` : name
  return notClosed(statement, what, `\`defer ${what}.Close()\` after the error was checked.`)
}

/** The body of a response was handed to someone as a whole: returned, stored, or wrapped in a reader of ours. */
function bodyEscapes(name: string, part: string, fn: Node): boolean {
  if (!part) return false
  return findNodes(fn, 'selector_expression').some((node) => {
    if (node.text !== `${name}.${part}`) return false
    const parent = node.parent
    if (parent?.type !== 'argument_list') return parent?.type !== 'selector_expression'
    return !/^(?:io|ioutil)\.\w+$|json\.NewDecoder$|xml\.NewDecoder$|bufio\.\w+$/.test(
      fieldText(parent.parent!, 'function'),
    )
  })
}

const javaResources =
  /^(?:File|Buffered|Input|Output|Object|Data|Print|Zip|GZIP|Random|Socket|Server)\w*(?:Stream|Reader|Writer|Socket|AccessFile)$|^(?:Socket|ServerSocket|RandomAccessFile)$/

const javaOpeners =
  /^(?:getConnection|prepareStatement|createStatement|executeQuery|newBufferedReader|newBufferedWriter|newInputStream|newOutputStream)$/

function checkJavaOpen(declaration: Node): Hit | undefined {
  const declarator = field(declaration, 'declarator')
  const value = declarator && field(declarator, 'value')
  const fn = enclosingFunction(declaration)
  if (!value || !fn || declaration.parent?.type !== 'block' || !opensInJava(unwrap(value)))
    return undefined
  const name = fieldText(declarator, 'name')
  const closed =
    isClosed(name, fn, /^close\w*$/) ||
    new RegExp(`close\\w*\\(\\s*${escapeRegExp(name)}\\b`).test(fn.text)
  if (closed || inTryResources(name, fn) || escapes(name, declaration, fn)) return undefined
  return notClosed(declaration, name, 'Declare it in a try-with-resources statement.')
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

/** `new BufferedReader(reader)`: whoever opened `reader` closes it. */
function wrapsName(creation: Node): boolean {
  const argument = argumentsOf(creation)[0]
  const type = fieldText(creation, 'type')
  return (
    argument?.type === 'identifier' && /^(?:Buffered|Input|Output|Data|Object|Print)/.test(type)
  )
}

function inTryResources(name: string, fn: Node): boolean {
  return findNodes(fn, 'resource').some((resource) => resource.text.includes(name))
}

/** `defer` inside a loop runs when the function ends, not when the turn of the loop does. */
function checkDeferInLoop(statement: Node): Hit | undefined {
  const owner = enclosingNode(
    statement,
    new Set(['for_statement', 'func_literal', 'function_declaration', 'method_declaration']),
  )
  const call = statement.namedChild(0)
  if (owner?.type !== 'for_statement' || call?.type !== 'call_expression') return undefined
  // A block that returns at its end is the last turn of the loop.
  if (codeChildren(statement.parent!).at(-1)?.type === 'return_statement') return undefined
  const { receiver, name } = calleeOf(call)
  if (!receiver || !/^(?:Close|Unlock|RUnlock|Rollback|Done)$/.test(name)) return undefined
  return {
    at: firstLine(statement),
    title: `${quoteCode(`${receiver.text}.${name}`)} is deferred inside a loop and runs only when the function ends`,
    body: 'When the loop goes round many times, everything it opens or locks stays so until the function returns; a lock deadlocks in the second turn. Put the body of the loop into a function.',
    severity: /Unlock$/.test(name) ? 'critical' : 'moderate',
  }
}

export const resourceRules: readonly Rule[] = [
  {
    id: 'resource-not-closed',
    summary:
      'A file, response, result set or connection is opened and never closed in the function.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.75,
    syntax: [
      { languages: ['python'], nodes: ['assignment'], check: checkPythonOpen },
      {
        languages: ['go'],
        nodes: ['short_var_declaration', 'assignment_statement'],
        check: checkGoOpen,
      },
      { languages: ['java'], nodes: ['local_variable_declaration'], check: checkJavaOpen },
    ],
  },
  {
    id: 'defer-in-loop',
    summary: 'Go: a `defer` that closes or unlocks stands in a loop.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.85,
    syntax: [{ languages: ['go'], nodes: ['defer_statement'], check: checkDeferInLoop }],
  },
]
