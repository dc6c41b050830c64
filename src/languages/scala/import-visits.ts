// Reads packages and imports of Scala.
import type { FileIndexBuilder } from '../common/file-index-builder.ts'
import { none } from '../common/flat-tree.ts'
import type { Visit } from '../common/index-spec.ts'
import { consumeSubtree, listItems } from '../common/parts.ts'

/** Joins the clauses `package com.acme` and `package shop` at the beginning of a file. */
export const visitPackage: Visit = (builder, node, tree) => {
  const names: string[] = []
  for (let clause = node; clause !== none; clause = tree.nextSibling(clause)) {
    if (tree.type(clause).endsWith('comment')) continue
    if (tree.type(clause) !== 'package_clause') break
    const name = tree.field(clause, 'name')
    names.push(tree.textOf(name))
    consumeSubtree(builder, name)
    if (tree.field(clause, 'body') !== none) break
  }
  builder.setNamespace(names.join('.'))
}

/** Each imported name is an import of its own. */
export const visitImport: Visit = (builder, node, tree) => {
  let path: string[] = []
  const addLast = () => {
    const name = path.pop()
    if (name !== undefined) addName(builder, node, path, name, name)
    path = []
  }
  for (const child of tree.children(node)) {
    const type = tree.type(child)
    if (type === ',') addLast()
    else if (tree.hasField(child, 'path') && type !== '.') path.push(builder.nameOf(child))
    else if (addSelector(builder, child, path)) path = []
  }
  addLast()
  consumeSubtree(builder, node)
}

/** @returns whether the node selects names of the package or object at the path */
function addSelector(
  builder: FileIndexBuilder,
  selector: number,
  path: readonly string[],
): boolean {
  const { tree } = builder
  switch (tree.type(selector)) {
    case 'namespace_wildcard':
      builder.addImport({
        line: tree.lineOf(selector),
        from: joinPath(path),
        names: [],
        kind: 'all',
      })
      return true
    case 'namespace_selectors':
      for (const item of listItems(tree, selector)) addSelector(builder, item, path)
      return true
    case 'arrow_renamed_identifier':
    case 'as_renamed_identifier': {
      const alias = tree.fieldText(selector, 'alias')
      const name = builder.nameOf(tree.field(selector, 'name'))
      // `Cart => _` hides a name.
      if (alias !== '_') addName(builder, selector, path, name, alias)
      return true
    }
    case 'identifier': {
      const name = builder.nameOf(selector)
      addName(builder, selector, path, name, name)
      return true
    }
    default:
      return false
  }
}

function addName(
  builder: FileIndexBuilder,
  node: number,
  path: readonly string[],
  name: string,
  local: string,
): void {
  builder.addImport({
    line: builder.tree.lineOf(node),
    from: joinPath([...path, name]),
    names: [{ name, local }],
    kind: 'static',
  })
}

function joinPath(path: readonly string[]): string {
  return path.filter((part) => part !== '_root_').join('.')
}
