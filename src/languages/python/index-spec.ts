// Collects the symbols, imports and references of Python for the code index.

import type { FileIndexBuilder } from '../common/file-index-builder.ts'
import { none } from '../common/flat-tree.ts'
import type { IndexSpec, Visit } from '../common/index-spec.ts'
import { referTo } from '../common/member-access.ts'
import { consumeSubtree, countArguments, listItems } from '../common/parts.ts'
import { consumeField, referAs } from '../common/visits.ts'
import {
  declareNames,
  listTargets,
  members,
  readParameters,
  typeName,
  valueType,
  visitParameters,
  visitType,
} from './parts.ts'

/** Names with a leading underscore are private, except special methods such as `__init__`. */
function isPublic(name: string): boolean {
  return !name.startsWith('_') || /^__\w+__$/.test(name)
}

const visitFunction: Visit = (builder, node, tree) => {
  const name = tree.field(node, 'name')
  const holder = tree.parent(node)
  const isDecorated = tree.type(holder) === 'decorated_definition'
  const block = tree.parent(isDecorated ? holder : node)
  const isMethod = tree.type(tree.parent(block)) === 'class_definition'
  const isStatic =
    isDecorated && /^@staticmethod\b/m.test(tree.textOf(tree.child(holder, 'decorator')))
  builder.define(node, {
    name,
    kind: isMethod ? 'method' : 'function',
    parameters: readParameters(tree, tree.field(node, 'parameters'), isMethod && !isStatic),
    returns: typeName(tree, tree.field(node, 'return_type')),
  })
}

const visitClass: Visit = (builder, node, tree) => {
  const name = tree.field(node, 'name')
  const bases = [...listItems(tree, tree.field(node, 'superclasses'))].flatMap((base) => {
    const plain = tree.type(base) === 'subscript' ? tree.field(base, 'value') : base
    return ['identifier', 'attribute'].includes(tree.type(plain)) ? [plain] : []
  })
  const nameOfBase = (base: number) =>
    builder.nameOf(tree.type(base) === 'attribute' ? tree.field(base, 'attribute') : base)
  builder.define(node, {
    name,
    kind: 'class',
    extends: bases.map(nameOfBase),
  })
  for (const base of bases) referTo(builder, 'extends', base, members)
}

const visitImport: Visit = (builder, node, tree) => {
  for (const item of listItems(tree, node)) {
    const isAliased = tree.type(item) === 'aliased_import'
    if (!isAliased && tree.type(item) !== 'dotted_name') continue
    const from = tree.textOf(isAliased ? tree.field(item, 'name') : item)
    // `import a.b` binds `a`, but references to `a.b.name` have `b` as their qualifier.
    const local = isAliased ? tree.fieldText(item, 'alias') : from.slice(from.lastIndexOf('.') + 1)
    builder.addImport({
      line: tree.lineOf(node),
      from,
      names: [{ name: '*', local }],
      kind: 'static',
    })
  }
  consumeSubtree(builder, node)
}

const visitImportFrom: Visit = (builder, node, tree) => {
  const source = tree.field(node, 'module_name')
  const names = []
  for (const item of listItems(tree, node)) {
    if (!tree.hasField(item, 'name')) continue
    const isAliased = tree.type(item) === 'aliased_import'
    const name = tree.textOf(isAliased ? tree.field(item, 'name') : item)
    names.push({ name, local: isAliased ? tree.fieldText(item, 'alias') : name })
  }
  const isAll = tree.child(node, 'wildcard_import') !== none
  builder.addImport({
    line: tree.lineOf(node),
    from: tree.textOf(source),
    names,
    kind: isAll ? 'all' : 'static',
  })
  consumeSubtree(builder, node)
}

const visitAssignment: Visit = (builder, node, tree) => {
  const left = tree.field(node, 'left')
  const right = tree.field(node, 'right')
  const type = valueType(builder, tree.field(node, 'type'), right)
  if (tree.type(left) === 'attribute') {
    const isOwn = /^(self|cls)$/.test(tree.fieldText(left, 'object'))
    const rightType = tree.type(right) === 'identifier' ? builder.typeOf(builder.nameOf(right)) : ''
    if (isOwn)
      builder.addBinding(tree.field(left, 'attribute'), type || rightType, builder.enclosingType)
    return
  }
  if (tree.type(left) === 'identifier') builder.addBinding(left, type)
  if (builder.isLocal) declareNames(builder, left)
  else if (tree.textOf(left) === '__all__') exportListed(builder, right)
  else if (builder.enclosingSymbol === undefined) defineVariables(builder, node, left)
  else consumeSubtree(builder, left)
}

/** Defines variables of the module at their first assignment. */
function defineVariables(builder: FileIndexBuilder, node: number, left: number): void {
  const { tree } = builder
  for (const name of tree.type(left) === 'identifier' ? [left] : listItems(tree, left))
    if (tree.type(name) === 'identifier') defineVariable(builder, node, name)
}

function defineVariable(builder: FileIndexBuilder, node: number, name: number): void {
  const text = builder.nameOf(name)
  if (builder.isFileScopeName(text)) builder.consume(name)
  else builder.define(node, { name, kind: 'value', isLeaf: true })
}

