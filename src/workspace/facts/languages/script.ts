// JavaScript, TypeScript and TSX.
import type { FactWalk } from '../fact-walk.ts'
import { type FlatTree, none } from '../flat-tree.ts'
import type { LanguageSpec, Visit } from '../language-spec.ts'
import { countArguments } from './reading.ts'
import { visitExport, visitImport, visitImportCall } from './script-modules.ts'
import {
  baseName,
  declarePattern,
  findBases,
  lastName,
  listNames,
  readParameters,
  referToBases,
  typeName,
} from './script-parts.ts'

const functionValues = ['arrow_function', 'function_expression', 'generator_function']

/** `export`, `export default` around a definition count as its first words. */
function exportAround(tree: FlatTree, node: number): number {
  const parent = tree.parent(node)
  return tree.type(parent) === 'export_statement' ? parent : none
}

function place(walk: FactWalk, node: number): { from: number; exported: boolean } {
  const { tree } = walk
  const parent = tree.parent(node)
  const outer = tree.type(parent) === 'ambient_declaration' ? parent : node
  const around = exportAround(tree, outer)
  let first = tree.firstChild(around === none ? outer : around)
  // Decorators stand before what they decorate.
  while (tree.type(first) === 'decorator') first = tree.nextSibling(first)
  return { from: first === none ? outer : first, exported: around !== none }
}

function defineNamed(kind: 'function' | 'class' | 'interface' | 'enum' | 'type'): Visit {
  return (walk, node) => {
    const { tree } = walk
    const bases = findBases(tree, node)
    walk.define(node, {
      name: tree.field(node, 'name'),
      kind,
      body: tree.field(node, 'body'),
      ...place(walk, node),
      ...(kind === 'function' && { parameters: readParameters(tree, node) }),
      extends: bases.map((base) => baseName(tree, base)),
    })
    referToBases(walk, bases)
  }
}

/** `function`, `class` without a declaration: others can name it where it is what the file exports by default. */
function defineValue(kind: 'function' | 'class'): Visit {
  return (walk, node) => {
    const { tree } = walk
    const name = tree.field(node, 'name')
    const from = exportAround(tree, node)
    const bases = findBases(tree, node)
    if (from !== none)
      walk.define(node, {
        name: name === none ? 'default' : name,
        kind,
        body: tree.field(node, 'body'),
        from,
        exported: true,
        ...(kind === 'function' && { parameters: readParameters(tree, node) }),
        extends: bases.map((base) => baseName(tree, base)),
      })
    referToBases(walk, bases)
  }
}

/** What a function or class calls itself is known inside of it. */
const declareOwnName: Visit = (walk, node) => walk.declare(walk.tree.field(node, 'name'))

const visitNamespace: Visit = (walk, node) => {
  const { tree } = walk
  const name = tree.field(node, 'name')
  const body = tree.field(node, 'body')
  const statement = tree.parent(node)
  const outer = tree.type(statement) === 'expression_statement' ? statement : node
  walk.take(body)
  if (tree.type(name) !== 'string') walk.define(node, { name, kind: 'module', body, ...place(walk, outer) })
}

/** Methods of classes, of interfaces, and of objects that have a name. */
const visitMethod: Visit = (walk, node) => {
  const { tree } = walk
  const name = tree.field(node, 'name')
  const inObject = tree.type(tree.parent(node)) === 'object'
  if (walk.isLocal || (inObject && !isNamedObject(walk, tree.parent(node)))) return walk.take(name)
  walk.define(node, {
    name,
    kind: 'method',
    body: tree.field(node, 'body'),
    exported: !isPrivate(tree, node, name),
    parameters: readParameters(tree, node),
  })
}

function isPrivate(tree: FlatTree, node: number, name: number): boolean {
  if (tree.type(name) === 'private_property_identifier') return true
  return tree.textOf(tree.child(node, 'accessibility_modifier')) === 'private'
}

