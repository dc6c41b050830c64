// Finds the values that local variables get, and the texts that are added to them.
import type { Node } from 'web-tree-sitter'
import { type CodeSyntax, calleeName, isCall, methodName, receiverOf } from './code-syntax.ts'
import { parametersOf } from './own-functions.ts'
import { field, findNodes } from './syntax-nodes.ts'

const scopeTypes =
  /^(?:program|module|source_file|compilation_unit|method|singleton_method|lambda|\w*function\w*|func_literal|closure_expression|lambda_\w+|\w*method_(?:declaration|definition)|constructor_declaration|local_function_statement|do_block|block_argument|annotated_lambda)$/

/** The function, or at last the whole file, that a node is in. */
export function scopeOf(node: Node): Node | undefined {
  let scope = node.parent
  while (
    scope?.parent &&
    (!scopeTypes.test(scope.type) || /_type|modifiers|_body/.test(scope.type))
  )
    scope = scope.parent
  return scope ?? undefined
}

export interface Binding {
  readonly node: Node
  readonly names: readonly string[]
  readonly value: Node
}

interface ScopeBindings {
  readonly all: readonly Binding[]
  readonly byName: ReadonlyMap<string, readonly Binding[]>
}

/** By the tree and the scope in it, as every use of a value asks for the same bindings. */
const knownBindings = new WeakMap<object, Map<number, ScopeBindings>>()

/** Returns the bindings in a function, also in the functions inside it. */
export function bindingsOf(scope: Node, syntax: CodeSyntax): ScopeBindings {
  const ofTree = knownBindings.get(scope.tree) ?? new Map<number, ScopeBindings>()
  knownBindings.set(scope.tree, ofTree)
  const bindings = ofTree.get(scope.id) ?? readBindings(scope, syntax)
  ofTree.set(scope.id, bindings)
  return bindings
}

function readBindings(scope: Node, syntax: CodeSyntax): ScopeBindings {
  const byName = new Map<string, Binding[]>()
  const all = findNodes(scope, ...syntax.bindings).flatMap((node) => {
    const binding = syntax.bindingOf(node)
    return binding ? [{ node, names: namesIn(binding.name), value: binding.value }] : []
  })
  for (const binding of all)
    for (const name of binding.names) {
      const known = byName.get(name)
      if (known) known.push(binding)
      else byName.set(name, [binding])
    }
  return { all, byName }
}

/** The names of a binding, which can be a pattern such as `{ url }` or `path, err`. */
function namesIn(pattern: string): readonly string[] {
  if (variableName.test(pattern)) return [pattern]
  return pattern.length < 200 && /^[\w\s,{}()[\]:$]+$/.test(pattern)
    ? [...(pattern.match(/\$?\w+/g) ?? [])]
    : []
}

const variableName = /^[$@]?\w+$/

/** Whether a parameter has a name. */
export function declares(parameter: Node, name: string): boolean {
  return new Set<string>(parameter.text.slice(0, 200).match(/[$@]?\w+/g)).has(name)
}

/** The values that a variable gets in a function before it is used. */
export function boundValues(scope: Node, name: string, use: Node, syntax: CodeSyntax): Node[] {
  const bindings = bindingsOf(scope, syntax).byName.get(name) ?? []
  return bindings.map(({ value }) => value).filter(({ endIndex }) => endIndex <= use.startIndex)
}

/** The values that a variable gets in its function before it is used. */
export function valuesOf(variable: Node, syntax: CodeSyntax, name = variable.text): Node[] {
  if (!variableName.test(name) || /^\d/.test(name)) return []
  for (let scope = scopeOf(variable); scope; scope = scopeOf(scope)) {
    const values = boundValues(scope, name, variable, syntax)
    if (values.length > 0) return values.filter(({ text }) => text !== name)
    if (parametersOf(scope).some((parameter) => declares(parameter, name))) return []
  }
  return []
}

