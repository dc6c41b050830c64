// Lays trees out flat: out of the parser's memory where that can be trusted, else by asking the parser for each node.
import type { Tree } from 'web-tree-sitter'
import type { FlatColumns } from './flat-tree.ts'
import { flattenMemory } from './flatten-memory.ts'

/** Nodes that room is kept for: those of larger trees take their own. */
const maxReusedNodes = 1 << 17

/**
 * Makes what lays out the trees of one grammar. What it gives holds until the next tree.
 *
 * @param memory that of the parser, as it is now
 */
export function createFlattener(memory: () => ArrayBuffer): (tree: Tree) => FlatColumns {
  let isTrusted: boolean | undefined
  let room = makeColumns(0)
  const takeRoom = (count: number) => {
    if (count > maxReusedNodes) return makeColumns(count)
    if (count > room.types.length) room = makeColumns(Math.min(2 * count, maxReusedNodes))
    return cutColumns(room, count)
  }
  return (tree) => {
    if (isTrusted === false) return flattenByCursor(tree)
    const columns = takeRoom(tree.rootNode.descendantCount)
    flattenMemory(memory(), tree, columns)
    if (isTrusted) return columns
    const asked = flattenByCursor(tree)
    isTrusted = areSame(columns, asked)
    return asked
  }
}

/** Room for so many nodes. */
export function makeColumns(count: number): FlatColumns {
  return {
    types: new Uint16Array(count),
    fields: new Uint16Array(count),
    starts: new Uint32Array(count),
    ends: new Uint32Array(count),
    parents: new Int32Array(count),
    subtreeEnds: new Uint32Array(count),
  }
}

function cutColumns(
  { types, fields, starts, ends, parents, subtreeEnds: afters }: FlatColumns,
  count: number,
): FlatColumns {
  return {
    types: types.subarray(0, count),
    fields: fields.subarray(0, count),
    starts: starts.subarray(0, count),
    ends: ends.subarray(0, count),
    parents: parents.subarray(0, count),
    subtreeEnds: afters.subarray(0, count),
  }
}

/** Lays a tree out flat by the parser's own cursor. */
export function flattenByCursor(tree: Tree): FlatColumns {
  const columns = makeColumns(tree.rootNode.descendantCount)
  const { types, fields, starts, ends, parents, subtreeEnds: afters } = columns
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
