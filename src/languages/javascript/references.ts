// Collects calls, `new` expressions, JSX elements and other references of JavaScript and
// TypeScript.
import { type FlatTree, none } from '../common/flat-tree.ts'
import type { Visit } from '../common/index-spec.ts'
import { referTo } from '../common/member-access.ts'
import { countArguments } from '../common/parts.ts'
import { visitImportCall } from './modules.ts'
import { lastName, members } from './parts.ts'

/** Counts arguments; null for tagged templates and spread arguments. */
function countPassed(tree: FlatTree, list: number): number | null {
  if (list !== none && tree.type(list) !== 'arguments') return null
  return countArguments(tree, list, (argument) => tree.type(argument) === 'spread_element')
}

export const visitCall: Visit = (builder, node, tree) => {
  const called = tree.field(node, 'function')
  if (visitImportCall(builder, none, node)) return
  const plain = tree.type(called) === 'non_null_expression' ? tree.firstChild(called) : called
  referTo(builder, 'call', plain, members, countPassed(tree, tree.field(node, 'arguments')))
}

export const visitNew: Visit = (builder, node, tree) => {
  referTo(
    builder,
    'new',
    tree.field(node, 'constructor'),
    members,
    countPassed(tree, tree.field(node, 'arguments')),
  )
}

export const visitDecorator: Visit = (builder, node, tree) => {
  referTo(builder, 'call', tree.child(node, 'identifier', 'member_expression'), members)
}

/** `<Cart>` is a call; lowercase elements are HTML. */
export const visitElement: Visit = (builder, node, tree) => {
  const name = tree.field(node, 'name')
  if (tree.type(name) !== 'identifier' || /^\p{Lu}/u.test(builder.nameOf(name)))
    referTo(builder, 'call', name, members)
  else builder.consume(name)
}

export const visitMember: Visit = (builder, node, tree) => {
  const object = tree.field(node, 'object')
  if (tree.type(object) === 'identifier') referTo(builder, 'value', node, members)
}

/** `Shop.Cart` as a type. */
export const visitNestedType: Visit = (builder, node, tree) => {
  builder.addReference({
    kind: 'type',
    name: tree.field(node, 'name'),
    qualifier: lastName(tree, tree.field(node, 'module')),
  })
}
