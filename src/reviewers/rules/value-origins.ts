// Finds where a value comes from and which type it has, as far as its file shows.

import type { Node } from 'web-tree-sitter'
import { functionAround, isFunction } from '../../languages/rules/functions.ts'
import { field, fieldText, findNodes } from '../../languages/rules/syntax-nodes.ts'
import type { ParsedFile } from './rule.ts'

/**
 * Finds the last declaration or assignment of a local name before the node, in its function or an
 * outer one, also in a destructuring pattern. Undefined for parameters, imports and fields.
 */
export function originOf(
  name: string,
  from: Node,
  file: ParsedFile,
): { node: Node; value: Node } | undefined {
  const candidates = file.declarations
    .variables(name)
    .filter((node) => node.startIndex < from.startIndex)
    .map((node) => ({ node, scope: functionAround(node)?.id }))
  for (let scope = functionAround(from); ; scope = functionAround(scope)) {
    const node = candidates.findLast((candidate) => candidate.scope === scope?.id)?.node
    const value = node && (field(node, 'value') ?? field(node, 'right'))
    if (node && value) return { node, value: firstOfList(value) }
    if (!scope || parameterOf(scope, name)) return undefined
  }
}

function firstOfList(value: Node): Node {
  return value.type === 'expression_list' ? (value.namedChild(0) ?? value) : value
}

/** Finds the function or method with a name, if the file has only one. */
export function findOnlyFunction(name: string, { declarations }: ParsedFile): Node | undefined {
  const variables = declarations.variables(name).filter((node) => {
    const value = field(node, 'value')
    return value !== undefined && isFunction(value)
  })
  const all = [...declarations.functions(name), ...declarations.methods(name), ...variables]
  return all.length === 1 ? all[0] : undefined
}

/** Finds the parameter of a function that declares the name, also in a destructuring pattern. */
export function parameterOf(fn: Node, name: string): Node | undefined {
  const list = field(fn, 'parameters') ?? field(fn, 'parameter')
  if (!list) return undefined
  if (list.type === 'identifier') return list.text === name ? list : undefined
  return list.namedChildren.find((parameter) => declaresName(parameter, name))
}

function declaresName(parameter: Node, name: string): boolean {
  if (parameter.type === 'identifier') return parameter.text === name
  const names = findNodes(parameter, 'identifier', 'shorthand_property_identifier_pattern')
  return names.some((found) => found.text === name)
}

/** The declared type of a local name or parameter as written; empty if there is none. */
export function typeOf(name: string, from: Node, file: ParsedFile): string {
  for (let fn = functionAround(from); fn; fn = functionAround(fn)) {
    const parameter = parameterOf(fn, name)
    if (parameter) return typeText(parameter)
  }
  const origin = originOf(name, from, file)
  return origin ? typeText(origin.node) || typeText(origin.node.parent ?? origin.node) : ''
}

/**
 * The declared type of a variable, parameter or field (also `this.name`), or else the value that
 * it is set to first; empty if the file has neither.
 */
export function declaredTypeOf(path: string, from: Node, file: ParsedFile): string {
  const name = path.replace(/^this\./, '')
  const local = typeOf(name, from, file)
  if (local && local !== 'var') return local
  const declaration = file.declarations
    .variables(name)
    .findLast((node) => functionAround(node) === undefined)
  const type = declaration && declaredType(declaration)
  return type || originOf(name, from, file)?.value.text || ''
}

/** Java and Go have the type in the parent of the declared name. */
function declaredType(declaration: Node): string {
  return fieldText(declaration, 'type') || fieldText(declaration.parent ?? declaration, 'type')
}

function typeText(node: Node): string {
  return fieldText(node, 'type')
    .replace(/^\s*:\s*/, '')
    .trim()
}
