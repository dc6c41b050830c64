// Functions that the specs of several languages share.
import type { CodeReference } from '../code-index.ts'
import type { FileIndexBuilder } from './file-index-builder.ts'
import { type FlatTree, none } from './flat-tree.ts'
import { splitList } from './index-spec.ts'

/** A set of node types from a list that is separated by whitespace. */
export const typeSet = (types: string): ReadonlySet<string> => new Set(splitList(types))

const punctuation = typeSet('( ) , [ ] | comment line_comment block_comment')

/** The children of a list without brackets, commas and comments. */
export function* listItems(tree: FlatTree, list: number): Generator<number> {
  for (const child of tree.children(list)) if (!punctuation.has(tree.type(child))) yield child
}

/** Counts the arguments in a list: 0 without a list, null if an argument is spread. */
export function countArguments(
  tree: FlatTree,
  list: number,
  isSpread: (argument: number) => boolean = () => false,
): number | null {
  let count = 0
  for (const argument of listItems(tree, list)) {
    if (isSpread(argument)) return null
    count++
  }
  return count
}

/**
 * The type of a binding whose value is the result of a call; see `CodeBinding.type`. Empty if the
 * callee has no name or its qualifier isn't a single name.
 */
export function callType(qualifier: string | null, name: string): string {
  if (name === '' || qualifier === '') return ''
  return qualifier === null ? `${name}()` : `${qualifier}.${name}()`
}

/**
 * Records a reference to a type that is named by itself (`type_identifier`) or with its package.
 *
 * @param type without its type arguments
 * @param qualifiedType the type of nodes such as `acme.Cart`
 */
export function referToTypeName(
  builder: FileIndexBuilder,
  type: number,
  qualifiedType: string,
  { kind, argumentCount }: { kind: CodeReference['kind']; argumentCount: number | null },
): void {
  const { tree } = builder
  if (tree.type(type) === 'type_identifier')
    builder.addReference({ kind, name: type, argumentCount })
  if (tree.type(type) !== qualifiedType) return
  const [name, qualifier = null] = tree.textOf(type).split('.').reverse()
  builder.addReference({ kind, name: name!, at: type, qualifier, argumentCount })
  consumeSubtree(builder, type)
}

/** Consumes a node and all its descendants; see `FileIndexBuilder.consume`. */
export function consumeSubtree(builder: FileIndexBuilder, node: number): void {
  if (node === none) return
  for (let inner = node; inner < builder.tree.subtreeEnd(node); inner++) builder.consume(inner)
}

/** Returns `b`, which is the last part of `a.b`, `a::b` or `a\b`. */
export function lastPart(name: string): string {
  return /[^.:\\]*$/.exec(name)![0]
}

/** Returns the last child that has one of those types, or `none`. */
export function lastChild(tree: FlatTree, node: number, types: ReadonlySet<string>): number {
  let found = none
  for (const child of tree.children(node)) if (types.has(tree.type(child))) found = child
  return found
}
