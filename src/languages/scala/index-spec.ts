// Collects the symbols and references of Scala for the code index.

import type { CodeReference, CodeSymbol } from '../code-index.ts'
import type { FileIndexBuilder } from '../common/file-index-builder.ts'
import { type FlatTree, none } from '../common/flat-tree.ts'
import type { IndexSpec, Visit } from '../common/index-spec.ts'
import { consumeSubtree, lastPart, listItems, referToTypeName, typeSet } from '../common/parts.ts'
import { consumeField, declareField, referAs } from '../common/visits.ts'
import { visitImport, visitPackage } from './import-visits.ts'
import {
  calleeOf,
  countPassed,
  createdType,
  declarePattern,
  define,
  inferType,
  isExported,
  lastName,
  listBases,
  listSelfTypes,
  plainType,
  readParameters,
  skipAnnotations,
  typeName,
} from './parts.ts'

function defineType(kind: CodeSymbol['kind']): Visit {
  return (builder, node, tree) => {
    // A self type names traits whose members are members of `this`.
    const bases = [...listBases(tree, node), ...listSelfTypes(tree, node)]
    define(builder, node, {
      kind,
      extends: bases.map((base) => typeName(tree, base)),
    })
    referToBases(builder, node)
  }
}

function referToBases(builder: FileIndexBuilder, node: number): void {
  const { tree } = builder
  for (const base of listBases(tree, node)) {
    referToType(builder, 'extends', base)
    const passed = tree.nextSibling(base)
    if (tree.type(passed) !== 'arguments') continue
    builder.addReference({
      kind: 'call',
      name: typeName(tree, base),
      at: base,
      argumentCount: countPassed(tree, passed),
    })
  }
}

function referToType(
  builder: FileIndexBuilder,
  kind: CodeReference['kind'],
  type: number,
  argumentCount: number | null = null,
): void {
  const { tree } = builder
  const plain = plainType(tree, type)
  referToTypeName(builder, plain, 'stable_type_identifier', { kind, argumentCount })
}

/** `given intOrder: Ordering[Int]`; without a name, the compiler makes one of the type. */
const visitGiven: Visit = (builder, node, tree) => {
  const name = tree.field(node, 'name')
  const type = typeName(tree, tree.field(node, 'return_type'))
  const hasBody = tree.child(node, 'with_template_body') !== none
  define(builder, node, {
    name: name === none ? `given_${type}` : name,
    kind: hasBody ? 'class' : 'value',
    extends: hasBody ? [type] : [],
    isLeaf: !hasBody,
  })
}

const constructed = typeSet('class_definition trait_definition enum_definition full_enum_case')

/** The first list of parameters of a class is its constructor. */
const visitClassParameters: Visit = (builder, node, tree) => {
  const definition = tree.parent(node)
  const isFirst = tree.field(definition, 'class_parameters') === node
  if (!isFirst || builder.isLocal) return
  if (!constructed.has(tree.type(definition))) return
  define(builder, node, {
    name: 'constructor',
    kind: 'method',
    // The modifier before the list is that of the constructor: `class Cart private (…)`.
    exported: tree.child(definition, 'access_modifier') === none,
    parameters: readParameters(tree, node),
    isLeaf: true,
  })
}

/** A parameter of a class. With `val`, `var` or in a case class it is also a property. */
const visitClassParameter: Visit = (builder, node, tree) => {
  const name = tree.field(node, 'name')
  builder.addBinding(name, typeName(tree, tree.field(node, 'type')))
  const list = tree.parent(node)
  const definition = tree.parent(list)
  const isOfCase =
    tree.child(definition, 'case') !== none || tree.type(definition) === 'full_enum_case'
  const isFirst = tree.field(definition, 'class_parameters') === list
  const isProperty = tree.child(node, 'val', 'var') !== none || (isOfCase && isFirst)
  if (!isProperty || builder.isLocal) return builder.consume(name)
  define(builder, node, {
    name,
    kind: 'value',
    isLeaf: true,
  })
}

