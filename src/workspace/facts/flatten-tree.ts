// Lays trees out flat: out of the parser's memory where that can be trusted, else by asking the parser for each node.
import type { Tree } from 'web-tree-sitter'
import type { FlatColumns } from './flat-tree.ts'
import { flattenMemory } from './flatten-memory.ts'

/**
 * Makes what lays out the trees of one grammar.
 *
 * @param memory that of the parser, as it is now
 */
export function createFlattener(memory: () => ArrayBuffer): (tree: Tree) => FlatColumns {
  let isTrusted: boolean | undefined
  return (tree) => {
    if (isTrusted === false) return flattenByCursor(tree)
    const columns = makeColumns(tree)
    flattenMemory(memory(), tree, columns)
    if (isTrusted) return columns
    const asked = flattenByCursor(tree)
    isTrusted = areSame(columns, asked)
    return asked
  }
}

/** Room for all nodes of a tree. */
export function makeColumns(tree: Tree): FlatColumns {
  const count = tree.rootNode.descendantCount
  return {
    types: new Uint16Array(count),
    fields: new Uint16Array(count),
    starts: new Uint32Array(count),
    ends: new Uint32Array(count),
    parents: new Int32Array(count),
    afters: new Uint32Array(count),
  }
}

/** Lays a tree out flat by the parser's own cursor. */
export function flattenByCursor(tree: Tree): FlatColumns {
  const columns = makeColumns(tree)
  const { types, fields, starts, ends, parents, afters } = columns
  const cursor = tree.walk()
  let parent = -1
  for (let node = 0; node < types.length; node++) {
    types[node] = cursor.nodeTypeId
    fields[node] = cursor.currentFieldId
    starts[node] = cursor.startIndex
    ends[node] = cursor.endIndex
    parents[node] = parent
    if (cursor.gotoFirstChild()) {
      parent = node
      continue
    }
    afters[node] = node + 1
    while (!cursor.gotoNextSibling() && cursor.gotoParent()) {
      afters[parent] = node + 1
      parent = parents[parent]!
    }
  }
  cursor.delete()
  return columns
}

function areSame(some: FlatColumns, others: FlatColumns): boolean {
  return Object.entries(some).every(([name, column]) => {
    const other = others[name as keyof FlatColumns]
    return column.every((value: number, index: number) => value === other[index])
  })
}
