// Collects members of classes, interfaces and objects, and parameters, of JavaScript and
// TypeScript.
import type { FileIndexBuilder } from '../common/file-index-builder.ts'
import { type FlatTree, none } from '../common/flat-tree.ts'
import type { Visit } from '../common/index-spec.ts'
import {
  declarePattern,
  functionValues,
  isModuleExports,
  readCallable,
  readParameters,
  valueType,
} from './parts.ts'

/** Defines methods of classes, interfaces and named objects. */
export const visitMethod: Visit = (builder, node, tree) => {
  const name = tree.field(node, 'name')
  const inObject = tree.type(tree.parent(node)) === 'object'
  if (builder.isLocal || (inObject && !isNamedObject(builder, tree.parent(node))))
    return builder.consume(name)
  const isAccessor = tree.child(node, 'get', 'set') !== none
  const { parameters, returns } = readCallable(tree, node)
  builder.define(node, {
    kind: 'method',
    exported: !isPrivate(tree, node, name),
    parameters,
    returns: isAccessor ? '' : returns,
  })
  if (isAccessor) builder.addBinding(name, returns, builder.enclosingType)
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
export const visitField: Visit = (builder, node, tree) => {
  const name = tree.field(node, tree.field(node, 'name') === none ? 'property' : 'name')
  const value = tree.field(node, 'value')
  builder.addBinding(name, valueType(tree, tree.field(node, 'type'), value), builder.enclosingType)
  builder.consume(name)
  if (!functionValues.includes(tree.type(value))) return
  builder.define(node, {
    name,
    kind: 'method',
    bodyNode: tree.field(value, 'body'),
    exported: !isPrivate(tree, node, name),
    ...readCallable(tree, value),
  })
}

export const visitPropertySignature: Visit = (builder, node, tree) => {
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
export const visitPair: Visit = (builder, node, tree) => {
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
  builder.define(node, {
    name,
    kind: 'method',
    bodyNode: tree.field(value, 'body'),
    exported: true,
    ...readCallable(tree, value),
  })
}

export const visitParameter: Visit = (builder, node, tree) => {
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
export const visitParameters: Visit = (builder, node, tree) => {
  for (const child of tree.children(node))
    if (!tree.type(child).endsWith('_parameter')) declarePattern(builder, child)
}
