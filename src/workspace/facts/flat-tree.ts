// A syntax tree laid out flat, in the order of its text: reading it costs no calls into the parser.
import type { Tree } from 'web-tree-sitter'

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
  /** The first node after all that is inside. */
  readonly #afters: Uint32Array
  readonly #typeNames: readonly string[]
  readonly #fieldIds: ReadonlyMap<string, number>
  readonly #lineStarts: Uint32Array

  constructor(tree: Tree, text: string, typeNames: readonly string[], fieldIds: ReadonlyMap<string, number>) {
    const root = tree.rootNode
    const count = root.descendantCount
    this.text = text
    this.count = count
    this.hasErrors = root.hasError
    this.types = new Uint16Array(count)
    this.#fields = new Uint16Array(count)
    this.#starts = new Uint32Array(count)
    this.#ends = new Uint32Array(count)
    this.#parents = new Int32Array(count)
    this.#afters = new Uint32Array(count)
    this.#typeNames = typeNames
    this.#fieldIds = fieldIds
    this.#lineStarts = findLineStarts(text)
    this.#fill(tree)
  }

  #fill(tree: Tree): void {
    const cursor = tree.walk()
    const [types, fields, starts, ends, parents] = [this.types, this.#fields, this.#starts, this.#ends, this.#parents]
    let parent = none
    for (let node = 0; node < this.count; node++) {
      types[node] = cursor.nodeTypeId
      fields[node] = cursor.currentFieldId
      starts[node] = cursor.startIndex
      ends[node] = cursor.endIndex
      parents[node] = parent
      if (cursor.gotoFirstChild()) {
        parent = node
        continue
      }
      this.#afters[node] = node + 1
      while (!cursor.gotoNextSibling() && cursor.gotoParent()) {
        this.#afters[parent] = node + 1
        parent = parents[parent]!
      }
    }
    cursor.delete()
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
  after(node: number): number {
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
    for (let child = this.firstChild(node); child !== none; child = this.nextSibling(child)) yield child
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
