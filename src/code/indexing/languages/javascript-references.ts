// What JavaScript and TypeScript call, make, show and read.
import type { FileIndexBuilder } from '../file-index-builder.ts'
import { type FlatTree, none } from '../flat-tree.ts'
import type { Visit } from '../language-spec.ts'
import { countArguments } from './common-parts.ts'
import { visitImportCall } from './javascript-modules.ts'
import { lastName } from './javascript-parts.ts'

/** Of a tagged template nothing is known. */
function countPassed(tree: FlatTree, list: number): number | null {
  if (list !== none && tree.type(list) !== 'arguments') return null
  return countArguments(tree, list, (argument) => tree.type(argument) === 'spread_element')
}

function referTo(
  walk: FileIndexBuilder,
  kind: 'call' | 'new' | 'value',
  named: number,
  passed: number | null,
): void {
  const { tree } = walk
  const type = tree.type(named)
  if (type === 'identifier') walk.addReference({ kind, name: named, arguments: passed })
  if (type !== 'member_expression' && type !== 'nested_identifier') return
  walk.consume(named)
  const qualifier = lastName(tree, tree.field(named, 'object'))
  walk.addReference({ kind, name: tree.field(named, 'property'), qualifier, arguments: passed })
}

export const visitCall: Visit = (walk, node) => {
  const { tree } = walk
  const called = tree.field(node, 'function')
  if (visitImportCall(walk, none, node)) return
  const plain = tree.type(called) === 'non_null_expression' ? tree.firstChild(called) : called
  referTo(walk, 'call', plain, countPassed(tree, tree.field(node, 'arguments')))
}

export const visitNew: Visit = (walk, node) => {
  const { tree } = walk
  referTo(
    walk,
    'new',
    tree.field(node, 'constructor'),
    countPassed(tree, tree.field(node, 'arguments')),
  )
}

export const visitDecorator: Visit = (walk, node) => {
  const { tree } = walk
  referTo(walk, 'call', tree.child(node, 'identifier', 'member_expression'), null)
}

/** `<Cart>`: what begins with a small letter is HTML's own. */
export const visitElement: Visit = (walk, node) => {
  const { tree } = walk
  const name = tree.field(node, 'name')
  if (tree.type(name) !== 'identifier' || /^\p{Lu}/u.test(walk.nameOf(name)))
    referTo(walk, 'call', name, null)
  else walk.consume(name)
}

export const visitMember: Visit = (walk, node) => {
  const { tree } = walk
  const object = tree.field(node, 'object')
  if (tree.type(object) === 'identifier') referTo(walk, 'value', node, null)
}

/** `Shop.Cart` as a type. */
export const visitNestedType: Visit = (walk, node) => {
  const { tree } = walk
  walk.addReference({
    kind: 'type',
    name: tree.field(node, 'name'),
    qualifier: lastName(tree, tree.field(node, 'module')),
  })
}
