// Parts of PHP that several kinds of nodes share: names, types, parameters.
import type { CodeSymbol } from '../../code-index.ts'
import type { FileIndexBuilder } from '../file-index-builder.ts'
import { type FlatTree, none } from '../flat-tree.ts'
import { lastPart, listItems, typeSet } from './common-parts.ts'

const relative = /^(self|static|parent)$/i
const classNames = typeSet('name qualified_name')

/** Whether a class is named here: `Cart`, `\Shop\Cart`, not `self`. */
export function isClassName(tree: FlatTree, node: number): boolean {
  return classNames.has(tree.type(node)) && !relative.test(tree.textOf(node))
}

/** The name at the end, with the last part of the namespace before it; `\strlen` has none. */
export function consumeName(
  builder: FileIndexBuilder,
  node: number,
): { name: number; qualifier: string | null } {
  const { tree } = builder
  builder.consume(node)
  if (tree.type(node) !== 'qualified_name') return { name: node, qualifier: null }
  let name = none
  for (const child of tree.children(node)) if (tree.type(child) === 'name') name = child
  const before = tree.text.slice(tree.start(node), tree.start(name)).replace(/\\\s*$/, '')
  return { name, qualifier: lastPart(before) === '' ? null : lastPart(before) }
}

/** Records a class that is named; of `self` and `static` the class around. */
export function referToClass(
  builder: FileIndexBuilder,
  node: number,
  kind: 'type' | 'new' | 'extends',
  argumentCount: number | null = null,
): void {
  const { tree } = builder
  if (isClassName(tree, node)) {
    builder.addReference({ kind, ...consumeName(builder, node), arguments: argumentCount })
    return
  }
  builder.consume(node)
  const own = builder.symbols[builder.enclosingType]?.name
  if (kind === 'new' && own !== undefined && /^(self|static)$/i.test(tree.textOf(node)))
    builder.addReference({ kind, name: own, at: node, arguments: argumentCount })
}

/** The one class that a type names; empty where it names none, or several. */
export function typeName(tree: FlatTree, type: number): string {
  const named = tree.type(type) === 'optional_type' ? tree.child(type, 'named_type') : type
  if (tree.type(named) === 'union_type' || tree.type(named) === 'type_list') {
    const classes = [...tree.children(named)].filter((child) => tree.type(child) === 'named_type')
    return classes.length === 1 ? typeName(tree, classes[0]!) : ''
  }
  if (tree.type(named) !== 'named_type') return ''
  const name = tree.firstChild(named)
  return isClassName(tree, name) ? lastPart(tree.textOf(name)) : ''
}

/** A variable's name without its `$`. */
export function variableName(tree: FlatTree, node: number): string {
  return tree.type(node) === 'variable_name' ? tree.textOf(node).slice(1) : ''
}

export function readParameters(tree: FlatTree, list: number): CodeSymbol['parameters'] {
  if (list === none) return null
  let [least, most, isOpen] = [0, 0, false]
  for (const parameter of listItems(tree, list)) {
    if (tree.type(parameter) === 'variadic_parameter') isOpen = true
    else {
      most++
      if (tree.field(parameter, 'default_value') === none) least = most
    }
  }
  return { least, most: isOpen ? null : most }
}
