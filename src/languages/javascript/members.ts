// Collects members of classes, interfaces and objects, and parameters, of JavaScript and
// TypeScript.
import type { FileIndexBuilder } from '../common/file-index-builder.ts'
import { type FlatTree, none } from '../common/flat-tree.ts'
import type { Visit } from '../common/index-spec.ts'
import { addReturnBinding } from '../common/parts.ts'
import {
  declarePattern,
  functionValues,
  isModuleExports,
  readParameters,
  returnedType,
  valueType,
} from './parts.ts'

/** Defines methods of classes, interfaces and named objects. */
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

/** Whether an object is the value of a variable or an export, and not nested in another one. */
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

/** Binds the type of a field. Fields with functions are methods. */
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
  // Object types inside of other types have no name to which members could belong.
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

/** Defines functions in a named object as methods. */
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
    // A constructor parameter with a modifier is also a field.
    const isField =
      tree.child(node, 'accessibility_modifier', 'override_modifier', 'readonly') !== none
    if (isField) builder.addBinding(name, type, builder.enclosingType)
  }
  declarePattern(builder, name)
}

/** Declares parameters without types, which only occur in JavaScript. */
export const visitParameters: Visit = (builder, node) => {
  for (const child of builder.tree.children(node))
    if (!builder.tree.type(child).endsWith('_parameter')) declarePattern(builder, child)
}