/** An object is named when it is the value of the symbol around, and not deeper inside of it. */
function isNamedObject(walk: FactWalk, object: number): boolean {
  const { tree } = walk
  const holder = tree.parent(object)
  const type = tree.type(holder)
  if (type === 'as_expression' || type === 'satisfies_expression') return isNamedObject(walk, holder)
  return (
    type === 'variable_declarator' ||
    type === 'export_statement' ||
    (type === 'assignment_expression' && isModuleExports(tree, tree.field(holder, 'left')))
  )
}

function isModuleExports(tree: FlatTree, node: number): boolean {
  return tree.textOf(node) === 'module.exports'
}

/** Fields of classes: those with functions are methods; of the others the type is known. */
const visitField: Visit = (walk, node) => {
  const { tree } = walk
  const name = tree.field(node, tree.field(node, 'name') === none ? 'property' : 'name')
  const value = tree.field(node, 'value')
  walk.bind(name, valueType(tree, tree.field(node, 'type'), value), walk.typeAround)
  walk.take(name)
  if (functionValues.includes(tree.type(value)))
    walk.define(node, {
      name,
      kind: 'method',
      body: tree.field(value, 'body'),
      exported: !isPrivate(tree, node, name),
      parameters: readParameters(tree, value),
    })
}

const visitPropertySignature: Visit = (walk, node) => {
  const { tree } = walk
  const name = tree.field(node, 'name')
  const type = tree.firstChild(tree.field(node, 'type'))
  walk.take(name)
  // What is between braces inside of another type belongs to nobody.
  const holder = tree.type(tree.parent(tree.parent(node)))
  if (holder !== 'interface_declaration' && holder !== 'type_alias_declaration') return
  walk.bind(name, valueType(tree, tree.field(node, 'type'), none), walk.typeAround)
  const called = tree.nextSibling(type)
  if (tree.type(called) === 'function_type')
    walk.define(node, { name, kind: 'method', exported: true, parameters: readParameters(tree, called) })
}

/** What the annotation says, or else what is made with `new`. */
function valueType(tree: FlatTree, annotation: number, value: number): string {
  if (annotation !== none) return typeName(tree, annotation)
  let made = value
  while (tree.type(made) === 'await_expression') made = tree.firstChild(made)
  return tree.type(made) === 'new_expression' ? lastName(tree, tree.field(made, 'constructor')) : ''
}

const visitVariable: Visit = (walk, node) => {
  const { tree } = walk
  const name = tree.field(node, 'name')
  const value = tree.field(node, 'value')
  if (visitImportCall(walk, name, value)) return
  const list = tree.parent(node)
  if (tree.type(name) === 'identifier') walk.bind(name, valueType(tree, tree.field(node, 'type'), value))
  if (walk.isLocal) declarePattern(walk, name, tree.type(list) === 'variable_declaration')
  else if (tree.type(name) === 'identifier') defineVariable(walk, node, name, value)
  else
    for (const part of listNames(tree, name))
      walk.define(node, { name: part, kind: 'value', body: value, ...place(walk, list), isLeaf: true })
}

function defineVariable(walk: FactWalk, node: number, name: number, value: number): void {
  const { tree } = walk
  const list = tree.parent(node)
  const isFunction = functionValues.includes(tree.type(value))
  const { from, exported } = place(walk, list)
  walk.define(node, {
    name,
    kind: isFunction ? 'function' : 'value',
    body: isFunction ? tree.field(value, 'body') : tree.type(value) === 'object' ? value : none,
    // Of several in one statement each stands for itself.
    from: tree.child(list, 'variable_declarator') === node ? from : node,
    exported,
    parameters: isFunction ? readParameters(tree, value) : null,
  })
}

/** Arrow functions and methods as values of a named object. */
const visitPair: Visit = (walk, node) => {
  const { tree } = walk
  const name = tree.field(node, 'key')
  const value = tree.field(node, 'value')
  walk.take(name)
  if (walk.isLocal || !functionValues.includes(tree.type(value)) || !isNamedObject(walk, tree.parent(node))) return
  if (tree.type(name) === 'property_identifier')
    walk.define(node, {
      name,
      kind: 'method',
      body: tree.field(value, 'body'),
      exported: true,
      parameters: readParameters(tree, value),
    })
}

