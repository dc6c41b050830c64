// Reads parameters, assignment targets and types of Python.
import type { CodeSymbol } from '../code-index.ts'
import type { FileIndexBuilder } from '../common/file-index-builder.ts'
import { type FlatTree, none } from '../common/flat-tree.ts'
import type { Visit } from '../common/index-spec.ts'
import { type MemberAccess, referTo, resultType } from '../common/member-access.ts'
import { consumeSubtree, listItems, typeSet } from '../common/parts.ts'

/** Returns the last name of `a.b`; empty for other expressions. */
function lastName(tree: FlatTree, node: number): string {
  const type = tree.type(node)
  if (type === 'identifier') return tree.textOf(node)
  return type === 'attribute' ? tree.fieldText(node, 'attribute') : ''
}

export const members: MemberAccess = {
  types: typeSet('attribute'),
  object: 'object',
  member: 'attribute',
  // `super().total()` calls the method of the base class.
  lastName: (tree, node) =>
    lastName(tree, node) || (tree.textOf(node).startsWith('super(') ? 'super' : ''),
}

/** Declares all names of a target in the enclosing function or comprehension. */
export function declareNames(builder: FileIndexBuilder, target: number): void {
  const { tree } = builder
  const inComprehension = tree.type(tree.parent(target)) === 'for_in_clause'
  for (const name of listTargets(tree, target)) builder.declare(name, !inComprehension)
}

/** Yields the names of a target; none for `a.b = 1` and `a[0] = 1`. */
export function* listTargets(tree: FlatTree, target: number): Generator<number> {
  if (target === none) return
  for (let node = target; node < tree.subtreeEnd(target); ) {
    const type = tree.type(node)
    if (type === 'identifier') yield node
    node = type === 'attribute' || type === 'subscript' ? tree.subtreeEnd(node) : node + 1
  }
}

export const visitParameters: Visit = (builder, node, tree) => {
  for (const parameter of listItems(tree, node)) {
    const named =
      tree.type(parameter) === 'typed_parameter'
        ? tree.firstChild(parameter)
        : tree.field(parameter, 'name')
    const name = named === none ? parameter : named
    const type = tree.field(parameter, 'type')
    if (tree.type(name) === 'identifier') builder.addBinding(name, typeName(tree, type))
    declareNames(builder, name)
  }
}

const positionSeparators = typeSet('keyword_separator positional_separator')
/** Parameters after these can only be passed by name. */
const namedOnlyStarts = typeSet('list_splat_pattern keyword_separator')
const restPatterns = typeSet('list_splat_pattern dictionary_splat_pattern')

/** Counts the arguments that a function takes, without `self`. */
export function readParameters(
  tree: FlatTree,
  list: number,
  hasSelf: boolean,
): CodeSymbol['parameters'] {
  // `self` takes the position before the first counted one.
  let position = hasSelf ? -1 : 0
  let leastPositional = 0
  let leastNamed = 0
  let isVariadic = false
  let isNamedOnly = false
  for (const parameter of listItems(tree, list)) {
    const type = tree.type(parameter)
    const shape = type === 'typed_parameter' ? tree.type(tree.firstChild(parameter)) : type
    if (namedOnlyStarts.has(shape)) isNamedOnly = true
    if (restPatterns.has(shape)) isVariadic = true
    if (restPatterns.has(shape) || positionSeparators.has(shape)) continue
    position++
    const isRequired = !type.includes('default')
    if (isRequired && isNamedOnly) leastNamed++
    else if (isRequired) leastPositional = position
  }
  const least = Math.max(0, leastPositional + leastNamed)
  return { least, most: isVariadic ? null : Math.max(0, position) }
}

/** The type of the annotation, or of a call: `Shop` for `Shop()`, `make_shop()` for itself. */
export function valueType(builder: FileIndexBuilder, annotation: number, value: number): string {
  const { tree } = builder
  if (annotation !== none) return typeName(tree, annotation)
  const call = tree.type(value) === 'await' ? tree.nextSibling(tree.firstChild(value)) : value
  if (tree.type(call) !== 'call') return ''
  const called = tree.field(call, 'function')
  const name = lastName(tree, called)
  if (/^_?\p{Lu}/u.test(name)) return name
  return resultType(tree, called, members)
}

const maxAnnotationLength = 300

/** Matches the last name before type arguments. */
const typeNamePattern = /^(?:\w+\.)*([\p{L}_]\w*)(?:\[|$)/u

/** Returns `Shop` for `Shop | None`, `Optional[Shop]`, `'Shop'`; empty for several types. */
export function typeName(tree: FlatTree, annotation: number): string {
  if (annotation === none || tree.end(annotation) - tree.start(annotation) > maxAnnotationLength)
    return ''
  const text = tree.textOf(annotation).replaceAll(/["'\s]/g, '')
  const required = /^(?:typing\.)?Optional\[(.*)\]$/.exec(text)?.[1] ?? text
  const types = required.split('|').filter((part) => part !== 'None')
  if (types.length !== 1) return ''
  return typeNamePattern.exec(types[0]!)?.[1] ?? ''
}

/** Records all names in an annotation as types, including quoted ones. */
export const visitType: Visit = (builder, node, tree) => {
  const end = tree.subtreeEnd(node)
  for (let inner = node; inner < end; inner++) {
    const type = tree.type(inner)
    const isWhole = tree.type(tree.parent(inner)) !== 'attribute'
    if (isWhole && (type === 'identifier' || type === 'attribute'))
      referTo(builder, 'type', inner, members)
    else if (type === 'string') referToQuoted(builder, inner)
  }
  consumeSubtree(builder, node)
}

function referToQuoted(builder: FileIndexBuilder, node: number): void {
  const text = builder.nameOf(builder.tree.child(node, 'string_content'))
  const [name, qualifier = null] = text.split('.').reverse()
  if (/^[\w.]+$/.test(text) && name !== undefined)
    builder.addReference({ kind: 'type', name, at: node, qualifier })
}
