// Imports of Rust: `use` in all its forms, `mod name;`, `extern crate`.
import type { FileIndexBuilder } from '../file-index-builder.ts'
import { none } from '../flat-tree.ts'
import type { Visit } from '../language-spec.ts'
import { consumeSubtree, lastPart } from './common-parts.ts'

/** Groups within groups beyond this aren't written by people. */
const maxGroupDepth = 20

export const visitUse: Visit = (builder, node) => {
  const { tree } = builder
  const kind = tree.child(node, 'visibility_modifier') === none ? 'static' : 'reexport'
  importTree(builder, tree.field(node, 'argument'), '', kind, 0)
  consumeSubtree(builder, node)
}

/** One branch of `a::{b, c as d, e::*, self}`, with what stands before its brace. */
function importTree(
  builder: FileIndexBuilder,
  node: number,
  prefix: string,
  kind: 'static' | 'reexport',
  depth: number,
): void {
  const { tree } = builder
  const line = node === none ? 0 : tree.lineOf(node)
  const join = (path: string) => [prefix, path].filter((part) => part !== '').join('::')
  const text = (node: number) => tree.textOf(node).replaceAll(/\s/g, '').replace(/^::/, '')
  switch (tree.type(node)) {
    case 'scoped_use_list':
    case 'use_list': {
      if (depth > maxGroupDepth) return
      const inside = join(text(tree.field(node, 'path')))
      const list = tree.type(node) === 'use_list' ? node : tree.field(node, 'list')
      for (const child of tree.children(list)) importTree(builder, child, inside, kind, depth + 1)
      return
    }
    case 'use_wildcard': {
      const from = join(text(tree.firstChild(node)).replace(/^\*$/, ''))
      if (kind === 'static') builder.addImport({ line, from, names: [], kind: 'all' })
      else builder.addImport({ line, from, names: [{ name: '*', local: '*' }], kind })
      return
    }
    case 'use_as_clause': {
      const path = text(tree.field(node, 'path'))
      const from = path === 'self' && prefix !== '' ? prefix : join(path)
      builder.addImport({
        line,
        from,
        names: [{ name: lastPart(from), local: text(tree.field(node, 'alias')) }],
        kind,
      })
      return
    }
    case 'self':
    case 'identifier':
    case 'crate':
    case 'scoped_identifier': {
      // `self` in a group is what stands before its brace.
      const from = tree.type(node) === 'self' && prefix !== '' ? prefix : join(text(node))
      builder.addImport({
        line,
        from,
        names: [{ name: lastPart(from), local: lastPart(from) }],
        kind,
      })
    }
  }
}

/** `mod shelf;` is another file; `mod shelf { … }` is a module in this one. */
export const visitMod: Visit = (builder, node) => {
  const { tree } = builder
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
  for (
    let index = builder.enclosingType;
    index !== none && names.length < maxGroupDepth;
    index = builder.symbols[index]!.within
  )
    names.unshift(builder.symbols[index]!.name)
  return names
}

export const visitExternCrate: Visit = (builder, node) => {
  const { tree } = builder
  const from = tree.textOf(tree.field(node, 'name'))
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
