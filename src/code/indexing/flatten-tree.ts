// Flattens syntax trees: from the parser's memory if its layout is known, otherwise by its cursor.
import type { Tree } from 'web-tree-sitter'
import type { FlatColumns } from '../../languages/common/flat-tree.ts'
import { flattenMemory } from './flatten-memory.ts'

/** Columns of up to this many nodes are reused for the next tree. */
const maxReusedNodes = 1 << 17

/**
 * Returns a function that flattens trees of one grammar. Its result is valid until the next call.
 * The first tree is flattened both ways: if the results differ, the memory isn't read again.
 *
 * @param readMemory returns the parser's current memory, which is replaced when it grows
 */
export function createFlattener(readMemory: () => ArrayBuffer): (tree: Tree) => FlatColumns {
  let isLayoutKnown: boolean | undefined
  let reused = createColumns(0)
  const takeColumns = (count: number) => {
    if (count > maxReusedNodes) return createColumns(count)
    if (count > reused.types.length) reused = createColumns(Math.min(2 * count, maxReusedNodes))
    return cutColumns(reused, count)
  }
  return (tree) => {
    if (isLayoutKnown === false) return flattenByCursor(tree)
    const columns = takeColumns(tree.rootNode.descendantCount)
    flattenMemory(readMemory(), tree, columns)
    if (isLayoutKnown) return columns
    const expected = flattenByCursor(tree)
    isLayoutKnown = areSame(columns, expected)
    return expected
  }
}

/** Creates empty columns for `count` nodes. */
export function createColumns(count: number): FlatColumns {
  return {
    types: new Uint16Array(count),
    fields: new Uint16Array(count),
    starts: new Uint32Array(count),
    ends: new Uint32Array(count),
    parents: new Int32Array(count),
    subtreeEnds: new Uint32Array(count),
  }
}

function cutColumns(columns: FlatColumns, count: number): FlatColumns {
  const { types, fields, starts, ends, parents, subtreeEnds } = columns
  return {
    types: types.subarray(0, count),
    fields: fields.subarray(0, count),
    starts: starts.subarray(0, count),
    ends: ends.subarray(0, count),
    parents: parents.subarray(0, count),
    subtreeEnds: subtreeEnds.subarray(0, count),
  }
}

/** Flattens a tree by the parser's cursor. */
export function flattenByCursor(tree: Tree): FlatColumns {
  const columns = createColumns(tree.rootNode.descendantCount)
  const { types, fields, starts, ends, parents, subtreeEnds } = columns
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
    subtreeEnds[node] = node + 1
    while (!cursor.gotoNextSibling() && cursor.gotoParent()) {
      subtreeEnds[parent] = node + 1
      parent = parents[parent]!
    }
  }
  cursor.delete()
  return columns
}

function areSame(actual: FlatColumns, expected: FlatColumns): boolean {
  return Object.entries(actual).every(([name, column]) => {
    const expectedColumn = expected[name as keyof FlatColumns]
    return column.every((value: number, index: number) => value === expectedColumn[index])
  })
}
