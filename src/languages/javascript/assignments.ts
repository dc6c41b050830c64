// Collects what assignments define: fields of `this`, CommonJS exports, methods of prototypes.
import type { FileIndexBuilder } from '../common/file-index-builder.ts'
import { none } from '../common/flat-tree.ts'
import type { Visit } from '../common/index-spec.ts'
import { listItems } from '../common/parts.ts'
import { functionValues, isModuleExports, lastName, readParameters, valueType } from './parts.ts'

export const visitAssignment: Visit = (builder, node, tree) => {
  const left = tree.field(node, 'left')
  const right = tree.field(node, 'right')
  if (tree.type(left) !== 'member_expression') return
  const object = tree.field(left, 'object')
  const name = tree.field(left, 'property')
  if (tree.type(object) === 'this') {
    builder.addBinding(name, valueType(tree, none, right), builder.enclosingType)
    builder.consume(name)
  } else if (builder.isLocal) return
  else if (isModuleExports(tree, left)) exportWhole(builder, node, right)
  else if (isModuleExports(tree, object) || tree.textOf(object) === 'exports')
    exportNamed(builder, node, name, right)
  else if (functionValues.includes(tree.type(right))) defineOutside(builder, node, object, name)
}

/** `module.exports = …`: a name of the file, an object of such names, or another value. */
function exportWhole(builder: FileIndexBuilder, node: number, value: number): void {
  const { tree } = builder
  const line = tree.lineOf(node)
  if (tree.type(value) === 'identifier') builder.exportName(tree.textOf(value), 'default', line)
  if (tree.type(value) === 'object')
    for (const part of listItems(tree, value)) {
      const isShort = tree.type(part) === 'shorthand_property_identifier'
      const named = isShort ? part : tree.field(part, 'value')
      const as = isShort ? part : tree.field(part, 'key')
      if (isShort || tree.type(named) === 'identifier')
        builder.exportName(tree.textOf(named), tree.textOf(as), line)
    }
  const own = tree.field(value, 'name')
  defineExport(builder, node, own === none ? 'default' : builder.nameOf(own), value)
}

/** `exports.name = …`. */
function exportNamed(builder: FileIndexBuilder, node: number, name: number, value: number): void {
  const { tree } = builder
  if (tree.type(value) === 'identifier')
    builder.exportName(tree.textOf(value), tree.textOf(name), tree.lineOf(node))
  if (tree.textOf(value) !== tree.textOf(name)) defineExport(builder, node, name, value)
}

function defineExport(
  builder: FileIndexBuilder,
  node: number,
  name: number | string,
  value: number,
): void {
  const { tree } = builder
  const type = tree.type(value)
  const isFunction = functionValues.includes(type)
  builder.consume(tree.field(node, 'left'))
  builder.define(node, {
    name,
    kind: isFunction ? 'function' : type === 'class' ? 'class' : 'value',
    bodyNode: isFunction || type === 'class' ? tree.field(value, 'body') : value,
    exported: true,
    parameters: isFunction ? readParameters(tree, value) : null,
  })
}

/** `Cart.prototype.sell = function () {}`, `Cart.of = () => {}`. */
function defineOutside(
  builder: FileIndexBuilder,
  node: number,
  object: number,
  name: number,
): void {
  const { tree } = builder
  const value = tree.field(node, 'right')
  const isPrototype = lastName(tree, object) === 'prototype'
  const owner = builder.nameOf(isPrototype ? tree.field(object, 'object') : object)
  if (!builder.isFileScopeName(owner)) return
  builder.consume(tree.field(node, 'left'))
  builder.define(node, {
    name,
    kind: 'method',
    owner,
    bodyNode: tree.field(value, 'body'),
    exported: true,
    parameters: readParameters(tree, value),
  })
}
