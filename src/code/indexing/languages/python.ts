// Python.
import type { FileIndexBuilder } from '../file-index-builder.ts'
import { none } from '../flat-tree.ts'
import type { LanguageSpec, Visit } from '../language-spec.ts'
import { addReturnBinding, consumeSubtree, countArguments, listItems } from './common-parts.ts'
import {
  declareNames,
  readParameters,
  referTo,
  typeName,
  valueType,
  visitParameters,
  visitType,
} from './python-parts.ts'

/** Names with an underscore before them are their owner's own; those with two on both sides are called by others. */
function isPublic(name: string): boolean {
  return !name.startsWith('_') || /^__\w+__$/.test(name)
}

const visitFunction: Visit = (walk, node) => {
  const { tree } = walk
  const name = tree.field(node, 'name')
  const holder = tree.parent(node)
  const isDecorated = tree.type(holder) === 'decorated_definition'
  const block = tree.parent(isDecorated ? holder : node)
  const isMethod = tree.type(tree.parent(block)) === 'class_definition'
  const isStatic =
    isDecorated && /^@staticmethod\b/m.test(tree.textOf(tree.child(holder, 'decorator')))
  const defined = walk.define(node, {
    name,
    kind: isMethod ? 'method' : 'function',
    bodyNode: tree.field(node, 'body'),
    exported: isPublic(walk.nameOf(name)),
    parameters: readParameters(tree, tree.field(node, 'parameters'), isMethod && !isStatic),
  })
  addReturnBinding(walk, defined, typeName(tree, tree.field(node, 'return_type')))
}

const visitClass: Visit = (walk, node) => {
  const { tree } = walk
  const name = tree.field(node, 'name')
  const bases = [...listItems(tree, tree.field(node, 'superclasses'))].flatMap((base) => {
    const plain = tree.type(base) === 'subscript' ? tree.field(base, 'value') : base
    return ['identifier', 'attribute'].includes(tree.type(plain)) ? [plain] : []
  })
  const nameOfBase = (base: number) =>
    walk.nameOf(tree.type(base) === 'attribute' ? tree.field(base, 'attribute') : base)
  walk.define(node, {
    name,
    kind: 'class',
    bodyNode: tree.field(node, 'body'),
    exported: isPublic(walk.nameOf(name)),
    extends: bases.map(nameOfBase),
  })
  for (const base of bases) referTo(walk, 'extends', base, null)
}

const visitImport: Visit = (walk, node) => {
  const { tree } = walk
  for (const item of listItems(tree, node)) {
    const isAliased = tree.type(item) === 'aliased_import'
    if (!isAliased && tree.type(item) !== 'dotted_name') continue
    const from = tree.textOf(isAliased ? tree.field(item, 'name') : item)
    // `import a.b` binds `a`; what is used is called `a.b.name`, which we know by what stands last before the name.
    const local = isAliased
      ? tree.textOf(tree.field(item, 'alias'))
      : from.slice(from.lastIndexOf('.') + 1)
    walk.addImport({ line: tree.lineOf(node), from, names: [{ name: '*', local }], kind: 'static' })
  }
  consumeSubtree(walk, node)
}

const visitImportFrom: Visit = (walk, node) => {
  const { tree } = walk
  const source = tree.field(node, 'module_name')
  const names = []
  for (const item of listItems(tree, node)) {
    if (!tree.hasField(item, 'name')) continue
    const isAliased = tree.type(item) === 'aliased_import'
    const name = tree.textOf(isAliased ? tree.field(item, 'name') : item)
    names.push({ name, local: isAliased ? tree.textOf(tree.field(item, 'alias')) : name })
  }
  const isAll = tree.child(node, 'wildcard_import') !== none
  walk.addImport({
    line: tree.lineOf(node),
    from: tree.textOf(source),
    names,
    kind: isAll ? 'all' : 'static',
  })
  consumeSubtree(walk, node)
}

const visitAssignment: Visit = (walk, node) => {
  const { tree } = walk
  const [left, right] = [tree.field(node, 'left'), tree.field(node, 'right')]
  const type = valueType(walk, tree.field(node, 'type'), right)
  if (tree.type(left) === 'attribute') {
    const isOwn = /^(self|cls)$/.test(tree.textOf(tree.field(left, 'object')))
    const passed = tree.type(right) === 'identifier' ? walk.typeOf(walk.nameOf(right)) : ''
    if (isOwn) walk.addBinding(tree.field(left, 'attribute'), type || passed, walk.enclosingType)
    return
  }
  if (tree.type(left) === 'identifier') walk.addBinding(left, type)
  if (walk.isLocal) declareNames(walk, left)
  else if (tree.textOf(left) === '__all__') exportListed(walk, right)
  else if (walk.enclosingSymbol === undefined) defineVariables(walk, node, left)
  else consumeSubtree(walk, left)
}

