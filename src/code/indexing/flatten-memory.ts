// Flattens a syntax tree by reading the parser's memory: ten times as fast as its cursor.
//
// The offsets are those of tree-sitter 0.26 (subtree.h, parser.h) on 32 bits. Under a release with
// another layout the result differs from the cursor's, and `createFlattener` stops using it.
import type { Tree } from 'web-tree-sitter'
import type { FlatColumns } from '../../languages/common/flat-tree.ts'

/** `sizeof(Subtree)`: the data itself if its lowest bit is set, otherwise a pointer to the heap. */
const subtreeSize = 8

/** `SubtreeInlineData`, in bytes. */
const inlineOffsets = { symbol: 1, padding: 6, size: 7 }

/** `SubtreeHeapData`, in bytes. Its children are stored directly before it. */
const heapOffsets = { padding: 4, size: 16, childCount: 36, symbol: 40, flags: 44, production: 66 }

/** Bits of a subtree's flags; inline data has its inline bit below them. */
const visibleFlag = 1
const extraFlag = 4

/** `TSLanguage`, in bytes. */
const languageOffsets = {
  symbolCount: 4,
  maxAliasSequenceLength: 36,
  fieldMapSlices: 64,
  fieldMapEntries: 68,
  publicSymbols: 76,
  aliasSequences: 84,
}

/** `TSFieldMapEntry`: the field's number in two bytes, then the child's index, then `inherited`. */
const fieldEntrySize = 4

/** The views show the parser's memory as integers of 8, 16 and 32 bits. */
interface MemoryViews {
  readonly bytes: Uint8Array
  readonly halves: Uint16Array
  readonly words: Uint32Array
}

/** Tables of a grammar. Positions are indexes into `halves`, that of `fieldEntries` is in bytes. */
interface GrammarTables {
  readonly symbolCount: number
  readonly maxAliasSequenceLength: number
  readonly publicSymbols: number
  readonly aliasSequences: number
  readonly fieldSlices: number
  readonly fieldEntries: number
}

/** One subtree, read into the same object again and again because allocating each one is slow. */
interface Subtree {
  flags: number
  symbol: number
  /** This is the number of bytes of whitespace before it. */
  padding: number
  /** Bytes without the padding. */
  size: number
  childCount: number
  /** The address of its heap data, where its children end. */
  heap: number
}

/** Fills the columns with the nodes of a tree; `memory` belongs to the parser that made it. */
export function flattenMemory(memory: ArrayBuffer, tree: Tree, columns: FlatColumns): void {
  const views: MemoryViews = {
    bytes: new Uint8Array(memory),
    halves: new Uint16Array(memory),
    words: new Uint32Array(memory),
  }
  const grammar = readGrammarTables(views, tree)
  const maxCount = columns.types.length
  const subtree: Subtree = { flags: 0, symbol: 0, padding: 0, size: 0, childCount: 0, heap: 0 }
  const traversal = new Traversal(tree.rootNode.id)
  let count = 0
  // The bound ends the loop if a tree with another layout leads in circles.
  while (count <= maxCount) {
    if (traversal.isAtEnd) {
      if (traversal.isVisible) columns.subtreeEnds[traversal.node] = count
      if (traversal.isAtTop) return
      traversal.leave()
      continue
    }
    readSubtree(views, traversal.child, subtree)
    const isExtra = (subtree.flags & extraFlag) !== 0
    const alias = isExtra ? 0 : findAlias(views, grammar, traversal)
    const field = isExtra ? 0 : findField(views, grammar, traversal)
    const { position } = traversal
    const start = position + subtree.padding
    const end = start + subtree.size
    const isVisible = (subtree.flags & visibleFlag) !== 0 || alias !== 0
    let node = traversal.node
    if (isVisible) {
      node = count++
      columns.types[node] = publicSymbol(views, grammar, alias === 0 ? subtree.symbol : alias)
      columns.fields[node] = field
      // The parser counts the bytes of UTF-16.
      columns.starts[node] = start >> 1
      columns.ends[node] = end >> 1
      columns.parents[node] = traversal.node
      columns.subtreeEnds[node] = count
    }
    traversal.advance(end, isExtra)
    if (subtree.childCount === 0) continue
    const production = views.halves[(subtree.heap + heapOffsets.production) >> 1]!
    traversal.enter(subtree, position, production)
    traversal.node = node
    traversal.isVisible = isVisible
    traversal.inheritedField = isVisible ? 0 : field
  }
}

function readGrammarTables({ halves, words }: MemoryViews, tree: Tree): GrammarTables {
  const language = (tree.language as unknown as { readonly 0: number })[0]
  const readWord = (offset: number) => words[(language + offset) >> 2]!
  return {
    symbolCount: readWord(languageOffsets.symbolCount),
    maxAliasSequenceLength: halves[(language + languageOffsets.maxAliasSequenceLength) >> 1]!,
    publicSymbols: readWord(languageOffsets.publicSymbols) >> 1,
    aliasSequences: readWord(languageOffsets.aliasSequences) >> 1,
    fieldSlices: readWord(languageOffsets.fieldMapSlices) >> 1,
    fieldEntries: readWord(languageOffsets.fieldMapEntries),
  }
}

