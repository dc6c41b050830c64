// A syntax tree laid out flat, in the order of its text: reading it costs no calls into the parser.

/** What is known of each node, by its number. */
export interface FlatColumns {
  /** Numbers of the grammar. */
  readonly types: Uint16Array
  /** Roles in their parents, as numbers of the grammar; 0 for none. */
  readonly fields: Uint16Array
  readonly starts: Uint32Array
  readonly ends: Uint32Array
  readonly parents: Int32Array
  /** The first node after all that is inside. */
  readonly subtreeEnds: Uint32Array
}

/** No node: what is asked for isn't there. */
export const none = -1

/**
 * Nodes are numbers, counted from 0 (the root) in the order of their beginnings, each before what is inside of it.
 * Those without a name of their own (`async`, `&&`, brackets) are among them.
 */
export class FlatTree {
  readonly text: string
  readonly count: number
  /** Some of the text isn't what the grammar knows. */
  readonly hasErrors: boolean
  readonly types: Uint16Array
  readonly #fields: Uint16Array
  readonly #starts: Uint32Array
  readonly #ends: Uint32Array
  readonly #parents: Int32Array
  readonly #afters: Uint32Array
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
    this.#afters = columns.subtreeEnds
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

  /** The first node after all that is inside of this one. */
  subtreeEnd(node: number): number {
    return this.#afters[node]!
  }

  firstChild(node: number): number {
    return node !== none && this.#afters[node]! > node + 1 ? node + 1 : none
  }

  nextSibling(node: number): number {
    const next = this.#afters[node]!
    const parent = this.#parents[node]!
    return parent !== none && next < this.#afters[parent]! ? next : none
  }

  /** The first child with that role in the grammar. */
  field(node: number, name: string): number {
    const id = this.#fieldIds.get(name)
    if (id === undefined) return none
    let child = this.firstChild(node)
    while (child !== none && this.#fields[child] !== id) child = this.nextSibling(child)
    return child
  }

  /** The role of a node in its parent. */
  hasField(node: number, name: string): boolean {
    return this.#fields[node] === this.#fieldIds.get(name)
  }

  /** The first child of one of those types. */
  child(node: number, ...types: readonly string[]): number {
    let child = this.firstChild(node)
    while (child !== none && !types.includes(this.type(child))) child = this.nextSibling(child)
    return child
  }

  /** All children, punctuation and comments too. */
  *children(node: number): Generator<number> {
    for (let child = this.firstChild(node); child !== none; child = this.nextSibling(child))
      yield child
  }

  /** 1-based. */
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
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return Uint32Array.from(starts)
}

function lineAt(starts: Uint32Array, offset: number): number {
  let [low, high] = [0, starts.length]
  while (high - low > 1) {
    const middle = (low + high) >>> 1
    if (starts[middle]! <= offset) low = middle
    else high = middle
  }
  return low + 1
}
