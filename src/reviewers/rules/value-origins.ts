// Where a value comes from, and of what type it is, as far as the one file shows.
import type { Node } from 'web-tree-sitter'
import { isPlainString } from './literals.ts'
import type { ParsedFile } from './rule.ts'
import { enclosingFunction, field, fieldText, findNodes, isFunction } from './syntax-nodes.ts'

/**
 * Where a local name got its value: the last declaration or assignment before the node, in its function or one
 * around it, that names it (also in a destructuring pattern). Undefined for parameters, imports and fields.
 */
export function originOf(
  name: string,
  from: Node,
  file: ParsedFile,
): { node: Node; value: Node } | undefined {
  const candidates = file.declarations
    .variables(name)
    .filter((node) => node.startIndex < from.startIndex)
    .map((node) => ({ node, scope: enclosingFunction(node)?.id }))
  for (let scope = enclosingFunction(from); ; scope = enclosingFunction(scope)) {
    const node = candidates.findLast((candidate) => candidate.scope === scope?.id)?.node
    const value = node && (field(node, 'value') ?? field(node, 'right'))
    if (node && value)
      return {
        node,
        value: value.type === 'expression_list' ? (value.namedChild(0) ?? value) : value,
      }
    if (!scope || parameterOf(scope, name)) return undefined
  }
}

/** The parameter of a function with that name, with its type where it has one. */
export function parameterOf(fn: Node, name: string): Node | undefined {
  const list = field(fn, 'parameters') ?? field(fn, 'parameter')
  if (!list) return undefined
  if (list.type === 'identifier') return list.text === name ? list : undefined
  return list.namedChildren.find((parameter) =>
    parameter.type === 'identifier'
      ? parameter.text === name
      : findNodes(parameter, 'identifier', 'shorthand_property_identifier_pattern').some(
          (found) => found.text === name,
        ),
  )
}

/** The declared type of a local name or parameter, as written; empty when the code doesn't say. */
export function typeOf(name: string, from: Node, file: ParsedFile): string {
  for (let fn = enclosingFunction(from); fn; fn = enclosingFunction(fn)) {
    const parameter = parameterOf(fn, name)
    if (parameter) return typeText(parameter)
  }
  const origin = originOf(name, from, file)
  return origin ? typeText(origin.node) || typeText(origin.node.parent ?? origin.node) : ''
}

/**
 * The type of a variable, parameter or field (also `this.name`) as its declaration has it, or else the value it begins
 * with; empty when the code shows neither.
 */
export function declaredTypeOf(path: string, from: Node, file: ParsedFile): string {
  const name = path.replace(/^this\./, '')
  const local = typeOf(name, from, file)
  if (local && local !== 'var') return local
  const declaration = file.declarations
    .variables(name)
    .findLast((node) => enclosingFunction(node) === undefined)
  const type =
    declaration &&
    (fieldText(declaration, 'type') || fieldText(declaration.parent ?? declaration, 'type'))
  return type || originOf(name, from, file)?.value.text || ''
}

function typeText(node: Node): string {
  return fieldText(node, 'type')
    .replace(/^\s*:\s*/, '')
    .trim()
}

/** Whether the expression takes its value from what a client sent, as far as this function shows. */
export function isRequestInput(node: Node, file: ParsedFile): boolean {
  // A plain text says nothing, even one such as `"request.json"`.
  if (isPlainString(node)) return false
  if (requestInput.test(node.text.slice(0, 1_000))) return true
  return findNodes(node, 'identifier').some((identifier) => {
    const origin = originOf(identifier.text, node, file)
    return (
      origin !== undefined &&
      !isFunction(origin.value) &&
      !isPlainString(origin.value) &&
      requestInput.test(origin.value.text.slice(0, 1_000))
    )
  })
}

const requestInput =
  /\b(?:req|request|ctx|event|r|c)\s?\.\s?(?:req\s?\.\s?|request\s?\.\s?)?(?:params|query|body|headers|cookies|args|form|values|json|files|GET|POST|param|queryStringParameters|pathParameters|URL\b|FormValue|PostFormValue|PathValue|getParameter|getHeader|searchParams|nextUrl)\b|\bsearchParams\.get\(|\blocation\.(?:search|hash|href)\b|\bmux\.Vars\(/
