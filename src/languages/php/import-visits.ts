// Collects imports of PHP: `use`, `require` and `include`.
import type { FileIndexBuilder } from '../common/file-index-builder.ts'
import { none } from '../common/flat-tree.ts'
import type { Visit } from '../common/index-spec.ts'
import { consumeSubtree, lastPart } from '../common/parts.ts'

/** Records each name of `use A\B as C, D\E;` or `use A\{B, C as D};` as one import. */
export const visitUse: Visit = (builder, node, tree) => {
  const group = tree.field(node, 'body')
  const prefix = tree.textOf(tree.child(node, 'namespace_name'))
  for (const clause of tree.children(group === none ? node : group)) {
    const type = tree.type(clause)
    if (type === 'namespace_use_clause')
      importClause(builder, clause, group === none ? '' : `${prefix}\\`)
  }
  consumeSubtree(builder, node)
}

function importClause(builder: FileIndexBuilder, clause: number, prefix: string): void {
  const { tree } = builder
  const alias = tree.field(clause, 'alias')
  const target = tree.child(clause, 'qualified_name', 'name')
  const from = `${prefix}${tree.textOf(target)}`.replaceAll(/\s/g, '').replace(/^\\/, '')
  const name = lastPart(from)
  const local = alias === none ? name : tree.textOf(alias)
  builder.addImport({ line: tree.lineOf(clause), from, names: [{ name, local }], kind: 'static' })
}

/** `require` or `include` of a literal path; `__DIR__` makes it relative to this file. */
export const visitRequire: Visit = (builder, node, tree) => {
  const literals: number[] = []
  let isRelative = false
  for (let inner = node + 1; inner < tree.subtreeEnd(node); inner++) {
    const type = tree.type(inner)
    if (type === 'string_content') literals.push(inner)
    else if (type === 'name' && /^__DIR__$/i.test(tree.textOf(inner))) isRelative = true
    // The path of other expressions is unknown.
    else if (type.endsWith('_expression') && !plainParts.test(type)) return
    else if (type === 'variable_name') return
  }
  if (literals.length !== 1) return
  const path = tree.textOf(literals[0]!)
  const from = isRelative ? `.${path.startsWith('/') ? '' : '/'}${path}` : path
  builder.addImport({ line: tree.lineOf(node), from, names: [], kind: 'include' })
}

const plainParts = /^(binary|parenthesized)_expression$/