/** Loops, `with` and `:=` bind names that other files can import, except in functions. */
function bindNames(builder: FileIndexBuilder, target: number): void {
  const { tree } = builder
  const isInner = builder.isLocal || builder.enclosingSymbol !== undefined
  if (isInner) declareNames(builder, target)
  else for (const name of listTargets(tree, target)) defineVariable(builder, name, name)
}

/** `type Money = int`, `type Pair[T] = tuple[T, T]`. */
const visitTypeAlias: Visit = (builder, node, tree) => {
  const left = tree.field(node, 'left')
  const [name = none] = listTargets(tree, left)
  builder.define(node, { name, kind: 'type', isLeaf: true })
  consumeSubtree(builder, left)
}

/** A function may be the first that sets a variable of the module. */
const markGlobal: Visit = (builder, node, tree) => {
  for (const name of listItems(tree, node)) builder.marked.add(name)
  consumeSubtree(builder, node)
}

function defineGlobals(builder: FileIndexBuilder): void {
  builder.moveTo(builder.tree.count)
  for (const name of builder.marked) defineVariable(builder, name, name)
}

/** Names in `__all__` are exported even if they begin with an underscore. */
function exportListed(builder: FileIndexBuilder, list: number): void {
  const { tree } = builder
  for (const item of listItems(tree, list)) {
    const name = builder.nameOf(tree.child(item, 'string_content'))
    builder.exportName(name, name, tree.lineOf(item))
  }
}

const visitCall: Visit = (builder, node, tree) => {
  const list = tree.field(node, 'arguments')
  const isSpread = (argument: number) =>
    ['list_splat', 'dictionary_splat'].includes(tree.type(argument))
  const argumentCount =
    tree.type(list) === 'argument_list' ? countArguments(tree, list, isSpread) : 1
  referTo(builder, 'call', tree.field(node, 'function'), members, argumentCount)
}

const visitDecorator: Visit = (builder, node, tree) => {
  referTo(builder, 'call', tree.child(node, 'identifier', 'attribute'), members)
}

/** `case Point(x=0)` refers to a type; `case other` declares a name. */
const visitCase: Visit = (builder, node, tree) => {
  const name = tree.child(node, 'dotted_name')
  const part = tree.firstChild(name)
  if (part === none) return
  if (tree.type(node) === 'class_pattern') builder.addReference({ kind: 'type', name: part })
  else if (tree.nextSibling(part) === none) builder.declare(part, true)
}

const declareLeft: Visit = (builder, node, tree) => declareNames(builder, tree.field(node, 'left'))
const bindLeft: Visit = (builder, node, tree) => bindNames(builder, tree.field(node, 'left'))
/** The name in `except … as error` is gone after its block. */
const bindAlias: Visit = (builder, node, tree) => {
  const isKept = tree.type(tree.parent(tree.parent(node))) === 'with_item'
  const target = tree.firstChild(node)
  if (isKept) bindNames(builder, target)
  else declareNames(builder, target)
}
const declareFirst: Visit = (builder, node, tree) => declareNames(builder, tree.firstChild(node))

export const indexSpec: IndexSpec = {
  branches: `
    if_statement elif_clause for_statement while_statement except_clause
    conditional_expression boolean_operator for_in_clause if_clause case_clause
  `,
  functions: 'function_definition lambda',
  blocks: 'list_comprehension set_comprehension dictionary_comprehension generator_expression',
  types: 'class_definition type_alias_statement',
  builtins: `
    abs all any bool bytearray bytes callable chr classmethod delattr dict dir divmod
    enumerate filter float format frozenset getattr globals hasattr hash hex id input int
    isinstance issubclass iter len list locals map max memoryview min next object open ord
    pow print property range repr reversed round set setattr slice sorted staticmethod str
    sum super tuple type vars zip None Exception ValueError TypeError KeyError RuntimeError
    AttributeError NotImplementedError
  `,
  isExported: (_builder, _node, name) => isPublic(name),
  visits: {
    function_definition: visitFunction,
    class_definition: visitClass,
    import_statement: visitImport,
    import_from_statement: visitImportFrom,
    future_import_statement: (builder, node) => consumeSubtree(builder, node),
    assignment: visitAssignment,
    augmented_assignment: (builder, node, tree) => {
      if (builder.isLocal) declareLeft(builder, node, tree)
    },
    named_expression: (builder, node, tree) => {
      const name = tree.field(node, 'name')
      if (builder.isLocal) builder.declare(name, true)
      else bindNames(builder, name)
    },
    parameters: visitParameters,
    lambda_parameters: visitParameters,
    type: visitType,
    for_statement: bindLeft,
    for_in_clause: declareLeft,
    as_pattern_target: bindAlias,
    type_alias_statement: visitTypeAlias,
    splat_pattern: declareFirst,
    case_pattern: visitCase,
    class_pattern: visitCase,
    global_statement: markGlobal,
    nonlocal_statement: (builder, node) => consumeSubtree(builder, node),
    keyword_argument: consumeField('name'),
    keyword_pattern: (builder, node, tree) => builder.consume(tree.firstChild(node)),
    call: visitCall,
    decorator: visitDecorator,
    attribute: (builder, node, tree) => {
      builder.consume(tree.field(node, 'attribute'))
      if (tree.type(tree.field(node, 'object')) === 'identifier')
        referTo(builder, 'value', node, members)
    },
    identifier: referAs('value'),
  },
  finish: defineGlobals,
}
