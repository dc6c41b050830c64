// Rules about functions that call themselves without a way out.
import type { Node } from 'web-tree-sitter'
import { callTypes, readCall } from '../../languages/rules/calls.ts'
import { functionAround, isFunction } from '../../languages/rules/functions.ts'
import { implicitRecursion } from '../../languages/rules/implicit-recursion.ts'
import {
  codeChildren,
  enclosingNode,
  field,
  fieldText,
  findNodes,
  firstLine,
  quoteCode,
} from '../../languages/rules/syntax-nodes.ts'
import { isOfTrait, unchangedCounter } from '../../languages/rules/unchanged-counter.ts'
import type { Hit, ParsedFile, Rule } from './rule.ts'
import { parameterOf } from './value-origins.ts'

const recursionBody =
  'When this runs, it calls itself until the stack overflows. Call the function or read the ' +
  'field that was meant.'

function endlessHit(at: Node, name: string): Hit {
  return {
    at: firstLine(at),
    title: `Infinite recursion: ${quoteCode(name)} always calls itself`,
    body: recursionBody,
  }
}

/** `getName() { return getName() }`. */
function checkSelfCall(call: Node, file: ParsedFile): Hit | undefined {
  const fn = functionAround(call)
  const name = fn && fieldText(fn, 'name')
  if (!fn || !name || readCall(call).name !== name || !isCalledOnItself(call, fn)) return undefined
  if (isOverloaded(call, fn, file) || isOfTrait(fn) || !runsFirst(call, fn)) return undefined
  // A local function can have the same name.
  if (file.declarations.variables(name).length > 0 || parameterOf(fn, name)) return undefined
  return endlessHit(call, `${name}()`)
}

/** Whether the receiver of a call is the object or module that has the function. */
function isCalledOnItself(call: Node, fn: Node): boolean {
  const { receiver } = readCall(call)
  const isMethod = enclosingNode(fn, ownerTypes) !== undefined || fn.type === 'method_declaration'
  const own = receiverName(fn)
  // Languages but Java and C# need a receiver to call a method.
  // A function of PHP isn't the method of the same name.
  if (!receiver && call.type === 'function_call_expression') return !isMethod
  if (!receiver) return fn.type === 'method_declaration' ? own === undefined : !isMethod
  return (
    isMethod && (own === undefined ? /^(?:this|self)$/ : new RegExp(`^${own}$`)).test(receiver.text)
  )
}

const ownerTypes = new Set(['class_body', 'class_definition', 'object', 'impl_item'])