const visitFunction: Visit = (builder, node, tree) => {
  const name = tree.field(node, 'name')
  const type = builder.symbols[builder.enclosingType]
  const extended = findExtended(tree, node)
  const isMember = extended !== none || (type !== undefined && type.kind !== 'module')
  const isConstructor = tree.textOf(name) === 'this'
  const body = tree.field(node, 'body')
  if (isConstructor) builder.consume(name)
  const returned = typeName(tree, tree.field(node, 'return_type'))
  const inferred = inferType(tree, body)
  // The result of a call isn't followed.
  const created = inferred.endsWith('()') ? '' : inferred
  const defined = define(builder, node, {
    name: isConstructor ? 'constructor' : name,
    kind: isMember ? 'method' : 'function',
    bodyNode: body,
    owner: typeName(tree, tree.field(extended, 'type')) || null,
    parameters: readParameters(tree, tree.child(node, 'parameters')),
    returns: isConstructor ? '' : returned || created,
  })
  if (defined !== none) bindParameter(builder, extended)
}

/** Returns the parameter of the `extension` that encloses a function, or `none`. */
function findExtended(tree: FlatTree, node: number): number {
  const extension = tree.parent(node)
  if (tree.type(extension) !== 'extension_definition') return none
  return tree.child(tree.field(extension, 'parameters'), 'parameter')
}

function bindParameter(builder: FileIndexBuilder, parameter: number): void {
  const { tree } = builder
  const type = typeName(tree, tree.field(parameter, 'type'))
  builder.addBinding(tree.field(parameter, 'name'), type)
}

const visitParameter: Visit = (builder, node, tree) => {
  const isExtended = tree.type(tree.parent(tree.parent(node))) === 'extension_definition'
  if (!isExtended) bindParameter(builder, node)
  builder.declare(tree.field(node, 'name'))
}

const visitValue: Visit = (builder, node, tree) => {
  const pattern = tree.field(node, 'pattern')
  const single = tree.type(pattern) === 'identifier' ? pattern : tree.field(node, 'name')
  const names = tree.type(pattern) === 'identifiers' ? [...listItems(tree, pattern)] : [single]
  if (names[0] === none) return declarePattern(builder, pattern)
  const declared = typeName(tree, tree.field(node, 'type'))
  const type = declared || inferType(tree, tree.field(node, 'value'))
  for (const name of names) {
    builder.addBinding(name, type, builder.isLocal ? undefined : builder.enclosingType)
    if (builder.isLocal) builder.declare(name)
    else
      define(builder, node, {
        name,
        kind: 'value',
        bodyNode: tree.field(node, 'value'),
        isLeaf: true,
      })
  }
}

const visitCall: Visit = (builder, node, tree) => {
  const callee = calleeOf(tree, node)
  const name = tree.type(callee) === 'field_expression' ? tree.field(callee, 'field') : callee
  // The further lists of `add(1)(2)` aren't counted.
  if (tree.type(name) !== 'identifier' || tree.textOf(name) === 'this') return
  const argumentCount = countPassed(tree, tree.field(node, 'arguments'))
  if (name === callee) return builder.addReference({ kind: 'call', name, argumentCount })
  builder.consume(callee)
  const qualifier = lastName(tree, tree.field(callee, 'value'))
  builder.addReference({ kind: 'call', name, qualifier, argumentCount })
}

/** `cart.total` can call a method without parameters. Capitalized names are types and objects. */
const visitAccess: Visit = (builder, node, tree) => {
  const object = tree.field(node, 'value')
  const name = tree.field(node, 'field')
  const qualifier = lastName(tree, object)
  if (tree.type(object) === 'identifier' && /^\p{Lu}/u.test(qualifier))
    builder.addReference({ kind: 'type', name: object })
  if (tree.type(name) !== 'identifier') return
  const kind = /^\p{Lu}/u.test(tree.textOf(name)) ? 'value' : 'call'
  builder.addReference({ kind, name, qualifier })
}

/** These infix methods belong to the library. */
const knownInfix = typeSet('to until by eq ne with and or')

const visitInfix: Visit = (builder, node, tree) => {
  const name = tree.field(node, 'operator')
  if (tree.type(name) !== 'identifier') {
    if (/^(&&|\|\|)$/.test(tree.textOf(name))) builder.addBranch()
    return
  }
  if (knownInfix.has(tree.textOf(name))) return builder.consume(name)
  const isTuple = tree.type(tree.field(node, 'right')) === 'tuple_expression'
  const qualifier = lastName(tree, tree.field(node, 'left'))
  builder.addReference({ kind: 'call', name, qualifier, argumentCount: isTuple ? null : 1 })
}

