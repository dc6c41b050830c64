// A syntax tree as columns of numbers, so that reading it needs no calls into the parser.

/** The properties of all nodes, by the number of the node. Offsets are in UTF-16 code units. */
export interface FlatColumns {
  /** These are type numbers of the grammar. */
  readonly types: Uint16Array
  /** These are the grammar's numbers of the node's field in its parent; 0 is none. */
  readonly fields: Uint16Array
  readonly starts: Uint32Array
  readonly ends: Uint32Array
  readonly parents: Int32Array
  /** This is the number of the first node after the node and its descendants. */
  readonly subtreeEnds: Uint32Array
}

/** Stands for a node that doesn't exist. */
export const none = -1

/**
 * Nodes are numbers in preorder, starting at 0 for the root. Anonymous nodes (`async`, `&&`,
 * brackets) are included.
 */
export class FlatTree {
  readonly text: string
  readonly count: number
  /** Whether parts of the text don't match the grammar. */
  readonly hasErrors: boolean
  readonly types: Uint16Array
  readonly #fields: Uint16Array
  readonly #starts: Uint32Array
  readonly #ends: Uint32Array
  readonly #parents: Int32Array
  readonly #subtreeEnds: Uint32Array
  readonly #typeNames: readonly string[]
  readonly #fieldIds: ReadonlyMap<string, number>
  readonly #lineStarts: Uint32Array

  constructor(
    text: string,
    columns: FlatColumns,
    grammar: {
      readonly typeNames: readonly string[]
      readonly fieldIds: ReadonlyMap<string, number>
    },
    hasErrors: boolean,
  ) {
    this.text = text
    this.count = columns.types.length
    this.hasErrors = hasErrors
    this.types = columns.types
    this.#fields = columns.fields
    this.#starts = columns.starts
    this.#ends = columns.ends
    this.#parents = columns.parents
    this.#subtreeEnds = columns.subtreeEnds
    this.#typeNames = grammar.typeNames
    this.#fieldIds = grammar.fieldIds
    this.#lineStarts = findLineStarts(text)
  }

  type(node: number): string {
    return node === none ? '' : (this.#typeNames[this.types[node]!] ?? 'ERROR')
  }

  start(node: number): number {
    return this.#starts[node]!
  }

  end(node: number): number {
    return this.#ends[node]!
  }

  textOf(node: number): string {
    return node === none ? '' : this.text.slice(this.#starts[node], this.#ends[node])
  }

  parent(node: number): number {
    return node === none ? none : this.#parents[node]!
  }

  /** Returns the node that follows the node and its descendants. */
  subtreeEnd(node: number): number {
    return this.#subtreeEnds[node]!
  }

  firstChild(node: number): number {
    return node !== none && this.#subtreeEnds[node]! > node + 1 ? node + 1 : none
  }

  nextSibling(node: number): number {
    const next = this.#subtreeEnds[node]!
    const parent = this.#parents[node]!
    return parent !== none && next < this.#subtreeEnds[parent]! ? next : none
  }

  /** Returns the first child with that field name, or `none`. */
  field(node: number, name: string): number {
    const id = this.#fieldIds.get(name)
    if (id === undefined) return none
    let child = this.firstChild(node)
    while (child !== none && this.#fields[child] !== id) child = this.nextSibling(child)
    return child
  }

  /** Returns the text of a field; empty if the node has no such field. */
  fieldText(node: number, name: string): string {
    return this.textOf(this.field(node, name))
  }

  /** Whether the node has that field name in its parent. */
  hasField(node: number, name: string): boolean {
    return this.#fields[node] === this.#fieldIds.get(name)
  }

  /** Returns the first child of one of those types, or `none`. */
  child(node: number, ...types: readonly string[]): number {
    let child = this.firstChild(node)
    while (child !== none && !types.includes(this.type(child))) child = this.nextSibling(child)
    return child
  }

  /** Yields all children, including punctuation and comments. */
  *children(node: number): Generator<number> {
    for (let child = this.firstChild(node); child !== none; child = this.nextSibling(child))
      yield child
  }

  /** Returns the 1-based line on which the node starts. */
  lineOf(node: number): number {
    return lineAt(this.#lineStarts, this.#starts[node]!)
  }

  endLineOf(node: number): number {
    return lineAt(this.#lineStarts, this.#ends[node]!)
  }

  get lines(): number {
    const { length } = this.#lineStarts
    return this.text === '' || this.text.endsWith('\n') ? length - 1 : length
  }
}

function findLineStarts(text: string): Uint32Array {
  const starts = [0]
  let lineBreak = text.indexOf('\n')
  while (lineBreak !== -1) {
    starts.push(lineBreak + 1)
    lineBreak = text.indexOf('\n', lineBreak + 1)
  }
  return Uint32Array.from(starts)
}

function lineAt(starts: Uint32Array, offset: number): number {
  let low = 0
  let high = starts.length
  while (high - low > 1) {
    const middle = (low + high) >>> 1
    if (starts[middle]! <= offset) low = middle
    else high = middle
  }
  return low + 1
}
