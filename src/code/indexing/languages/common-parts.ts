// What specs of several languages read alike.
import type { FileIndexBuilder } from '../file-index-builder.ts'
import { type FlatTree, none } from '../flat-tree.ts'

/** A set of node types, written between spaces. */
export const typeSet = (types: string): ReadonlySet<string> => new Set(types.split(' '))

const punctuation = typeSet('( ) , [ ] | comment line_comment block_comment')

/** What stands in a list, without brackets, commas and comments. */
export function* listItems(tree: FlatTree, list: number): Generator<number> {
  for (const child of tree.children(list)) if (!punctuation.has(tree.type(child))) yield child
}

/** How many are passed in a list of arguments: 0 without one, null where they are spread. */
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

/** How a binding calls what calling something comes to; empty for what has no name, or several before its last. */
export function callType(qualifier: string | null, name: string): string {
  if (name === '' || qualifier === '') return ''
  return qualifier === null ? `${name}()` : `${qualifier}.${name}()`
}

/** Records what a function that was just defined returns; `returned` is empty where nothing says so. */
export function addReturnBinding(walk: FileIndexBuilder, defined: number, returned: string): void {
  if (defined !== none) walk.addBinding('()', returned, defined)
}

/** Says that a node and all that is inside of it has been dealt with. */
export function consumeSubtree(walk: FileIndexBuilder, node: number): void {
  if (node === none) return
  for (let inner = node; inner < walk.tree.subtreeEnd(node); inner++) walk.consume(inner)
}

/** The last part of a name such as `a.b`, `a::b` or `a\b`. */
export function lastPart(name: string): string {
  return /[^.:\\]*$/.exec(name)![0]
}

/** The last child of one of those types. */
export function lastChild(tree: FlatTree, node: number, types: ReadonlySet<string>): number {
  let found = none
  for (const child of tree.children(node)) if (types.has(tree.type(child))) found = child
  return found
}
