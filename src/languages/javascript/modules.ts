// Collects imports and exports of JavaScript and TypeScript: modules, `require`, `import()`.
import type { CodeImport } from '../code-index.ts'
import type { FileIndexBuilder } from '../common/file-index-builder.ts'
import { type FlatTree, none } from '../common/flat-tree.ts'
import type { Visit } from '../common/index-spec.ts'
import { consumeSubtree } from '../common/parts.ts'

type Names = CodeImport['names'][number][]

function sourceOf(tree: FlatTree, node: number): string {
  const type = tree.type(node)
  return type === 'string' ? tree.textOf(node).slice(1, -1) : ''
}

/** `import a, { b as c } from './d.js'`, `import * as e`, `import f = require('g')`. */
export const visitImport: Visit = (builder, node, tree) => {
  const names: Names = []
  const required = tree.child(node, 'import_require_clause')
  const source = sourceOf(tree, tree.field(required === none ? node : required, 'source'))
  for (const part of [
    ...tree.children(tree.child(node, 'import_clause')),
    ...tree.children(required),
  ]) {
    const type = tree.type(part)
    if (type === 'identifier')
      names.push({ name: required === none ? 'default' : '*', local: tree.textOf(part) })
    else if (type === 'namespace_import')
      names.push({ name: '*', local: tree.textOf(tree.child(part, 'identifier')) })
    else if (type === 'named_imports') names.push(...listSpecifiers(tree, part, 'import_specifier'))
  }
  consumeSubtree(builder, node)
  builder.addImport({
    line: tree.lineOf(node),
    from: source,
    names,
    kind: tree.child(node, 'type') === none ? 'static' : 'type',
  })
}

/** `import load = users.load`, which can be exported. */
export const visitImportAlias: Visit = (builder, node, tree) => {
  const parent = tree.parent(node)
  const exported = tree.type(parent) === 'export_statement'
  const startNode = exported ? parent : node
  const name = tree.child(node, 'identifier')
  builder.define(node, { name, kind: 'value', startNode, exported, isLeaf: true })
}

function listSpecifiers(tree: FlatTree, list: number, type: string): Names {
  return [...tree.children(list)]
    .filter((child) => tree.type(child) === type)
    .map((child) => {
      const name = nameOf(tree, tree.field(child, 'name'))
      const alias = tree.field(child, 'alias')
      return { name, local: alias === none ? name : nameOf(tree, alias) }
    })
}

/** Imported and exported names can also be strings. */
function nameOf(tree: FlatTree, node: number): string {
  return sourceOf(tree, node) || tree.textOf(node)
}

/** `export { a as b } from './c.js'`, `export * from`, `export { a as b }`, `export default a`. */
export const visitExport: Visit = (builder, node, tree) => {
  const source = tree.field(node, 'source')
  const clause = tree.child(node, 'export_clause')
  const line = tree.lineOf(node)
  if (source !== none) {
    const whole = tree.child(node, 'namespace_export')
    const local = whole === none ? '*' : nameOf(tree, tree.child(whole, 'identifier', 'string'))
    const names =
      clause === none ? [{ name: '*', local }] : listSpecifiers(tree, clause, 'export_specifier')
    consumeSubtree(builder, node)
    builder.addImport({ line, from: sourceOf(tree, source), names, kind: 'reexport' })
  } else if (clause !== none) {
    for (const { name, local } of listSpecifiers(tree, clause, 'export_specifier'))
      builder.exportName(name, local, line)
    consumeSubtree(builder, node)
  } else exportValue(builder, node)
}

/** `defineValue` defines these values when they are exported by default. */
const definedElsewhere = ['arrow_function', 'function_expression', 'generator_function', 'class']

function exportValue(builder: FileIndexBuilder, node: number): void {
  const { tree } = builder
  const value = tree.field(node, 'value')
  const assigned = tree.child(node, '=') === none ? none : tree.child(node, 'identifier')
  const named = value === none ? assigned : value
  if (named === none || definedElsewhere.includes(tree.type(named))) return
  if (tree.type(named) === 'identifier')
    builder.exportName(tree.textOf(named), 'default', tree.lineOf(node))
  builder.define(node, {
    name: 'default',
    kind: 'value',
    exported: true,
    bodyNode: tree.type(named) === 'identifier' ? none : named,
  })
}

/**
 * Records `require('a')` or `import('a')`, also if awaited or followed by a property.
 *
 * @param pattern the pattern to which the value is assigned, or `none`
 * @returns false if the value isn't an import
 */
export function visitImportCall(
  builder: FileIndexBuilder,
  pattern: number,
  value: number,
): boolean {
  const { tree } = builder
  const { call, member } = unwrap(tree, value)
  const called = tree.field(call, 'function')
  const isDynamic = tree.type(called) === 'import'
  if (!isDynamic && (tree.type(called) !== 'identifier' || tree.textOf(called) !== 'require'))
    return false
  const source = sourceOf(tree, tree.child(tree.field(call, 'arguments'), 'string'))
  if (source === '') return false
  for (const node of [call, called]) builder.consume(node)
  if (pattern !== none) consumeSubtree(builder, pattern)
  builder.addImport({
    line: tree.lineOf(call),
    from: source,
    names: pattern === none ? [] : listBound(tree, pattern, member),
    kind: isDynamic ? 'dynamic' : 'static',
  })
  return true
}

function unwrap(tree: FlatTree, value: number): { call: number; member: string } {
  let [node, member] = [value, '*']
  for (let depth = 0; depth < 4 && node !== none; depth++) {
    const type = tree.type(node)
    if (type === 'await_expression') node = tree.nextSibling(tree.firstChild(node))
    else if (type === 'parenthesized_expression') node = tree.nextSibling(tree.firstChild(node))
    else if (type === 'member_expression') {
      member = tree.fieldText(node, 'property')
      node = tree.field(node, 'object')
    } else break
  }
  return tree.type(node) === 'call_expression' ? { call: node, member } : { call: none, member }
}

function listBound(tree: FlatTree, pattern: number, member: string): Names {
  if (tree.type(pattern) === 'identifier') return [{ name: member, local: tree.textOf(pattern) }]
  return [...tree.children(pattern)].flatMap((part) => {
    if (tree.type(part) === 'shorthand_property_identifier_pattern') {
      const name = tree.textOf(part)
      return [{ name, local: name }]
    }
    if (tree.type(part) !== 'pair_pattern') return []
    const value = tree.field(part, 'value')
    const local = tree.type(value) === 'assignment_pattern' ? tree.field(value, 'left') : value
    return tree.type(local) === 'identifier'
      ? [{ name: tree.fieldText(part, 'key'), local: tree.textOf(local) }]
      : []
  })
}
