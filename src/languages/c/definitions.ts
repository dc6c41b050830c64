// Collects the definitions of C and C++: functions, classes, variables, macros.
import type { DefinitionKind } from '../code-index.ts'
import type { FileIndexBuilder } from '../common/file-index-builder.ts'
import { type FlatTree, none } from '../common/flat-tree.ts'
import type { Visit } from '../common/index-spec.ts'
import { consumeSubtree, lastPart, typeSet } from '../common/parts.ts'
import {
  consumeDeclarator,
  consumeName,
  type Declarator,
  functionName,
  hasKeyword,
  isInAnonymousNamespace,
  readDeclarator,
  readParameters,
  typeName,
} from './parts.ts'

/** Returns the `template <…>` of a definition, or the definition if it has none. */
function enclosingTemplate(tree: FlatTree, node: number): number {
  return tree.type(tree.parent(node)) === 'template_declaration' ? tree.parent(node) : node
}

function isMember(builder: FileIndexBuilder): boolean {
  return builder.enclosingSymbol?.kind === 'class'
}

/** Whether other files can name a declaration. */
function isExported(builder: FileIndexBuilder, node: number): boolean {
  const { tree } = builder
  if (isMember(builder)) return !builder.marked.has(enclosingTemplate(tree, node))
  return !hasKeyword(tree, node, 'static') && !isInAnonymousNamespace(tree, node)
}

export const visitFunction: Visit = (builder, node, tree) => {
  const declarator = tree.field(node, 'declarator')
  const declared = readDeclarator(tree, declarator)
  if (declared.callable === none) return
  consumeDeclarator(builder, declarator)
  defineFunction(builder, node, declared, tree.field(node, 'body'))
}

function defineFunction(
  builder: FileIndexBuilder,
  node: number,
  declared: Declarator,
  body: number,
): void {
  const { tree } = builder
  const { name, owner, callable } = declared
  builder.define(node, {
    name: functionName(tree, name),
    kind: owner !== null || isMember(builder) ? 'method' : 'function',
    bodyNode: body === none ? tree.child(node, ';') : body,
    startNode: enclosingTemplate(tree, node),
    owner,
    exported: isExported(builder, node),
    parameters: readParameters(tree, callable),
  })
}

/** Returns a visit for nodes that may be a declarator; `otherwise` visits those that aren't. */
export function declaring(otherwise?: Visit): Visit {
  return (builder, node, tree) => {
    if (tree.hasField(node, 'declarator')) {
      const holder = tree.parent(node)
      const type = tree.type(holder)
      if (type === 'declaration' || type === 'field_declaration')
        return visitDeclarator(builder, node, holder)
      if (type === 'type_definition') return visitTypedef(builder, node, holder)
    }
    otherwise?.(builder, node, tree)
  }
}

/** Records functions and variables; inside of functions their names are local. */
function visitDeclarator(builder: FileIndexBuilder, node: number, declaration: number): void {
  const { tree } = builder
  const declared = readDeclarator(tree, node)
  const type = tree.field(declaration, 'type')
  consumeDeclarator(builder, node)
  if (declared.name === none) return
  if (tree.type(declared.name) === 'structured_binding_declarator')
    declareBindings(builder, declared.name)
  else if (builder.isLocal) {
    builder.addBinding(declared.name, boundType(tree, type, node))
    builder.declare(declared.name)
  } else if (declared.callable !== none) declareFunction(builder, declaration, node, declared)
  else defineVariable(builder, declaration, node, declared, type)
}

function declareBindings(builder: FileIndexBuilder, node: number): void {
  for (const child of builder.tree.children(node))
    if (builder.tree.type(child) === 'identifier') builder.declare(child)
}

