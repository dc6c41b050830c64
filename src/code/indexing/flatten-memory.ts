// Lays a tree out flat by reading it where the parser keeps it, in its own memory: ten times as fast as asking for each node.
//
// This is how tree-sitter 0.26 lays out its trees (subtree.h) and languages (parser.h) on 32 bits. A release that changes it
// gives other trees than the parser's cursor does, which `createFlattener` finds out on the first tree of each grammar.
import type { Tree } from 'web-tree-sitter'
import type { FlatColumns } from './flat-tree.ts'

/** Bits of a subtree's first flags, where it is kept inline one further up: the lowest says that it is. */
const [isVisible, isExtra] = [1, 4]
/** Sizes of a heap's subtree and places in it, in bytes. */
const [paddingAt, sizeAt, childCountAt, symbolAt, flagsAt, productionAt] = [4, 16, 36, 40, 44, 66]
/** Places in a language, in bytes. */
const [symbolCountAt, longestAliasesAt, fieldSlicesAt, fieldEntriesAt, publicSymbolsAt, aliasesAt] =
  [4, 36, 64, 68, 76, 84]

/**
 * What is put aside of a node while its children are gone through, in 32 bits each: the child that comes next, where the
 * children end, the next child's place in the text, how many there were that the grammar knows (comments aren't), the
 * production, the flat node that it is or that is around it, whether the grammar hides it, and then its role, which is that
 * of its children.
 */
const frameSize = 8

/** Fills the columns from the memory of the parser that made the tree. */
export function flattenMemory(memory: ArrayBuffer, tree: Tree, columns: FlatColumns): void {
  const [bytes, halves, words] = [
    new Uint8Array(memory),
    new Uint16Array(memory),
    new Uint32Array(memory),
  ]
  const { types, fields, starts, ends, parents, subtreeEnds: afters } = columns
  const language = (tree.language as unknown as { readonly 0: number })[0]
  const symbolCount = words[(language + symbolCountAt) >> 2]!
  const publicSymbols = words[(language + publicSymbolsAt) >> 2]! >> 1
  const aliases = words[(language + aliasesAt) >> 2]! >> 1
  const longestAliases = halves[(language + longestAliasesAt) >> 1]!
  const slices = words[(language + fieldSlicesAt) >> 2]! >> 1
  const entries = words[(language + fieldEntriesAt) >> 2]!

  const root = tree.rootNode.id
  let [child, childrenEnd, position, structural, production] = [root, root + 8, 0, 0, 0]
  // The node around, whether what is gone through is hidden, and its role.
  let [around, isHidden, role] = [-1, 0, 0]
  let stack = new Int32Array(256 * frameSize)
  let depth = 0
  let count = 0
  // A tree that is laid out otherwise must not lead in circles.
  while (count <= types.length) {
    if (child === childrenEnd) {
      if (isHidden === 0 && around !== -1) afters[around] = count
      if (depth === 0) return
      depth -= frameSize
      child = stack[depth]!
      childrenEnd = stack[depth + 1]!
      position = stack[depth + 2]!
      structural = stack[depth + 3]!
      production = stack[depth + 4]!
      around = stack[depth + 5]!
      isHidden = stack[depth + 6]!
      role = stack[depth + 7]!
      continue
    }
    const first = bytes[child]!
    const isInline = (first & 1) === 1
    const heap = isInline ? 0 : words[child >> 2]!
    const flags = isInline ? first >> 1 : bytes[heap + flagsAt]!
    const start = position + (isInline ? bytes[child + 6]! : words[(heap + paddingAt) >> 2]!)
    const end = start + (isInline ? bytes[child + 7]! : words[(heap + sizeAt) >> 2]!)
    let alias = 0
    let field = 0
    if ((flags & isExtra) === 0) {
      if (production !== 0) {
        if (structural < longestAliases)
          alias = halves[aliases + production * longestAliases + structural]!
        let entry = entries + 4 * halves[slices + 2 * production]!
        const last = entry + 4 * halves[slices + 2 * production + 1]!
        while (entry < last && (bytes[entry + 2] !== structural || bytes[entry + 3] !== 0))
          entry += 4
        if (entry < last) field = halves[entry >> 1]!
      }
      if (field === 0) field = role
      structural++
    }
    child += 8
    const isShown = (flags & isVisible) !== 0 || alias !== 0
    let node = around
    if (isShown) {
      node = count++
      const shown =
        alias !== 0 ? alias : isInline ? bytes[child - 7]! : halves[(heap + symbolAt) >> 1]!
      types[node] = shown < symbolCount ? halves[publicSymbols + shown]! : shown
      fields[node] = field
      starts[node] = start >> 1
      ends[node] = end >> 1
      parents[node] = around
      afters[node] = count
    }
    const childCount = isInline ? 0 : words[(heap + childCountAt) >> 2]!
    if (childCount === 0) {
      position = end
      continue
    }
    if (depth + frameSize > stack.length) stack = growStack(stack)
    stack[depth] = child
    stack[depth + 1] = childrenEnd
    stack[depth + 2] = end
    stack[depth + 3] = structural
    stack[depth + 4] = production
    stack[depth + 5] = around
    stack[depth + 6] = isHidden
    stack[depth + 7] = role
    depth += frameSize
    child = heap - 8 * childCount
    childrenEnd = heap
    structural = 0
    production = halves[(heap + productionAt) >> 1]!
    around = node
    isHidden = isShown ? 0 : 1
    role = isShown ? 0 : field
  }
}

function growStack(stack: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * stack.length)
  larger.set(stack)
  return larger
}