const visitParameter: Visit = (walk, node) => {
  const { tree } = walk
  const name = tree.field(node, 'pattern')
  const type = valueType(tree, tree.field(node, 'type'), tree.field(node, 'value'))
  if (tree.type(name) === 'identifier') {
    walk.bind(name, type)
    // A parameter of a constructor that is a field, too.
    const isField = tree.child(node, 'accessibility_modifier', 'override_modifier', 'readonly') !== none
    if (isField) walk.bind(name, type, walk.typeAround)
  }
  declarePattern(walk, name)
}

/** Parameters without types: JavaScript's. */
const visitParameters: Visit = (walk, node) => {
  for (const child of walk.tree.children(node))
    if (!walk.tree.type(child).endsWith('_parameter')) declarePattern(walk, child)
}

/** Of a tagged template nothing is known. */
function countPassed(tree: FlatTree, list: number): number | null {
  if (list !== none && tree.type(list) !== 'arguments') return null
  return countArguments(tree, list, (argument) => tree.type(argument) === 'spread_element')
}

function referTo(walk: FactWalk, kind: 'call' | 'new' | 'value', named: number, passed: number | null): void {
  const { tree } = walk
  const type = tree.type(named)
  if (type === 'identifier') walk.refer({ kind, name: named, arguments: passed })
  if (type !== 'member_expression' && type !== 'nested_identifier') return
  walk.take(named)
  const qualifier = lastName(tree, tree.field(named, 'object'))
  walk.refer({ kind, name: tree.field(named, 'property'), qualifier, arguments: passed })
}

const visitCall: Visit = (walk, node) => {
  const { tree } = walk
  const called = tree.field(node, 'function')
  if (visitImportCall(walk, none, node)) return
  const plain = tree.type(called) === 'non_null_expression' ? tree.firstChild(called) : called
  referTo(walk, 'call', plain, countPassed(tree, tree.field(node, 'arguments')))
}

const visitNew: Visit = (walk, node) => {
  const { tree } = walk
  referTo(walk, 'new', tree.field(node, 'constructor'), countPassed(tree, tree.field(node, 'arguments')))
}

const visitDecorator: Visit = (walk, node) => {
  const { tree } = walk
  referTo(walk, 'call', tree.child(node, 'identifier', 'member_expression'), null)
}

/** `<Cart>`: what begins with a small letter is HTML's own. */
const visitElement: Visit = (walk, node) => {
  const { tree } = walk
  const name = tree.field(node, 'name')
  if (tree.type(name) !== 'identifier' || /^\p{Lu}/u.test(walk.nameOf(name))) referTo(walk, 'call', name, null)
  else walk.take(name)
}

const visitAssignment: Visit = (walk, node) => {
  const { tree } = walk
  const [left, right] = [tree.field(node, 'left'), tree.field(node, 'right')]
  if (tree.type(left) !== 'member_expression') return
  const object = tree.field(left, 'object')
  const name = tree.field(left, 'property')
  if (tree.type(object) === 'this') {
    walk.bind(name, valueType(tree, none, right), walk.typeAround)
    return walk.take(name)
  }
  const isExports = isModuleExports(tree, left) || isModuleExports(tree, object) || tree.textOf(object) === 'exports'
  if (isExports && !walk.isLocal) exportAssigned(walk, node, isModuleExports(tree, left) ? none : name, right)
}

