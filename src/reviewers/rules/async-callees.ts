// Finds out whether the function that a call runs is asynchronous.
import type { Node } from 'web-tree-sitter'
import { readCall } from '../../languages/rules/calls.ts'
import type { DeclarationIndex } from '../../languages/rules/declaration-index.ts'
import {
  findOwnNodes,
  functionAround,
  isAsync,
  isFunction,
} from '../../languages/rules/functions.ts'
import { unwrap } from '../../languages/rules/operations.ts'
import {
  enclosingNode,
  field,
  fieldText,
  findNodes,
  lineOf,
} from '../../languages/rules/syntax-nodes.ts'
import type { AsyncCallee, ParsedFile, RuleEvidence } from './rule.ts'
import { parameterOf } from './value-origins.ts'

/** Finds the async function that a call runs; undefined when that isn't certain. */
export function asyncCalleeOf(call: Node, file: ParsedFile): AsyncCallee | undefined {
  const definition = findLocalCallee(call, file)
  if (definition) return { path: file.path, ...describeFunction(definition) }
  const { receiver, name } = readCall(call)
  return receiver || isShadowed(name, call, file) ? undefined : file.findImported(name)
}

/** An async function, with the name that other files import. */
export interface AsyncFunction extends Omit<AsyncCallee, 'path'> {
  readonly name: string
}

/** Lists the exported functions of a script of which a call gives a promise. */
export function listAsyncExports(root: Node, declarations: DeclarationIndex): AsyncFunction[] {
  const statements = root.namedChildren.filter(
    (node) => node.type === 'export_statement' && !field(node, 'source'),
  )
  return statements.flatMap(listExportedNames).flatMap(({ local, name }) => {
    const definition = findDefinedAsync(local, declarations)
    return definition ? [{ name, ...describeFunction(definition) }] : []
  })
}

function listExportedNames(statement: Node): { local: string; name: string }[] {
  const specifiers = findOwnNodes(statement, 'export_specifier').map((specifier) => {
    const local = fieldText(specifier, 'name')
    return { local, name: fieldText(specifier, 'alias') || local }
  })
  const declaration = field(statement, 'declaration')
  const declared = declaration?.type.endsWith('_declaration')
    ? [declaration, ...declaration.namedChildren]
    : []
  const names = declared.map((node) => fieldText(node, 'name')).filter((name) => name !== '')
  return [...specifiers, ...names.map((name) => ({ local: name, name }))]
}

function describeFunction(fn: Node): Omit<AsyncCallee, 'path'> {
  return { line: lineOf(fn), neverFails: catchesAllErrors(fn) }
}

function isShadowed(name: string, call: Node, file: ParsedFile): boolean {
  if (isParameterName(name, call)) return true
  return file.declarations.variables(name).length + file.declarations.functions(name).length > 0
}

/** Whether a function around the call has a parameter of that name. */
function isParameterName(name: string, call: Node): boolean {
  for (let fn = functionAround(call); fn; fn = functionAround(fn)) {
    if (parameterOf(fn, name)) return true
  }
  return false
}

function findLocalCallee(call: Node, file: ParsedFile): Node | undefined {
  const { receiver, name } = readCall(call)
  if (!receiver) return findAsyncFunction(name, call, file)
  return receiver.text === 'this' || receiver.text === 'self'
    ? findAsyncMethod(name, call)
    : undefined
}

function findAsyncMethod(name: string, call: Node): Node | undefined {
  const owner = enclosingNode(call, new Set(['class_body', 'class_definition']))
  if (!owner) return undefined
  const body = owner.type === 'class_definition' ? field(owner, 'body') : owner
  const methods = (body?.namedChildren ?? [])
    .map((member) =>
      member.type === 'decorated_definition' ? (field(member, 'definition') ?? member) : member,
    )
    .filter((member) => fieldText(member, 'name') === name)
  return methods.length === 1 && returnsPromise(methods[0]!) ? methods[0] : undefined
}

function findAsyncFunction(name: string, call: Node, file: ParsedFile): Node | undefined {
  return isParameterName(name, call) ? undefined : findDefinedAsync(name, file.declarations)
}

function findDefinedAsync(name: string, declarations: DeclarationIndex): Node | undefined {
  const definitions = [
    ...declarations.functions(name).filter((node) => !isMethod(node)),
    ...declarations.variables(name),
  ]
  if (definitions.length !== 1) return undefined
  const value = field(definitions[0]!, 'value')
  const fn = value ? unwrap(value) : definitions[0]!
  return isFunction(fn) && returnsPromise(fn) ? fn : undefined
}

function isMethod(node: Node): boolean {
  const owner = node.parent?.type === 'decorated_definition' ? node.parent.parent : node.parent
  return node.type === 'function_definition' && owner?.parent?.type === 'class_definition'
}

/** Whether a call of the function gives a promise or coroutine. */
function returnsPromise(fn: Node): boolean {
  const isGenerator =
    fn.type.startsWith('generator') || findNodes(fn, 'yield', 'yield_expression').length > 0
  return !isGenerator && (isAsync(fn) || /^\s*:\s*Promise</.test(fieldText(fn, 'return_type')))
}

/** Whether a function handles the errors of everything that it awaits and throws itself. */
function catchesAllErrors(fn: Node): boolean {
  const awaits = findOwnNodes(fn, 'await_expression')
  const isCaught = (node: Node) => /\.catch\(/.test(node.text) || isInTry(node, fn)
  return (
    awaits.length > 0 &&
    awaits.every(isCaught) &&
    findOwnNodes(fn, 'throw_statement').every((node) => isInTry(node, fn))
  )
}

function isInTry(node: Node, fn: Node): boolean {
  const block = enclosingNode(node, new Set(['try_statement', 'catch_clause', 'finally_clause']))
  return (
    block?.type === 'try_statement' &&
    field(block, 'handler') !== undefined &&
    block.startIndex > fn.startIndex
  )
}

/** Cites the definition of an async function, as evidence of a finding about a call of it. */
export function definedAt(definition: AsyncCallee, name: string): RuleEvidence {
  return { path: definition.path, line: definition.line, note: `${name} is asynchronous` }
}

/** The name of the well-known promise API that a call in JavaScript runs, or undefined. */
export function promiseApiOf(call: Node, file: ParsedFile): string | undefined {
  const { receiver, name } = readCall(call)
  if (!receiver) return importsPromiseApi(name, file) ? name : undefined
  if (receiver.text === 'Promise' && /^(?:all|allSettled|race|any)$/.test(name))
    return `Promise.${name}`
  return /^(?:fs\.promises|fsPromises|fsp)$/.test(receiver.text)
    ? `${receiver.text}.${name}`
    : undefined
}

function importsPromiseApi(name: string, file: ParsedFile): boolean {
  return findNodes(file.root, 'import_statement').some(
    (statement) =>
      /['"](?:node:)?(?:fs|timers)\/promises['"]/.test(statement.text) &&
      findNodes(statement, 'import_specifier').some(
        (specifier) => (fieldText(specifier, 'alias') || fieldText(specifier, 'name')) === name,
      ),
  )
}

/** Whether a callback awaits anything itself, also in a `for await` loop. */
export function awaitsInside(callback: Node): boolean {
  return findOwnNodes(callback, 'await_expression', 'for_in_statement').some(
    (node) =>
      node.type === 'await_expression' || node.children.some((child) => child.type === 'await'),
  )
}