/** The only value that a variable gets before it is used. */
export function boundValueOf(
  variable: Node,
  syntax: CodeSyntax,
  name = variable.text,
): Node | undefined {
  const values = valuesOf(variable, syntax, name)
  return values.length === 1 ? values[0] : undefined
}

/** The types of nodes that add a text to a variable, or may do so. */
export const appendTypes: readonly string[] = [
  ...['augmented_assignment_expression', 'augmented_assignment', 'assignment_statement'],
  ...['assignment_expression', 'assignment', 'operator_assignment', 'compound_assignment_expr'],
  ...['binary', 'binary_expression', 'macro_invocation'],
]

/** Methods that add their arguments to a text or a list. */
const appendMethod =
  /^(?:append|Append|AppendLine|AppendFormat|push_str|concat|WriteString|push|add|write|write_str)$/

/** Texts that are added to a variable. */
interface Append {
  readonly node: Node
  readonly target: Node
  readonly texts: readonly Node[]
}

/** Reads `query += text`, `query << text`, `query.append(text)` and `Fprintf(&query, text)`. */
export function appendOf(node: Node, syntax: CodeSyntax): Append | undefined {
  if (node.type === 'macro_invocation') return writtenBy(node, syntax)
  if (isCall(node, syntax)) return appendedBy(node, syntax)
  const [left, right] = [field(node, 'left'), field(node, 'right')]
  const operator = left && right ? (left.nextSibling?.type ?? '') : ''
  if (!/^(?:\+=|\.=|<<)$/.test(operator)) return undefined
  const inner = left!.type === node.type ? appendOf(left!, syntax) : undefined
  const { target, texts } = inner ?? { target: left!, texts: [] }
  return variableName.test(target.text) ? { node, target, texts: [...texts, right!] } : undefined
}

function writtenBy(node: Node, syntax: CodeSyntax): Append | undefined {
  const isWrite = /^write(?:ln)?$/.test(field(node, 'macro')?.text ?? '')
  const target = node.namedChildren.at(-1)?.descendantsOfType('identifier')[0]
  return isWrite && target && syntax.calls.length > 0 ? { node, target, texts: [node] } : undefined
}

function appendedBy(call: Node, syntax: CodeSyntax): Append | undefined {
  if (calleeName(call, syntax) === 'fmt.Fprintf') {
    const target = syntax.argumentsOf(call)[0]?.descendantsOfType('identifier')[0]
    return target && { node: call, target, texts: [call] }
  }
  if (!appendMethod.test(methodName(call, syntax))) return undefined
  const receiver = receiverOf(call)
  if (!receiver) return undefined
  const inner = isCall(receiver, syntax) ? appendedBy(receiver, syntax) : undefined
  const { target, texts } = inner ?? { target: receiver, texts: [] }
  if (!variableName.test(target.text)) return undefined
  return { node: call, target, texts: [...texts, ...syntax.argumentsOf(call)] }
}

/** What is added to a variable between its last value and its use. */
export function appendsTo(variable: Node, from: number, syntax: CodeSyntax): Append[] {
  const scope = scopeOf(variable)
  const name = variable.text
  if (!scope || !variableName.test(name)) return []
  const word = RegExp.escape(name)
  const added = new RegExp(`${word}\\s*(?:\\+=|\\.=|<<|(?:\\.|->)\\w)|[(&]${word},`)
  if (!added.test(scope.text.slice(0, variable.startIndex - scope.startIndex))) return []
  return findNodes(scope, ...appendTypes, ...syntax.calls)
    .filter((node) => node.startIndex >= from && node.endIndex <= variable.startIndex)
    .flatMap((node) => appendOf(node, syntax) ?? [])
    .filter(({ target }) => target.text === name)
    .filter((each, _, all) => !all.some((other) => isInside(each.node, other.node)))
}

/** Whether a node is the start of a chain that another one ends. */
function isInside(node: Node, outer: Node): boolean {
  return (
    node.id !== outer.id && node.startIndex >= outer.startIndex && node.endIndex <= outer.endIndex
  )
}
