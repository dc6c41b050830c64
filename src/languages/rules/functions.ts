// Reads functions and their parameters alike in all languages.
import type { Node } from 'web-tree-sitter'
import { codeChildren, enclosingNode, field, findNodes } from './syntax-nodes.ts'

/** The types of nodes that are functions, in all languages. */
export const functionTypes: ReadonlySet<string> = new Set([
  ...['function_declaration', 'function_expression', 'function_definition', 'function_item'],
  ...['generator_function', 'generator_function_declaration', 'arrow_function', 'func_literal'],
  ...['method_definition', 'method_declaration', 'method', 'singleton_method'],
  ...['constructor_declaration', 'secondary_constructor', 'local_function_statement'],
  ...['lambda', 'lambda_expression', 'closure_expression', 'anonymous_function'],
  ...['anonymous_function_creation_expression', 'anonymous_method_expression'],
])

/** Functions, and Kotlin's and Ruby's blocks, which share the variables of the code around them. */
const functionAndBlockTypes: ReadonlySet<string> = new Set([
  ...functionTypes,
  ...['lambda_literal', 'do_block'],
])

export function isFunction({ type }: Node): boolean {
  return functionTypes.has(type)
}

/** Whether a node is a function or a block that is passed to one. */
export function isFunctionOrBlock({ type }: Node): boolean {
  return functionAndBlockTypes.has(type)
}

/** Whether `async` stands before a function of JavaScript or Python. */
export function isAsync(fn: Node): boolean {
  for (let index = 0; index < fn.childCount && index < 8; index++) {
    if (fn.child(index)?.type === 'async') return true
  }
  return false
}

/** Returns the function or block that a node runs in; undefined at the top level of a module. */
export function functionAround(node: Node): Node | undefined {
  return enclosingNode(node, functionAndBlockTypes)
}

/** Returns the function or block around a node, or else the file; undefined for the file. */
export function scopeOf(node: Node): Node | undefined {
  return functionAround(node) ?? (node.parent ? node.tree.rootNode : undefined)
}

/** Returns the nearest function around a node that has a name, with the closures in it. */
export function namedFunctionAround(node: Node): Node | undefined {
  let fn = functionAround(node)
  while (fn && !field(fn, 'name')) fn = functionAround(fn)
  return fn
}

/** Returns the largest function around a node: the functions in it see its variables. */
export function outermostFunction(node: Node): Node | undefined {
  let owner = functionAround(node)
  for (let outer = owner; outer; outer = functionAround(outer)) owner = outer
  return owner
}

/** Like `findNodes`, without the nodes that belong to a function inside `node`. */
export function findOwnNodes(node: Node, ...types: string[]): Node[] {
  return findNodes(node, ...types).filter((found) => !isInInnerFunction(found, node))
}

function isInInnerFunction(node: Node, outer: Node): boolean {
  let ancestor = node.parent
  while (ancestor && ancestor.id !== outer.id) {
    if (isFunction(ancestor)) return true
    ancestor = ancestor.parent
  }
  return false
}

/**
 * Returns the names of the parameters of a function, of a variable that holds one, or of a list of
 * parameters, without that of the own object; undefined if there is no list. Patterns have no name.
 */
export function readParameters(definition: Node): readonly string[] | undefined {
  const value = field(definition, 'value')
  const fn = value && isFunction(value) ? value : definition
  const list = isList(fn) ? fn : listOf(fn)
  if (!list) return undefined
  if (list.type === 'identifier') return [list.text]
  const names = codeChildren(list).flatMap(namesOf)
  return /^(?:self|cls|this)$/.test(names[0] ?? '') ? names.slice(1) : names
}

/** Returns the parameters of a function or block, without that of the own object. */
export function listParameters(fn: Node): Node[] {
  const list = isFunctionOrBlock(fn) ? listOf(fn) : undefined
  if (!list || list.type === 'identifier') return list ? [list] : []
  return codeChildren(list)
    .filter(({ type, text }) => type !== 'self_parameter' && !/^(?:self|cls)$/.test(text))
    .flatMap((parameter) => {
      // Go's parameters share a type: `tenant, name string`.
      const names = parameter.childrenForFieldName('name').filter((each) => each !== null)
      return names.length > 1 ? names : [parameter]
    })
}

function isList({ type }: Node): boolean {
  return /parameter(?:s|_list)$/.test(type)
}

function listOf(fn: Node): Node | undefined {
  const list = field(fn, 'parameters') ?? field(fn, 'parameter') ?? fn.namedChildren.find(isList)
  // In C, the name of a function has its parameters.
  const declarator = list ? undefined : field(fn, 'declarator')
  return declarator ? listOf(declarator) : list
}

function namesOf(parameter: Node): string[] {
  if (parameter.type === 'self_parameter') return []
  const named = parameter.childrenForFieldName('name').filter((each) => each !== null)
  const found = named.length > 0 ? named : [nameNodeOf(parameter)]
  return found.map((each) => /^[$@&*]*(\w+)$/.exec(each.text)?.[1] ?? '')
}

function nameNodeOf(parameter: Node): Node {
  return (
    field(parameter, 'pattern') ??
    parameter.namedChildren.find(({ type }) => type === 'identifier') ??
    parameter
  )
}