/** The name of a method's receiver in Go; undefined in other languages. */
function receiverName(fn: Node): string | undefined {
  const receiver = field(fn, 'receiver')
  return receiver && (/^\((\w+)\s/.exec(receiver.text)?.[1] ?? '_')
}

/** Statements that may leave a function or skip what follows. */
const branchTypes = new RegExp(
  `^(?:${[
    ...['if', 'unless', 'for', 'while', 'until', 'loop', 'do', 'switch', 'case', 'when'],
    ...['try', 'begin', 'rescue', 'with', 'match', 'labeled', 'select', 'expression_switch'],
    ...['type_switch', 'synchronized', 'enhanced_for', 'return', 'throw', 'raise'],
  ].join('|')})_?\\w*$`,
)

/** Operators and expressions of which the second part doesn't always run. */
const optionalTypes = new Set([
  'ternary_expression',
  'conditional_expression',
  'conditional',
  'elvis_expression',
  'boolean_operator',
  'await_expression',
  'yield',
  'yield_expression',
  'list_comprehension',
  'generator_expression',
])

/** Whether a call runs whenever the function does, before anything can leave it. */
function runsFirst(call: Node, fn: Node): boolean {
  let node = call
  for (let parent = node.parent; parent && parent.id !== fn.id; parent = node.parent) {
    if (isFunction(parent) || isOptionalIn(parent, node)) return false
    if (blockTypes.test(parent.type)) {
      const before = codeChildren(parent).filter((other) => other.endIndex <= node.startIndex)
      if (before.some((statement) => mayLeave(statement))) return false
    }
    node = parent
  }
  return true
}

const blockTypes = /^(?:block|statement_block|statement_list|compound_statement|body_statement)$/

/** Whether a part of a statement or expression doesn't always run. */
function isOptionalIn(parent: Node, part: Node): boolean {
  if (optionalTypes.has(parent.type)) return true
  if (/^(?:&&|\|\||\?\?|\?:|and|or)$/.test(fieldText(parent, 'operator')) && isRight(parent, part))
    return true
  return branchTypes.test(parent.type) && !/^return/.test(parent.type)
}

function isRight(parent: Node, node: Node): boolean {
  return field(parent, 'right')?.id === node.id
}

function mayLeave(statement: Node): boolean {
  const inner = statement.type === 'expression_statement' ? statement.namedChild(0)! : statement
  if (branchTypes.test(inner.type) || branchTypes.test(statement.type)) return true
  return findNodes(statement, 'await_expression', 'try_expression').length > 0
}

/** Languages in which a function of another file can have the same name. */
const overloading = new Set(['java', 'kotlin', 'scala', 'c-sharp', 'cpp'])

/** Whether another function has the name, which the call may mean. */
function isOverloaded(call: Node, fn: Node, { declarations, language }: ParsedFile): boolean {
  const name = fieldText(fn, 'name')
  const others = [...declarations.functions(name), ...declarations.methods(name)].filter(
    ({ type }) => type === fn.type,
  )
  const count = codeChildren(field(fn, 'parameters') ?? fn).length
  if (overloading.has(language) && (count > 0 || readCall(call).args.length > 0)) return true
  return fn.type !== 'method_definition' && !field(fn, 'receiver') && others.length > 1
}

/** `get name() { return this.name }`, and Python's properties. */
function checkSelfRead(access: Node): Hit | undefined {
  const read = field(access, 'property') ?? field(access, 'attribute')
  if (!read || !/^(?:this|self)$/.test(fieldText(access, 'object')) || isWritten(access))
    return undefined
  const fn = functionAround(access)
  if (!fn || fieldText(fn, 'name') !== read.text || !isGetter(fn)) return undefined
  // A getter may replace itself by its value.
  if (/\bdefineProperty\(\s*this\b/.test(fn.text)) return undefined
  return runsFirst(access, fn) ? endlessHit(access, access.text) : undefined
}

function isWritten({ id, parent }: Node): boolean {
  return parent !== null && /assignment/.test(parent.type) && field(parent, 'left')?.id === id
}

function isGetter(fn: Node): boolean {
  if (fn.type === 'method_definition') return fn.children.some(({ type }) => type === 'get')
  const decorated = fn.parent
  return (
    decorated?.type === 'decorated_definition' &&
    decorated.namedChildren.some(
      (child) => child.type === 'decorator' && child.text === '@property',
    )
  )
}

/** Go: `func (e NotFound) Error() string { return fmt.Sprintf("%v", e) }`. */
function checkSelfFormat(call: Node): Hit | undefined {
  if (!/^fmt\.(?:Sprint|Sprintf|Sprintln|Errorf)$/.test(fieldText(call, 'function')))
    return undefined
  const fn = functionAround(call)
  const name = fn && fieldText(fn, 'name')
  const receiver = fn && receiverName(fn)
  if (!fn || !name || !receiver || !/^(?:Error|String)$/.test(name)) return undefined
  const { args } = readCall(call)
  const at = args.find(({ text }) => text === receiver || text === `&${receiver}`)
  if (!at || !runsFirst(call, fn) || !formatsText(args, args.indexOf(at))) return undefined
  return endlessHit(call, `${name}()`)
}

/** Whether the verb of an argument asks for its text. */
function formatsText(args: readonly Node[], index: number): boolean {
  const [format] = args
  if (!format || !/^["`]/.test(format.text)) return true
  const verbs = format.text.match(/%[-+# 0-9.]*[a-zA-Z]/g) ?? []
  return /^%\+?[vsq]$/.test(verbs[index - 1] ?? '')
}

export const recursionRules: readonly Rule[] = [
  {
    id: 'infinite-recursion',
    summary: 'Infinite recursion: a function or getter calls itself without a way out.',
    seeAlso: ['CWE-674', 'Staticcheck `SA5007`', 'go vet `printf`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.95,
    syntax: [
      { nodes: callTypes, check: checkSelfCall },
      {
        languages: ['javascript', 'python'],
        nodes: ['member_expression', 'attribute'],
        check: checkSelfRead,
      },
      { languages: ['go'], nodes: ['call_expression'], check: checkSelfFormat },
      unchangedCounter,
      ...implicitRecursion,
    ],
  },
]