/** Defines a function from its prototype, except `static` ones, which the file defines later. */
function declareFunction(
  builder: FileIndexBuilder,
  declaration: number,
  node: number,
  declared: Declarator,
): void {
  const { tree } = builder
  const { name, owner, callable } = declared
  if (!isMember(builder) && hasKeyword(tree, declaration, 'static')) return
  // A declaration without a type is a constructor if it has the class's name, otherwise a macro.
  const hasNoType = tree.type(name) === 'identifier' && tree.field(declaration, 'type') === none
  if (hasNoType && tree.textOf(name) !== builder.enclosingSymbol?.name) return
  builder.define(node, {
    name: functionName(tree, name),
    kind: owner !== null || isMember(builder) ? 'method' : 'function',
    startNode: enclosingTemplate(tree, declaration),
    owner,
    exported: isExported(builder, declaration),
    parameters: readParameters(tree, callable),
  })
}

/** Binds the type of a field. Variables of the file and static members are also symbols. */
function defineVariable(
  builder: FileIndexBuilder,
  declaration: number,
  node: number,
  declared: Declarator,
  type: number,
): void {
  const { tree } = builder
  const isField = isMember(builder)
  builder.addBinding(
    declared.name,
    boundType(tree, type, node),
    isField ? builder.enclosingType : none,
  )
  if (
    isField &&
    !hasKeyword(tree, declaration, 'static') &&
    !hasKeyword(tree, declaration, 'constexpr')
  )
    return
  builder.define(node, {
    name: declared.name,
    kind: 'value',
    startNode: declaration,
    owner: declared.owner,
    exported: isExported(builder, declaration),
  })
}

/** The declared type, or for `auto` that of `new Cart(…)` or `std::make_unique<Cart>(…)`. */
function boundType(tree: FlatTree, type: number, declarator: number): string {
  if (tree.type(type) !== 'placeholder_type_specifier') return typeName(tree, type)
  const value = tree.field(declarator, 'value')
  if (tree.type(value) === 'new_expression') return typeName(tree, tree.field(value, 'type'))
  let called = tree.type(value) === 'call_expression' ? tree.field(value, 'function') : none
  while (tree.type(called) === 'qualified_identifier') called = tree.field(called, 'name')
  const isFactory =
    tree.type(called) === 'template_function' && /^(make|Make)/.test(tree.textOf(called))
  return isFactory
    ? typeName(tree, tree.child(tree.field(called, 'arguments'), 'type_descriptor'))
    : ''
}

/** Declares parameters of functions with a body; names in prototypes are ignored. */
export const visitParameter: Visit = (builder, node, tree) => {
  const declarator = tree.field(node, 'declarator')
  if (declarator === none) return
  const { name } = readDeclarator(tree, declarator)
  consumeDeclarator(builder, declarator)
  let holder = tree.parent(tree.parent(node))
  while (tree.type(holder).endsWith('_declarator')) holder = tree.parent(holder)
  if (!parameterHolders.has(tree.type(holder))) return
  builder.addBinding(name, typeName(tree, tree.field(node, 'type')))
  builder.declare(name, true)
}

const parameterHolders = typeSet('function_definition lambda_expression catch_clause')

/** `for (auto& line : lines)`. */
export const visitLoop: Visit = (builder, node, tree) => {
  const declarator = tree.field(node, 'declarator')
  const { name } = readDeclarator(tree, declarator)
  if (tree.type(name) === 'structured_binding_declarator') return declareBindings(builder, name)
  consumeDeclarator(builder, declarator)
  builder.addBinding(name, typeName(tree, tree.field(node, 'type')))
  builder.declare(name)
}

/** Returns the nodes of base classes. */
function findBases(tree: FlatTree, node: number): number[] {
  return [...tree.children(tree.child(node, 'base_class_clause'))].filter((child) =>
    /^(type_identifier|template_type|qualified_identifier)$/.test(tree.type(child)),
  )
}

/** Defines a `class`, `struct`, `union` or `enum`; without a body it only refers to a type. */
export function defineType(kind: 'class' | 'enum'): Visit {
  return (builder, node, tree) => {
    const body = tree.field(node, 'body')
    const named = tree.field(node, 'name')
    if (body === none) return referToElaboratedType(builder, node, named)
    const bases = findBases(tree, node)
    const name = named === none ? typedefName(tree, node) : consumeName(builder, named).name
    markPrivate(builder, body, tree.type(node) === 'class_specifier')
    const isHidden = isMember(builder)
      ? isHiddenMember(builder, node)
      : isInAnonymousNamespace(tree, node)
    builder.define(node, {
      name,
      kind,
      bodyNode: body,
      startNode: enclosingTemplate(tree, node),
      exported: !isHidden,
      extends: bases.map((base) => typeName(tree, base)),
    })
    for (const base of bases)
      builder.addReference({ kind: 'extends', ...consumeName(builder, base) })
  }
}

