// Finds the first use of a value that fails if the value is missing, and that surely runs.
import type { Node } from 'web-tree-sitter'
import { mentionsName, usesOf } from './bindings.ts'
import { isFunctionOrBlock } from './functions.ts'
import { statementsAfter, surelyLeaves } from './statements.ts'
import type { ParsedFile } from './syntax-check.ts'
import { field, fieldText, findNodes, firstField, textOf, typeOf } from './syntax-nodes.ts'

/** The access that a value is used in. */
export function accessOf(use: Node): Node | null {
  return wrapped(use).parent
}

export function textAround(use: Node): string {
  return (accessOf(use) ?? use).text
}

/** Kotlin's `!!` fails by itself, that of TypeScript does nothing. */
function wrapped(use: Node): Node {
  const { parent } = use
  return parent?.type === 'non_null_expression' ? parent : use
}

/** The first use of a variable after a statement, if it fails without a value and surely runs. */
export function firstUseAfter(name: string, statement: Node, file: ParsedFile): Node | undefined {
  return firstFailingUse(name, statementsAfter(statement), file)
}

/** The first use of a variable in statements, if it fails without a value and surely runs. */
export function firstFailingUse(
  name: string,
  statements: readonly Node[],
  file: ParsedFile,
): Node | undefined {
  for (const next of statements) {
    const uses = listUses(next, name)
    const use = uses.find((each) => !isSafe(each, next))
    if (use) return isDereferenced(use, file) && isReached(use, next) ? use : undefined
    if (mentionsName(next.text, name) && uses.length === 0) return undefined
    if (surelyLeaves(next)) return undefined
  }
  return undefined
}

/** The uses of a variable, or of a member such as `order.number`. */
function listUses(node: Node, name: string): Node[] {
  if (/^\$?\w+$/.test(name)) return usesOf(node, name)
  return findNodes(node, ...accessTypes).filter(({ text }) => text === name)
}

/** Whether a simple statement reads a member only if there is a value, such as `x?.name`. */
function isSafe(use: Node, statement: Node): boolean {
  const parent = accessOf(use)
  return !branches.test(statement.type) && parent !== null && isSafeAccess(parent)
}

const safe = /^(?:&\.|\?\.|\?->)$/

/** Whether an access reads nothing if there is no value, such as `x?.name`. */
function isSafeAccess(access: Node): boolean {
  return (
    access.type === 'conditional_access_expression' ||
    /^nullsafe/.test(access.type) ||
    field(access, 'optional_chain') !== undefined ||
    access.children.some(({ type, text }) => safe.test(type) || text === '?.')
  )
}

const objectFields = ['object', 'operand', 'expression', 'receiver', 'value', 'argument']

const accessTypes = new Set([
  ...['member_expression', 'attribute', 'selector_expression', 'field_access', 'call'],
  ...['method_invocation', 'member_access_expression', 'member_call_expression', 'subscript'],
  ...['subscript_expression', 'element_reference', 'element_access_expression'],
  ...['index_expression', 'field_expression'],
])

/** Methods that nil has, too. */
const nilMethods = new RegExp(
  `^(?:${[
    ...['ConfigureAwait', 'AsTask', 'WaitAsync', 'HasValue', 'GetValueOrDefault', 'Key', 'Value'],
    ...['nil\\?', 'present\\?', 'blank\\?', 'presence', 'to_\\w+', 'try', 'then', 'tap', 'is_a\\?'],
    ...['kind_of\\?', 'inspect', 'class', 'respond_to\\?', 'dup', 'freeze', 'instance_of\\?'],
    ...['in\\?', 'eql\\?', 'equal\\?', '!', '==', 'hash', 'object_id', 'itself', 'as_json'],
  ].join('|')})$`,
)

/** Whether the use of a value reads a member or element of it. */
export function isDereferenced(use: Node, file: ParsedFile): boolean {
  const value = wrapped(use)
  const { parent } = value
  if (parent?.type === 'unary_expression' && parent.text === `${use.text}!!`) return true
  if (!parent || !isObjectOf(value, parent) || isSafeAccess(parent)) return false
  const member = textOf(firstField(parent, ['method', 'name', 'property', 'attribute', 'field']))
  // Rust's options have many methods, of which these fail.
  if (file.language === 'rust') return failsInRust(parent, member)
  // Go can call methods of a nil pointer.
  if (file.language === 'go' && typeOf(parent.parent) === 'call_expression')
    return field(parent.parent!, 'function')?.id !== parent.id
  return !isLengthTest(parent, member) && !nilMethods.test(member)
}

/** Whether a method fails without a value, also after `clone()` and the like. */
function failsInRust(access: Node, member: string): boolean {
  if (/^(?:unwrap|expect)$/.test(member)) return true
  const outer = access.parent?.parent
  const isCopy = /^(?:as_ref|as_mut|as_deref|clone|take|copied|cloned)$/.test(member)
  return isCopy && !!outer && failsInRust(outer, fieldText(outer, 'field'))
}

function isObjectOf(value: Node, access: Node): boolean {
  if (!accessTypes.has(access.type)) return false
  const hasNoFields = /^(?:subscript_expression|element_reference)$/.test(access.type)
  if (hasNoFields && access.namedChild(0)?.id === value.id) return true
  return objectFields.some((name) => field(access, name)?.id === value.id)
}

/** `len(m)` and `m.length` are tests. */
function isLengthTest(access: Node, member: string): boolean {
  return member === 'length' && /binary|unary|if/.test(access.parent?.type ?? '')
}

const branches =
  /^(?:if|unless|else|elsif|elif|when|switch|match|case|for|foreach|while|until|try|do|conditional|ternary|catch|except|rescue|with|begin|select|select_statement|expression_switch)(?:_(?:statement|expression|clause|modifier|entry|arm|block|case|list))*$/

/** Whether nothing in the statement around a use decides that it is reached. */
export function isReached(use: Node, statement: Node): boolean {
  let child = use
  for (let node = use.parent; node && child.id !== statement.id; child = node, node = node.parent) {
    if (isFunctionOrBlock(node) || isGuarding(node, child)) return false
    const isHeader = ['condition', 'right', 'value', 'iterable', 'subject'].some(
      (name) => field(node, name)?.id === child.id,
    )
    if (branches.test(node.type) && !isHeader) return false
  }
  return true
}

/** Operators whose right side depends on the left one, and PHP's tests of accesses. */
function isGuarding(node: Node, child: Node): boolean {
  const operator = field(node, 'operator')?.type ?? node.child(1)?.type ?? ''
  if (/^(?:\?\?|\?:)$/.test(operator)) return true
  if (/^(?:&&|\|\||and|or|\?)$/.test(operator) && field(node, 'left')?.id !== child.id)
    return node.firstChild?.id !== child.id
  if (/^(?:error_suppression_expression|rescue_modifier)$/.test(node.type)) return true
  return /^\\?(?:isset|empty|unset|nameof)$/.test(fieldText(node, 'function'))
}