/** CommonJS: `module.exports = …` and `exports.name = …`. */
function exportAssigned(walk: FactWalk, node: number, name: number, value: number): void {
  const { tree } = walk
  const type = tree.type(value)
  const isFunction = functionValues.includes(type)
  const own = tree.field(value, 'name')
  if (type === 'identifier')
    walk.exportName(tree.textOf(value), name === none ? 'default' : tree.textOf(name), tree.lineOf(node))
  if (type === 'identifier' && tree.textOf(name) === tree.textOf(value)) return
  walk.take(tree.field(node, 'left'))
  walk.define(node, {
    name: name !== none ? name : own !== none ? walk.nameOf(own) : 'default',
    kind: isFunction ? 'function' : type === 'class' ? 'class' : 'value',
    body: isFunction || type === 'class' ? tree.field(value, 'body') : value,
    exported: true,
    parameters: isFunction ? readParameters(tree, value) : null,
  })
}

const visitMember: Visit = (walk, node) => {
  const { tree } = walk
  const object = tree.field(node, 'object')
  if (tree.type(object) === 'identifier') referTo(walk, 'value', node, null)
}

/** `for (const name of …)`; without `const` the name is one that exists. */
const declareLoopVariable: Visit = (walk, node) => {
  if (walk.tree.field(node, 'kind') !== none) declarePattern(walk, walk.tree.field(node, 'left'))
}

/** `Shop.Cart` as a type. */
const visitNestedType: Visit = (walk, node) => {
  const { tree } = walk
  walk.refer({ kind: 'type', name: tree.field(node, 'name'), qualifier: lastName(tree, tree.field(node, 'module')) })
}

const referType: Visit = (walk, node) => walk.refer({ kind: 'type', name: node })

export const script: LanguageSpec = {
  branches:
    'if_statement for_statement for_in_statement while_statement do_statement switch_case catch_clause ternary_expression && || ??',
  functions:
    'function_declaration generator_function_declaration function_expression generator_function arrow_function method_definition function_signature method_signature abstract_method_signature function_type construct_signature call_signature constructor_type index_signature class_static_block',
  blocks: 'statement_block for_statement for_in_statement catch_clause switch_body mapped_type_clause conditional_type',
  types: 'class_declaration abstract_class_declaration class interface_declaration type_alias_declaration',
  visits: {
    import_statement: visitImport,
    export_statement: visitExport,
    function_declaration: defineNamed('function'),
    generator_function_declaration: defineNamed('function'),
    function_signature: defineNamed('function'),
    function_expression: defineValue('function'),
    generator_function: defineValue('function'),
    arrow_function: defineValue('function'),
    class_declaration: defineNamed('class'),
    abstract_class_declaration: defineNamed('class'),
    class: defineValue('class'),
    interface_declaration: defineNamed('interface'),
    type_alias_declaration: defineNamed('type'),
    enum_declaration: defineNamed('enum'),
    internal_module: visitNamespace,
    module: visitNamespace,
    method_definition: visitMethod,
    method_signature: visitMethod,
    abstract_method_signature: visitMethod,
    field_definition: visitField,
    public_field_definition: visitField,
    property_signature: visitPropertySignature,
    variable_declarator: visitVariable,
    pair: visitPair,
    required_parameter: visitParameter,
    optional_parameter: visitParameter,
    formal_parameters: visitParameters,
    type_parameter: (walk, node) => walk.declare(walk.tree.field(node, 'name')),
    mapped_type_clause: (walk, node) => walk.take(walk.tree.field(node, 'name')),
    call_expression: visitCall,
    new_expression: visitNew,
    decorator: visitDecorator,
    jsx_opening_element: visitElement,
    jsx_self_closing_element: visitElement,
    assignment_expression: visitAssignment,
    member_expression: visitMember,
    nested_type_identifier: visitNestedType,
    type_identifier: referType,
    identifier: (walk, node) => walk.refer({ kind: 'value', name: node }),
    shorthand_property_identifier: (walk, node) => walk.refer({ kind: 'value', name: node }),
  },
  insides: {
    function_expression: declareOwnName,
    generator_function: declareOwnName,
    class: declareOwnName,
    arrow_function: (walk, node) => declarePattern(walk, walk.tree.field(node, 'parameter')),
    catch_clause: (walk, node) => declarePattern(walk, walk.tree.field(node, 'parameter')),
    for_in_statement: declareLoopVariable,
  },
}
