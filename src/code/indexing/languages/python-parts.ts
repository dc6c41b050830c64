// Parts of Python that several kinds of nodes share: parameters, targets of assignments, types.
import type { CodeReference, CodeSymbol } from '../../code-index.ts'
import type { FileIndexBuilder } from '../file-index-builder.ts'
import { type FlatTree, none } from '../flat-tree.ts'
import type { Visit } from '../language-spec.ts'
import { callType, consumeSubtree, listItems } from './common-parts.ts'

/** What stands before a full stop goes by its last name. */
function lastName(tree: FlatTree, node: number): string {
  const type = tree.type(node)
  if (type === 'identifier') return tree.textOf(node)
  return type === 'attribute' ? tree.textOf(tree.field(node, 'attribute')) : ''
}

/** Records that a name, or one with others and full stops before it, is used. */
export function referTo(
  builder: FileIndexBuilder,
  kind: CodeReference['kind'],
  named: number,
  argumentCount: number | null,
): void {
  const { tree } = builder
  const type = tree.type(named)
  if (type === 'identifier') builder.addReference({ kind, name: named, arguments: argumentCount })
  if (type !== 'attribute') return
  builder.consume(named)
  let qualifier = lastName(tree, tree.field(named, 'object'))
  // `super().total()` is the base class's.
  if (qualifier === '' && tree.textOf(tree.field(named, 'object')).startsWith('super('))
    qualifier = 'super'
  builder.addReference({
    kind,
    name: tree.field(named, 'attribute'),
    qualifier,
    arguments: argumentCount,
  })
}

/** Makes all names of a target local to the function around; in a comprehension to that. */
export function declareNames(builder: FileIndexBuilder, target: number): void {
  const { tree } = builder
  if (target === none) return
  const inComprehension = tree.type(tree.parent(target)) === 'for_in_clause'
  for (let node = target; node < tree.subtreeEnd(target); ) {
    const type = tree.type(node)
    if (type === 'identifier') builder.declare(node, !inComprehension)
    // `a.b = 1` and `a[0] = 1` make no name.
    node = type === 'attribute' || type === 'subscript' ? tree.subtreeEnd(node) : node + 1
  }
}

export const visitParameters: Visit = (builder, node) => {
  const { tree } = builder
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

/** How many arguments a function takes, without `self`. */
export function readParameters(
  tree: FlatTree,
  list: number,
  hasSelf: boolean,
): CodeSymbol['parameters'] {
  let [position, least, named, isOpen, isNamedOnly] = [hasSelf ? -1 : 0, 0, 0, false, false]
  for (const parameter of listItems(tree, list)) {
    const type = tree.type(parameter)
    const shape = type === 'typed_parameter' ? tree.type(tree.firstChild(parameter)) : type
    if (shape === 'list_splat_pattern' || shape === 'keyword_separator') isNamedOnly = true
    if (shape === 'list_splat_pattern' || shape === 'dictionary_splat_pattern') isOpen = true
    else if (shape !== 'keyword_separator' && shape !== 'positional_separator') {
      const isRequired = !type.includes('default')
      if (isNamedOnly) named += isRequired ? 1 : 0
      else least = isRequired ? position + 1 : least
      position++
    }
  }
  return { least: Math.max(0, least + named), most: isOpen ? null : Math.max(0, position) }
}

/** What a name is said to be, or what is called: `Shop()` makes one, `make_shop()` may. */
export function valueType(builder: FileIndexBuilder, annotation: number, value: number): string {
  const { tree } = builder
  if (annotation !== none) return typeName(tree, annotation)
  const made = tree.type(value) === 'await' ? tree.nextSibling(tree.firstChild(value)) : value
  if (tree.type(made) !== 'call') return ''
  const called = tree.field(made, 'function')
  const name = lastName(tree, called)
  if (/^_?\p{Lu}/u.test(name)) return name
  const object = tree.field(called, 'object')
  if (object === none) return callType(null, name)
  return tree.type(object) === 'identifier' ? callType(tree.textOf(object), name) : ''
}

/** The one name that a type goes by: `Shop` of `Shop | None`, `Optional[Shop]`, `'Shop'`. */
export function typeName(tree: FlatTree, annotation: number): string {
  if (annotation === none || tree.end(annotation) - tree.start(annotation) > 300) return ''
  const text = tree.textOf(annotation).replaceAll(/["'\s]/g, '')
  const plain = /^(?:typing\.)?Optional\[(.*)\]$/.exec(text)?.[1] ?? text
  const named = plain.split('|').filter((part) => part !== 'None')
  const name =
    named.length === 1 ? /^(?:\w+\.)*([\p{L}_]\w*)(?:\[|$)/u.exec(named[0]!)?.[1] : undefined
  return name ?? ''
}

/** All names in a type are types, also in one that stands in quotation marks. */
export const visitType: Visit = (builder, node) => {
  const { tree } = builder
  const end = tree.subtreeEnd(node)
  for (let inner = node; inner < end; inner++) {
    const type = tree.type(inner)
    const isWhole = tree.type(tree.parent(inner)) !== 'attribute'
    if (isWhole && (type === 'identifier' || type === 'attribute'))
      referTo(builder, 'type', inner, null)
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
