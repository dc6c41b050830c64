// Reads names, types and parameters of PHP.
import type { CodeSymbol } from '../code-index.ts'
import type { FileIndexBuilder } from '../common/file-index-builder.ts'
import { type FlatTree, none } from '../common/flat-tree.ts'
import { lastPart, listItems, typeSet } from '../common/parts.ts'

const relative = /^(self|static|parent)$/i
const classNames = typeSet('name qualified_name')

/** Whether the node names a class: `Cart`, `\Shop\Cart`, but not `self`. */
export function isClassName(tree: FlatTree, node: number): boolean {
  return classNames.has(tree.type(node)) && !relative.test(tree.textOf(node))
}

/** Consumes a name and returns its last part, qualified by the last part of its namespace. */
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

/** Records a reference to a class. `new self` and `new static` refer to the enclosing class. */
export function referToClass(
  builder: FileIndexBuilder,
  node: number,
  kind: 'type' | 'new' | 'extends',
  argumentCount: number | null = null,
): void {
  const { tree } = builder
  if (isClassName(tree, node)) {
    builder.addReference({ kind, ...consumeName(builder, node), argumentCount })
    return
  }
  builder.consume(node)
  const own = builder.symbols[builder.enclosingType]?.name
  if (kind === 'new' && own !== undefined && /^(self|static)$/i.test(tree.textOf(node)))
    builder.addReference({ kind, name: own, at: node, argumentCount })
}

/** Returns the class of a type; empty if it has none or several. */
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

/** Returns a variable's name without its `$`. */
export function variableName(tree: FlatTree, node: number): string {
  return tree.type(node) === 'variable_name' ? tree.textOf(node).slice(1) : ''
}

export function readParameters(tree: FlatTree, list: number): CodeSymbol['parameters'] {
  if (list === none) return null
  let least = 0
  let most = 0
  let isVariadic = false
  for (const parameter of listItems(tree, list)) {
    if (tree.type(parameter) === 'variadic_parameter') isVariadic = true
    else {
      most++
      if (tree.field(parameter, 'default_value') === none) least = most
    }
  }
  return { least, most: isVariadic ? null : most }
}
