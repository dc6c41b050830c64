// Reads `a.b`, which languages name differently.
import type { CodeReference } from '../code-index.ts'
import type { FileIndexBuilder } from './file-index-builder.ts'
import type { FlatTree } from './flat-tree.ts'
import { callType, typeSet } from './parts.ts'

/** How a grammar names the parts of `a.b`. */
export interface MemberAccess {
  readonly types: ReadonlySet<string>
  /** The fields of `a` and of `b`. */
  readonly object: string
  readonly member: string
  /** Returns the last name of a receiver; empty for expressions without a name. */
  readonly lastName: (tree: FlatTree, node: number) => string
}

const objectNames = typeSet('identifier this self')

/** The type of the result of calling `callee`; see `CodeBinding.type`. */
export function resultType(tree: FlatTree, callee: number, access: MemberAccess): string {
  if (tree.type(callee) === 'identifier') return callType(null, tree.textOf(callee))
  if (!access.types.has(tree.type(callee))) return ''
  const object = tree.field(callee, access.object)
  if (!objectNames.has(tree.type(object))) return ''
  return callType(tree.textOf(object), tree.fieldText(callee, access.member))
}

/** Records a reference to a name, or to the last name of `a.b`. */
export function referTo(
  builder: FileIndexBuilder,
  kind: CodeReference['kind'],
  named: number,
  access: MemberAccess,
  argumentCount: number | null = null,
): void {
  const { tree } = builder
  if (tree.type(named) === 'identifier') builder.addReference({ kind, name: named, argumentCount })
  if (!access.types.has(tree.type(named))) return
  builder.consume(named)
  builder.addReference({
    kind,
    name: tree.field(named, access.member),
    qualifier: access.lastName(tree, tree.field(named, access.object)),
    argumentCount,
  })
}
