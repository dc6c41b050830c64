// Assignments that say more than a value: fields of `this`, CommonJS's exports, methods of older classes.
import type { FileIndexBuilder } from '../file-index-builder.ts'
import { none } from '../flat-tree.ts'
import type { Visit } from '../language-spec.ts'
import { listItems } from './common-parts.ts'
import {
  functionValues,
  isModuleExports,
  lastName,
  readParameters,
  valueType,
} from './javascript-parts.ts'

export const visitAssignment: Visit = (walk, node) => {
  const { tree } = walk
  const [left, right] = [tree.field(node, 'left'), tree.field(node, 'right')]
  if (tree.type(left) !== 'member_expression') return
  const object = tree.field(left, 'object')
  const name = tree.field(left, 'property')
  if (tree.type(object) === 'this') {
    walk.addBinding(name, valueType(tree, none, right), walk.enclosingType)
    walk.consume(name)
  } else if (walk.isLocal) return
  else if (isModuleExports(tree, left)) exportWhole(walk, node, right)
  else if (isModuleExports(tree, object) || tree.textOf(object) === 'exports')
    exportNamed(walk, node, name, right)
  else if (functionValues.includes(tree.type(right))) defineOutside(walk, node, object, name)
}

/** `module.exports = …`: a name of the file, some of them between braces, or something new. */
function exportWhole(walk: FileIndexBuilder, node: number, value: number): void {
  const { tree } = walk
  const line = tree.lineOf(node)
  if (tree.type(value) === 'identifier') walk.exportName(tree.textOf(value), 'default', line)
  if (tree.type(value) === 'object')
    for (const part of listItems(tree, value)) {
      const isShort = tree.type(part) === 'shorthand_property_identifier'
      const named = isShort ? part : tree.field(part, 'value')
      const as = isShort ? part : tree.field(part, 'key')
      if (isShort || tree.type(named) === 'identifier')
        walk.exportName(tree.textOf(named), tree.textOf(as), line)
    }
  const own = tree.field(value, 'name')
  defineExport(walk, node, own === none ? 'default' : walk.nameOf(own), value)
}

/** `exports.name = …` */
function exportNamed(walk: FileIndexBuilder, node: number, name: number, value: number): void {
  const { tree } = walk
  if (tree.type(value) === 'identifier')
    walk.exportName(tree.textOf(value), tree.textOf(name), tree.lineOf(node))
  if (tree.textOf(value) !== tree.textOf(name)) defineExport(walk, node, name, value)
}

function defineExport(
  walk: FileIndexBuilder,
  node: number,
  name: number | string,
  value: number,
): void {
  const { tree } = walk
  const type = tree.type(value)
  const isFunction = functionValues.includes(type)
  walk.consume(tree.field(node, 'left'))
  walk.define(node, {
    name,
    kind: isFunction ? 'function' : type === 'class' ? 'class' : 'value',
    bodyNode: isFunction || type === 'class' ? tree.field(value, 'body') : value,
    exported: true,
    parameters: isFunction ? readParameters(tree, value) : null,
  })
}

/** `Cart.prototype.sell = function () {}`, `Cart.of = () => {}` */
function defineOutside(walk: FileIndexBuilder, node: number, object: number, name: number): void {
  const { tree } = walk
  const value = tree.field(node, 'right')
  const isPrototype = lastName(tree, object) === 'prototype'
  const owner = walk.nameOf(isPrototype ? tree.field(object, 'object') : object)
  if (!walk.isFileScopeName(owner)) return
  walk.consume(tree.field(node, 'left'))
  walk.define(node, {
    name,
    kind: 'method',
    owner,
    bodyNode: tree.field(value, 'body'),
    exported: true,
    parameters: readParameters(tree, value),
  })
}