/** Variables of the module: where they are assigned first. */
function defineVariables(walk: FileIndexBuilder, node: number, left: number): void {
  const { tree } = walk
  for (const name of tree.type(left) === 'identifier' ? [left] : listItems(tree, left)) {
    if (tree.type(name) !== 'identifier') continue
    const text = walk.nameOf(name)
    if (walk.isFileScopeName(text)) walk.consume(name)
    else walk.define(node, { name, kind: 'value', exported: isPublic(text), isLeaf: true })
  }
}

/** What `__all__` lists is meant for others, whatever it is called; they can name the rest as well. */
function exportListed(walk: FileIndexBuilder, list: number): void {
  const { tree } = walk
  for (const item of listItems(tree, list)) {
    const name = walk.nameOf(tree.child(item, 'string_content'))
    walk.exportName(name, name, tree.lineOf(item))
  }
}

const visitCall: Visit = (walk, node) => {
  const { tree } = walk
  const list = tree.field(node, 'arguments')
  const isSpread = (argument: number) =>
    ['list_splat', 'dictionary_splat'].includes(tree.type(argument))
  const passed = tree.type(list) === 'argument_list' ? countArguments(tree, list, isSpread) : 1
  referTo(walk, 'call', tree.field(node, 'function'), passed)
}

const visitDecorator: Visit = (walk, node) => {
  referTo(walk, 'call', walk.tree.child(node, 'identifier', 'attribute'), null)
}

/** `case Point(x=0)` names a type; `case other` makes a name. */
const visitCase: Visit = (walk, node) => {
  const { tree } = walk
  const name = tree.child(node, 'dotted_name')
  const part = tree.firstChild(name)
  if (part === none) return
  if (tree.type(node) === 'class_pattern') walk.addReference({ kind: 'type', name: part })
  else if (tree.nextSibling(part) === none) walk.declare(part, true)
}

const declareLeft: Visit = (walk, node) => declareNames(walk, walk.tree.field(node, 'left'))
const declareFirst: Visit = (walk, node) => declareNames(walk, walk.tree.firstChild(node))

export const python: LanguageSpec = {
  branches:
    'if_statement elif_clause for_statement while_statement except_clause conditional_expression boolean_operator for_in_clause if_clause case_clause',
  functions: 'function_definition lambda',
  blocks: 'list_comprehension set_comprehension dictionary_comprehension generator_expression',
  types: 'class_definition type_alias_statement',
  builtins:
    'abs all any bool bytearray bytes callable chr classmethod delattr dict dir divmod enumerate filter float format frozenset getattr globals hasattr hash hex id input int isinstance issubclass iter len list locals map max memoryview min next object open ord pow print property range repr reversed round set setattr slice sorted staticmethod str sum super tuple type vars zip None Exception ValueError TypeError KeyError RuntimeError AttributeError NotImplementedError',
  visits: {
    function_definition: visitFunction,
    class_definition: visitClass,
    import_statement: visitImport,
    import_from_statement: visitImportFrom,
    future_import_statement: (walk, node) => consumeSubtree(walk, node),
    assignment: visitAssignment,
    augmented_assignment: (walk, node) => {
      if (walk.isLocal) declareLeft(walk, node)
    },
    named_expression: (walk, node) => walk.declare(walk.tree.field(node, 'name'), true),
    parameters: visitParameters,
    lambda_parameters: visitParameters,
    type: visitType,
    for_statement: declareLeft,
    for_in_clause: declareLeft,
    as_pattern_target: declareFirst,
    splat_pattern: declareFirst,
    case_pattern: visitCase,
    class_pattern: visitCase,
    global_statement: (walk, node) => consumeSubtree(walk, node),
    nonlocal_statement: (walk, node) => consumeSubtree(walk, node),
    keyword_argument: (walk, node) => walk.consume(walk.tree.field(node, 'name')),
    keyword_pattern: (walk, node) => walk.consume(walk.tree.firstChild(node)),
    call: visitCall,
    decorator: visitDecorator,
    attribute: (walk, node) => {
      walk.consume(walk.tree.field(node, 'attribute'))
      if (walk.tree.type(walk.tree.field(node, 'object')) === 'identifier')
        referTo(walk, 'value', node, null)
    },
    identifier: (walk, node) => walk.addReference({ kind: 'value', name: node }),
  },
}
