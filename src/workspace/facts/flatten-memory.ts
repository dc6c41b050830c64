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
const [symbolCountAt, longestAliasesAt, fieldSlicesAt, fieldEntriesAt, publicSymbolsAt, aliasesAt] = [
  4, 36, 64, 68, 76, 84,
]

/** A node whose children are gone through; those that the grammar hides are opened, too. */
interface Frame {
  readonly outer: Frame | undefined
  child: number
  readonly childrenEnd: number
  /** Where the next child's padding begins, in bytes of the text. */
  position: number
  /** Counts the children that the grammar knows, which comments aren't. */
  structural: number
  readonly production: number
  /** The flat node that it is, or for a hidden one that around it. */
  readonly node: number
  readonly isHidden: boolean
  /** The role of a hidden one, which is that of its children. */
  readonly field: number
}

/** Fills the columns from the memory of the parser that made the tree. */
export function flattenMemory(memory: ArrayBuffer, tree: Tree, columns: FlatColumns): void {
  const [bytes, halves, words] = [new Uint8Array(memory), new Uint16Array(memory), new Uint32Array(memory)]
  const { types, fields, starts, ends, parents, afters } = columns
  const language = (tree.language as unknown as { readonly 0: number })[0]
  const symbolCount = words[(language + symbolCountAt) >> 2]!
  const publicSymbols = words[(language + publicSymbolsAt) >> 2]! >> 1
  const aliases = words[(language + aliasesAt) >> 2]! >> 1
  const longestAliases = halves[(language + longestAliasesAt) >> 1]!
  const slices = words[(language + fieldSlicesAt) >> 2]! >> 1
  const entries = words[(language + fieldEntriesAt) >> 2]!

  const fieldOf = (production: number, structural: number): number => {
    const first = halves[slices + 2 * production]!
    const last = first + halves[slices + 2 * production + 1]!
    for (let entry = entries + 4 * first; entry < entries + 4 * last; entry += 4)
      if (bytes[entry + 2] === structural && bytes[entry + 3] === 0) return halves[entry >> 1]!
    return 0
  }

  const root = tree.rootNode.id
  let frame: Frame | undefined = {
    outer: undefined,
    child: root,
    childrenEnd: root + 8,
    position: 0,
    structural: 0,
    production: 0,
    node: -1,
    isHidden: false,
    field: 0,
  }
  let count = 0
  // A tree that is laid out otherwise must not lead in circles.
  while (frame !== undefined && count <= types.length) {
    const { child } = frame
    if (child === frame.childrenEnd) {
      if (!frame.isHidden && frame.node !== -1) afters[frame.node] = count
      frame = frame.outer
      continue
    }
    frame.child += 8
    const isInline = (bytes[child]! & 1) === 1
    const heap = isInline ? 0 : words[child >> 2]!
    const flags = isInline ? bytes[child]! >> 1 : bytes[heap + flagsAt]!
    const symbol = isInline ? bytes[child + 1]! : halves[(heap + symbolAt) >> 1]!
    const start: number = frame.position + (isInline ? bytes[child + 6]! : words[(heap + paddingAt) >> 2]!)
    const end = start + (isInline ? bytes[child + 7]! : words[(heap + sizeAt) >> 2]!)
    const childCount = isInline ? 0 : words[(heap + childCountAt) >> 2]!
    let [alias, field] = [0, 0]
    if ((flags & isExtra) === 0) {
      if (frame.production !== 0) {
        alias = halves[aliases + frame.production * longestAliases + frame.structural]!
        if (frame.structural >= longestAliases) alias = 0
      }
      field = fieldOf(frame.production, frame.structural) || (frame.isHidden ? frame.field : 0)
      frame.structural++
    }
    const isShown = (flags & isVisible) !== 0 || alias !== 0
    let node = frame.node
    if (isShown) {
      node = count++
      const shown = alias || symbol
      types[node] = shown < symbolCount ? halves[publicSymbols + shown]! : shown
      fields[node] = field
      starts[node] = start >> 1
      ends[node] = end >> 1
      parents[node] = frame.node
      afters[node] = count
    }
    const position = frame.position
    frame.position = end
    if (!(childCount > 0)) continue
    frame = {
      outer: frame,
      child: heap - 8 * childCount,
      childrenEnd: heap,
      position,
      structural: 0,
      production: halves[(heap + productionAt) >> 1]!,
      node,
      isHidden: !isShown,
      field,
    }
  }
}