const visitNew: Visit = (builder, node, tree) => {
  const type = createdType(tree, node)
  const argumentCount = countPassed(tree, tree.field(node, 'arguments'))
  referToType(builder, 'new', type, argumentCount)
}

const declareLambda: Visit = (builder, node, tree) => {
  const start = tree.type(node) === 'lambda_expression' ? 'parameters' : 'lambda_start'
  const parameter = tree.field(node, start)
  if (tree.type(parameter) === 'identifier') builder.declare(parameter)
}

const declareTypeParameters: Visit = (builder, node, tree) => {
  for (const child of tree.children(node)) if (tree.hasField(child, 'name')) builder.declare(child)
}

const declareNamed: Visit = declareField('name')

export const indexSpec: IndexSpec = {
  branches: 'if_expression for_expression while_expression do_while_expression',
  functions: 'function_definition function_declaration lambda_expression colon_argument',
  // Other code can't name the members of anonymous classes.
  blocks: `
    block indented_block case_block indented_cases case_clause catch_clause for_expression
    instance_expression
  `,
  types: `
    class_definition trait_definition object_definition enum_definition full_enum_case
    given_definition extension_definition type_definition
  `,
  builtins: `
    String Int Long Double Float Boolean Byte Short Char Any AnyRef AnyVal Unit Nothing Null
  `,
  isExported,
  findStart: skipAnnotations,
  visits: {
    package_clause: visitPackage,
    import_declaration: visitImport,
    package_object: defineType('module'),
    class_definition: defineType('class'),
    object_definition: defineType('class'),
    trait_definition: defineType('interface'),
    enum_definition: defineType('enum'),
    full_enum_case: defineType('class'),
    simple_enum_case: (builder, node, tree) => {
      const name = tree.field(node, 'name')
      define(builder, node, { name, kind: 'value', exported: true, isLeaf: true })
    },
    given_definition: visitGiven,
    class_parameters: visitClassParameters,
    class_parameter: visitClassParameter,
    function_definition: visitFunction,
    function_declaration: visitFunction,
    parameter: visitParameter,
    binding: (builder, node, tree) => {
      bindParameter(builder, node)
      declareNamed(builder, node, tree)
    },
    val_definition: visitValue,
    var_definition: visitValue,
    val_declaration: visitValue,
    var_declaration: visitValue,
    type_definition: (builder, node) => {
      define(builder, node, {
        kind: 'type',
        isLeaf: true,
      })
    },
    type_parameters: declareTypeParameters,
    covariant_type_parameter: declareNamed,
    contravariant_type_parameter: declareNamed,
    self_type: (builder, node, tree) => builder.consume(tree.child(node, 'identifier')),
    enumerator: (builder, node, tree) => declarePattern(builder, tree.firstChild(node)),
    case_clause: (builder, node, tree) => {
      const isDefault = tree.type(tree.field(node, 'pattern')) === 'wildcard'
      if (!isDefault || tree.child(node, 'guard') !== none) builder.addBranch()
    },
    call_expression: visitCall,
    field_expression: visitAccess,
    infix_expression: visitInfix,
    instance_expression: visitNew,
    assignment_expression: (builder, node, tree) => {
      // It names an argument.
      if (tree.type(tree.parent(node)) === 'arguments') builder.consume(tree.field(node, 'left'))
    },
    interpolated_string_expression: consumeField('interpolator'),
    stable_type_identifier: (builder, node) => referToType(builder, 'type', node),
    type_identifier: (builder, node, tree) => {
      // `Cart[?]`: the wildcard is parsed as a type.
      if (tree.textOf(node) !== '?') builder.addReference({ kind: 'type', name: node })
    },
    stable_identifier: (builder, node, tree) => {
      const [name, qualifier = null] = tree.textOf(node).split('.').reverse()
      builder.addReference({ kind: 'value', name: lastPart(name!), at: node, qualifier })
      consumeSubtree(builder, node)
    },
    identifier: referAs('value'),
  },
  scopeVisits: {
    lambda_expression: declareLambda,
    colon_argument: declareLambda,
    case_clause: (builder, node, tree) => declarePattern(builder, tree.field(node, 'pattern')),
    catch_clause: (builder, node, tree) => declarePattern(builder, tree.field(node, 'pattern')),
  },
}
