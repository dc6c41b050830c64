// Collects imports of Rust: `use`, `mod name;`, `extern crate`.
import type { FileIndexBuilder } from '../common/file-index-builder.ts'
import { type FlatTree, none } from '../common/flat-tree.ts'
import type { Visit } from '../common/index-spec.ts'
import { consumeSubtree, lastPart } from '../common/parts.ts'

/** Files written by people don't nest groups deeper. */
const maxGroupDepth = 20

export const visitUse: Visit = (builder, node, tree) => {
  const kind = tree.child(node, 'visibility_modifier') === none ? 'static' : 'reexport'
  importTree(builder, tree.field(node, 'argument'), { prefix: '', kind, depth: 0 })
  consumeSubtree(builder, node)
}

/** What the branches of one group have in common: the path before its brace and the visibility. */
interface UseContext {
  readonly prefix: string
  readonly kind: 'static' | 'reexport'
  readonly depth: number
}

/** Imports one branch of `a::{b, c as d, e::*, self}`. */
function importTree(builder: FileIndexBuilder, node: number, context: UseContext): void {
  const { tree } = builder
  switch (tree.type(node)) {
    case 'scoped_use_list':
    case 'use_list':
      importGroup(builder, node, context)
      break
    case 'use_wildcard':
      importWildcard(builder, node, context)
      break
    case 'use_as_clause': {
      const path = readPath(tree, tree.field(node, 'path'))
      const alias = readPath(tree, tree.field(node, 'alias'))
      const from = resolvePath(path, path === 'self', context.prefix)
      importPath(builder, node, from, alias, context.kind)
      break
    }
    case 'self':
    case 'identifier':
    case 'crate':
    case 'scoped_identifier': {
      const isSelf = tree.type(node) === 'self'
      const from = resolvePath(readPath(tree, node), isSelf, context.prefix)
      importPath(builder, node, from, lastPart(from), context.kind)
    }
  }
}

function importGroup(builder: FileIndexBuilder, node: number, context: UseContext): void {
  const { tree } = builder
  if (context.depth > maxGroupDepth) return
  const prefix = joinPath(context.prefix, readPath(tree, tree.field(node, 'path')))
  const list = tree.type(node) === 'use_list' ? node : tree.field(node, 'list')
  const inner = { prefix, kind: context.kind, depth: context.depth + 1 }
  for (const child of tree.children(list)) importTree(builder, child, inner)
}

function importWildcard(
  builder: FileIndexBuilder,
  node: number,
  { prefix, kind }: UseContext,
): void {
  const { tree } = builder
  const line = tree.lineOf(node)
  const path = readPath(tree, tree.firstChild(node)).replace(/^\*$/, '')
  const from = joinPath(prefix, path)
  if (kind === 'static') builder.addImport({ line, from, names: [], kind: 'all' })
  else builder.addImport({ line, from, names: [{ name: '*', local: '*' }], kind })
}

function importPath(
  builder: FileIndexBuilder,
  node: number,
  from: string,
  local: string,
  kind: 'static' | 'reexport',
): void {
  const names = [{ name: lastPart(from), local }]
  builder.addImport({ line: builder.tree.lineOf(node), from, names, kind })
}

function readPath(tree: FlatTree, node: number): string {
  return tree.textOf(node).replaceAll(/\s/g, '').replace(/^::/, '')
}

function joinPath(prefix: string, path: string): string {
  return [prefix, path].filter((part) => part !== '').join('::')
}

/** In a group, `self` is the path before the brace. */
function resolvePath(path: string, isSelf: boolean, prefix: string): string {
  return isSelf && prefix !== '' ? prefix : joinPath(prefix, path)
}

/** `mod shelf;` imports another file; `mod shelf { … }` defines a module in this file. */
export const visitMod: Visit = (builder, node, tree) => {
  const name = tree.field(node, 'name')
  const body = tree.field(node, 'body')
  const exported = tree.child(node, 'visibility_modifier') !== none
  if (body !== none) {
    builder.define(node, { name, kind: 'module', bodyNode: body, exported })
    return
  }
  const local = builder.nameOf(name)
  builder.consume(name)
  const from = ['self', ...enclosingModules(builder), local].join('::')
  builder.addImport({
    line: tree.lineOf(node),
    from,
    names: [{ name: '*', local }],
    kind: 'static',
  })
}

function enclosingModules(builder: FileIndexBuilder): string[] {
  const names: string[] = []
  let index = builder.enclosingType
  while (index !== none && names.length < maxGroupDepth) {
    const symbol = builder.symbols[index]!
    names.unshift(symbol.name)
    index = symbol.within
  }
  return names
}

export const visitExternCrate: Visit = (builder, node, tree) => {
  const from = tree.fieldText(node, 'name')
  const alias = tree.field(node, 'alias')
  const local = alias === none ? from : tree.textOf(alias)
  consumeSubtree(builder, node)
  builder.addImport({
    line: tree.lineOf(node),
    from,
    names: [{ name: '*', local }],
    kind: 'static',
  })
}
