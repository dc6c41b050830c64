// Collects functions, classes, types, namespaces and variables of JavaScript and TypeScript.
import type { FileIndexBuilder } from '../common/file-index-builder.ts'
import { type FlatTree, none } from '../common/flat-tree.ts'
import type { Visit } from '../common/index-spec.ts'
import { visitImportCall } from './modules.ts'
import {
  baseName,
  declarePattern,
  findBases,
  functionValues,
  listNames,
  readCallable,
  referToBases,
  valueType,
} from './parts.ts'

/** Returns the `export` statement of a definition, or `none`. */
function enclosingExport(tree: FlatTree, node: number): number {
  const parent = tree.parent(node)
  return tree.type(parent) === 'export_statement' ? parent : none
}

function readPlacement(
  builder: FileIndexBuilder,
  node: number,
): { startNode: number; exported: boolean } {
  const { tree } = builder
  const parent = tree.parent(node)
  const outer = tree.type(parent) === 'ambient_declaration' ? parent : node
  const exportNode = enclosingExport(tree, outer)
  let first = tree.firstChild(exportNode === none ? outer : exportNode)
  // The signature begins after the decorators.
  while (tree.type(first) === 'decorator') first = tree.nextSibling(first)
  return { startNode: first === none ? outer : first, exported: exportNode !== none }
}

/** Defines the symbol of a declaration. */
export function defineNamed(kind: 'function' | 'class' | 'interface' | 'enum' | 'type'): Visit {
  return (builder, node, tree) => {
    const bases = findBases(tree, node)
    builder.define(node, {
      kind,
      ...readPlacement(builder, node),
      ...(kind === 'function' && readCallable(tree, node)),
      extends: bases.map((base) => baseName(tree, base)),
    })
    referToBases(builder, bases)
  }
}

/** Defines a function or class expression if it is the default export of the file. */
export function defineValue(kind: 'function' | 'class'): Visit {
  return (builder, node, tree) => {
    const name = tree.field(node, 'name')
    const from = enclosingExport(tree, node)
    const bases = findBases(tree, node)
    if (from !== none) {
      builder.define(node, {
        name: name === none ? 'default' : name,
        kind,
        startNode: from,
        exported: true,
        ...(kind === 'function' && readCallable(tree, node)),
        extends: bases.map((base) => baseName(tree, base)),
      })
    }
    referToBases(builder, bases)
  }
}

export const visitNamespace: Visit = (builder, node, tree) => {
  const name = tree.field(node, 'name')
  const body = tree.field(node, 'body')
  const statement = tree.parent(node)
  const outer = tree.type(statement) === 'expression_statement' ? statement : node
  builder.consume(body)
  if (tree.type(name) !== 'string')
    builder.define(node, { name, kind: 'module', bodyNode: body, ...readPlacement(builder, outer) })
}

export const visitVariable: Visit = (builder, node, tree) => {
  const name = tree.field(node, 'name')
  const value = tree.field(node, 'value')
  if (visitImportCall(builder, name, value)) return
  const list = tree.parent(node)
  if (tree.type(name) === 'identifier')
    builder.addBinding(name, valueType(tree, tree.field(node, 'type'), value))
  if (builder.isLocal) declarePattern(builder, name, tree.type(list) === 'variable_declaration')
  else if (tree.type(name) === 'identifier') defineVariable(builder, node, name, value)
  else
    for (const part of listNames(tree, name))
      builder.define(node, {
        name: part,
        kind: 'value',
        bodyNode: value,
        ...readPlacement(builder, list),
        isLeaf: true,
      })
}

function defineVariable(
  builder: FileIndexBuilder,
  node: number,
  name: number,
  value: number,
): void {
  const { tree } = builder
  const list = tree.parent(node)
  const isFunction = functionValues.includes(tree.type(value))
  const { startNode, exported } = readPlacement(builder, list)
  let bodyNode = none
  if (isFunction) bodyNode = tree.field(value, 'body')
  else if (tree.type(value) === 'object') bodyNode = value
  builder.define(node, {
    name,
    kind: isFunction ? 'function' : 'value',
    bodyNode,
    // Only the first variable of a statement starts at its keyword.
    startNode: tree.child(list, 'variable_declarator') === node ? startNode : node,
    exported,
    ...(isFunction && readCallable(tree, value)),
  })
}