function readSubtree({ bytes, halves, words }: MemoryViews, address: number, into: Subtree): void {
  const firstByte = bytes[address]!
  const isInline = (firstByte & 1) === 1
  if (isInline) {
    into.flags = firstByte >> 1
    into.symbol = bytes[address + inlineOffsets.symbol]!
    into.padding = bytes[address + inlineOffsets.padding]!
    into.size = bytes[address + inlineOffsets.size]!
    into.childCount = 0
    return
  }
  const heap = words[address >> 2]!
  into.heap = heap
  into.flags = bytes[heap + heapOffsets.flags]!
  into.symbol = halves[(heap + heapOffsets.symbol) >> 1]!
  into.padding = words[(heap + heapOffsets.padding) >> 2]!
  into.size = words[(heap + heapOffsets.size) >> 2]!
  into.childCount = words[(heap + heapOffsets.childCount) >> 2]!
}

/** The symbol under which the current production shows its next child; 0 for the child's own. */
function findAlias(
  { halves }: MemoryViews,
  { aliasSequences, maxAliasSequenceLength }: GrammarTables,
  { production, childIndex }: Traversal,
): number {
  if (production === 0 || childIndex >= maxAliasSequenceLength) return 0
  return halves[aliasSequences + production * maxAliasSequenceLength + childIndex]!
}

/** The field of the next child in the current production, or the inherited one; 0 for none. */
function findField(
  { bytes, halves }: MemoryViews,
  { fieldSlices, fieldEntries }: GrammarTables,
  { production, childIndex, inheritedField }: Traversal,
): number {
  if (production === 0) return inheritedField
  const first = halves[fieldSlices + 2 * production]!
  const length = halves[fieldSlices + 2 * production + 1]!
  const end = fieldEntries + fieldEntrySize * (first + length)
  for (let entry = fieldEntries + fieldEntrySize * first; entry < end; entry += fieldEntrySize) {
    const isInherited = bytes[entry + 3] !== 0
    if (bytes[entry + 2] === childIndex && !isInherited) return halves[entry >> 1]!
  }
  return inheritedField
}

/** Symbols with the same name share a public number. Those for errors are above all symbols. */
function publicSymbol(
  { halves }: MemoryViews,
  { symbolCount, publicSymbols }: GrammarTables,
  symbol: number,
): number {
  return symbol < symbolCount ? halves[publicSymbols + symbol]! : symbol
}

/** The number of fields of `Traversal` that `enter` saves. */
const frameSize = 8

/** The children that are being read, with a stack of those that are interrupted meanwhile. */
class Traversal {
  /** This is the address of the next child. */
  child: number
  #childrenEnd: number
  /** This is where the previous child ends in the text, in bytes. */
  position = 0
  /** The index of the next child; extras such as comments don't count. */
  childIndex = 0
  production = 0
  /** The number of the flat node that contains the children; -1 above the root. */
  node = -1
  /** Whether the subtree with these children is `node`; the grammar hides others. */
  isVisible = false
  /** The field of a hidden subtree belongs to its children. */
  inheritedField = 0
  #stack = new Int32Array(256 * frameSize)
  #depth = 0

  constructor(root: number) {
    this.child = root
    this.#childrenEnd = root + subtreeSize
  }

  get isAtEnd(): boolean {
    return this.child === this.#childrenEnd
  }

  get isAtTop(): boolean {
    return this.#depth === 0
  }

  /** Moves to the next child. */
  advance(position: number, isExtra: boolean): void {
    this.child += subtreeSize
    this.position = position
    if (!isExtra) this.childIndex++
  }

  /** Moves to the children of a subtree that begins at `position`; the caller sets the rest. */
  enter({ heap, childCount }: Subtree, position: number, production: number): void {
    if (this.#depth + frameSize > this.#stack.length) this.#growStack()
    const stack = this.#stack
    const depth = this.#depth
    stack[depth] = this.child
    stack[depth + 1] = this.#childrenEnd
    stack[depth + 2] = this.position
    stack[depth + 3] = this.childIndex
    stack[depth + 4] = this.production
    stack[depth + 5] = this.node
    stack[depth + 6] = this.isVisible ? 1 : 0
    stack[depth + 7] = this.inheritedField
    this.#depth = depth + frameSize
    this.child = heap - subtreeSize * childCount
    this.#childrenEnd = heap
    this.position = position
    this.childIndex = 0
    this.production = production
  }

  /** Moves back to the children that `enter` left. */
  leave(): void {
    this.#depth -= frameSize
    const stack = this.#stack
    const depth = this.#depth
    this.child = stack[depth]!
    this.#childrenEnd = stack[depth + 1]!
    this.position = stack[depth + 2]!
    this.childIndex = stack[depth + 3]!
    this.production = stack[depth + 4]!
    this.node = stack[depth + 5]!
    this.isVisible = stack[depth + 6] === 1
    this.inheritedField = stack[depth + 7]!
  }

  #growStack(): void {
    const larger = new Int32Array(2 * this.#stack.length)
    larger.set(this.#stack)
    this.#stack = larger
  }
}