function isHiddenMember(builder: FileIndexBuilder, node: number): boolean {
  return builder.marked.has(node) || builder.marked.has(builder.tree.parent(node))
}

/** `class Cart;` is no reference, but `struct cart *cart` refers to a type. */
function referToElaboratedType(builder: FileIndexBuilder, node: number, named: number): void {
  const isUsed = builder.tree.hasField(node, 'type')
  if (isUsed && named !== none)
    builder.addReference({ kind: 'type', ...consumeName(builder, named), isNeverLocal: true })
  else builder.consume(named)
}

/** Returns `Cart` for the unnamed struct of `typedef struct { … } Cart;`. */
function typedefName(tree: FlatTree, node: number): number {
  const typedef = tree.parent(node)
  const declarator =
    tree.type(typedef) === 'type_definition' ? tree.field(typedef, 'declarator') : none
  return tree.type(declarator) === 'type_identifier' ? declarator : none
}

/** Marks private members: those after `private:`, and the first ones of a class. */
function markPrivate(builder: FileIndexBuilder, body: number, isPrivateFirst: boolean): void {
  const { tree } = builder
  let isPrivate = isPrivateFirst
  const open = [...tree.children(body)].reverse()
  while (open.length > 0) {
    const child = open.pop()!
    const type = tree.type(child)
    if (type === 'access_specifier') isPrivate = tree.textOf(child).startsWith('private')
    else if (type.startsWith('preproc_')) open.push(...[...tree.children(child)].reverse())
    else if (isPrivate) builder.marked.add(child)
  }
}

/** Defines each name of a `typedef` as a type. */
function visitTypedef(builder: FileIndexBuilder, node: number, typedef: number): void {
  const { name } = readDeclarator(builder.tree, node)
  consumeDeclarator(builder, node)
  builder.define(node, { name, kind: 'type', startNode: typedef, exported: true })
}

/** `using Items = …;`, `concept Named = …;`. */
export const visitAlias: Visit = (builder, node, tree) => {
  const exported = isExported(builder, node)
  builder.define(node, {
    kind: 'type',
    startNode: enclosingTemplate(tree, node),
    exported,
  })
}

export const visitEnumerator: Visit = (builder, node, tree) => {
  const name = tree.field(node, 'name')
  const type = tree.parent(tree.parent(node))
  builder.define(node, { name, kind: 'value', exported: true })
  // Outside of classes, the name belongs to the file.
  if (tree.type(tree.parent(type)) !== 'field_declaration') builder.declare(name)
}

export const visitNamespace: Visit = (builder, node, tree) => {
  const name = tree.field(node, 'name')
  if (name === none) return
  consumeSubtree(builder, name)
  const text = lastPart(tree.textOf(name))
  builder.define(node, {
    name: text,
    kind: 'module',
    exported: true,
  })
}

/** Defines macros with a value; those without are include guards and flags. */
export function defineMacro(kind: DefinitionKind): Visit {
  return (builder, node, tree) => {
    const list = tree.field(node, 'parameters')
    const value = tree.field(node, 'value')
    const names = [...tree.children(list)].filter((child) => tree.type(child) === 'identifier')
    consumeSubtree(builder, node)
    if (builder.isLocal || (kind === 'value' && value === none)) return
    const most = tree.child(list, '...') === none ? names.length : null
    // The macro's node ends on the next line, so its last part gives the end.
    builder.define(value === none ? list : value, {
      name: tree.field(node, 'name'),
      kind,
      startNode: node,
      bodyNode: value,
      exported: true,
      parameters: list === none ? null : { least: names.length, most },
    })
  }
}
