// Members of classes, interfaces and objects of JavaScript and TypeScript, and parameters.
import type { FileIndexBuilder } from '../file-index-builder.ts'
import { type FlatTree, none } from '../flat-tree.ts'
import type { Visit } from '../language-spec.ts'
import { addReturnBinding } from './common-parts.ts'
import {
  declarePattern,
  functionValues,
  isModuleExports,
  readParameters,
  returnedType,
  valueType,
} from './javascript-parts.ts'

/** Methods of classes, of interfaces, and of objects that have a name. */
export const visitMethod: Visit = (builder, node) => {
  const { tree } = builder
  const name = tree.field(node, 'name')
  const inObject = tree.type(tree.parent(node)) === 'object'
  if (builder.isLocal || (inObject && !isNamedObject(builder, tree.parent(node))))
    return builder.consume(name)
  const defined = builder.define(node, {
    name,
    kind: 'method',
    bodyNode: tree.field(node, 'body'),
    exported: !isPrivate(tree, node, name),
    parameters: readParameters(tree, node),
  })
  const isAccessor = tree.child(node, 'get', 'set') !== none
  if (isAccessor) builder.addBinding(name, returnedType(tree, node), builder.enclosingType)
  else addReturnBinding(builder, defined, returnedType(tree, node))
}

function isPrivate(tree: FlatTree, node: number, name: number): boolean {
  if (tree.type(name) === 'private_property_identifier') return true
  return tree.textOf(tree.child(node, 'accessibility_modifier')) === 'private'
}

/** An object is named when it is the value of the symbol around, and not deeper inside of it. */
function isNamedObject(builder: FileIndexBuilder, object: number): boolean {
  const { tree } = builder
  const holder = tree.parent(object)
  const type = tree.type(holder)
  if (type === 'as_expression' || type === 'satisfies_expression')
    return isNamedObject(builder, holder)
  return (
    type === 'variable_declarator' ||
    type === 'export_statement' ||
    (type === 'assignment_expression' && isModuleExports(tree, tree.field(holder, 'left')))
  )
}

/** Fields of classes: those with functions are methods; of the others the type is known. */
export const visitField: Visit = (builder, node) => {
  const { tree } = builder
  const name = tree.field(node, tree.field(node, 'name') === none ? 'property' : 'name')
  const value = tree.field(node, 'value')
  builder.addBinding(name, valueType(tree, tree.field(node, 'type'), value), builder.enclosingType)
  builder.consume(name)
  if (!functionValues.includes(tree.type(value))) return
  const defined = builder.define(node, {
    name,
    kind: 'method',
    bodyNode: tree.field(value, 'body'),
    exported: !isPrivate(tree, node, name),
    parameters: readParameters(tree, value),
  })
  addReturnBinding(builder, defined, returnedType(tree, value))
}

export const visitPropertySignature: Visit = (builder, node) => {
  const { tree } = builder
  const name = tree.field(node, 'name')
  const type = tree.firstChild(tree.field(node, 'type'))
  builder.consume(name)
  // What is between braces inside of another type belongs to nobody.
  const holder = tree.type(tree.parent(tree.parent(node)))
  if (holder !== 'interface_declaration' && holder !== 'type_alias_declaration') return
  builder.addBinding(name, valueType(tree, tree.field(node, 'type'), none), builder.enclosingType)
  const called = tree.nextSibling(type)
  if (tree.type(called) === 'function_type')
    builder.define(node, {
      name,
      kind: 'method',
      exported: true,
      parameters: readParameters(tree, called),
    })
}

/** Arrow functions and methods as values of a named object. */
export const visitPair: Visit = (builder, node) => {
  const { tree } = builder
  const name = tree.field(node, 'key')
  const value = tree.field(node, 'value')
  builder.consume(name)
  if (
    builder.isLocal ||
    !functionValues.includes(tree.type(value)) ||
    !isNamedObject(builder, tree.parent(node))
  )
    return
  if (tree.type(name) !== 'property_identifier') return
  const defined = builder.define(node, {
    name,
    kind: 'method',
    bodyNode: tree.field(value, 'body'),
    exported: true,
    parameters: readParameters(tree, value),
  })
  addReturnBinding(builder, defined, returnedType(tree, value))
}

export const visitParameter: Visit = (builder, node) => {
  const { tree } = builder
  const name = tree.field(node, 'pattern')
  const type = valueType(tree, tree.field(node, 'type'), tree.field(node, 'value'))
  if (tree.type(name) === 'identifier') {
    builder.addBinding(name, type)
    // A parameter of a constructor that is a field, too.
    const isField =
      tree.child(node, 'accessibility_modifier', 'override_modifier', 'readonly') !== none
    if (isField) builder.addBinding(name, type, builder.enclosingType)
  }
  declarePattern(builder, name)
}

/** Parameters without types: JavaScript's. */
export const visitParameters: Visit = (builder, node) => {
  for (const child of builder.tree.children(node))
    if (!builder.tree.type(child).endsWith('_parameter')) declarePattern(builder, child)
}
