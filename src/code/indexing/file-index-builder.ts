// Gathers the facts of one file while its tree is gone through: what is defined, named, imported, bound, and where.
import type {
  CodeBinding,
  CodeImport,
  CodeReference,
  CodeSymbol,
  FileIndex,
} from '../code-index.ts'
import { type FlatTree, none } from './flat-tree.ts'

// No file written by people has more.
const maxSymbols = 5_000
const maxImports = 5_000
const maxReferences = 50_000
const maxBindings = 20_000
const maxNamesPerImport = 1_000
const maxBases = 50
const maxNameLength = 200
const maxSignatureLength = 300

type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] }

export interface SymbolDefinition {
  /** The node whose text is the name, or the name itself. */
  readonly name: number | string
  readonly kind: CodeSymbol['kind']
  /** Where the signature ends; without it that is the end of the node. */
  readonly bodyNode?: number
  /** Where the signature and the symbol's lines begin, where that isn't the node itself (`export`, decorators). */
  readonly startNode?: number
  readonly exported?: boolean
  /** Nothing is defined in it, as of several in one statement: what follows belongs to what is around. */
  readonly isLeaf?: boolean
  readonly owner?: string | null
  readonly extends?: readonly string[]
  readonly parameters?: CodeSymbol['parameters']
}

export interface NameReference {
  readonly kind: CodeReference['kind']
  /** The node whose text is the name, or the name itself, which then stands where `at` is. */
  readonly name: number | string
  readonly at?: number
  readonly qualifier?: string | null
  readonly arguments?: number | null
  /** What is local by that name is something else: C's `struct cart *cart`. */
  readonly isNeverLocal?: boolean
}

interface Scope {
  outer: Scope | undefined
  readonly after: number
  readonly kind: 'file' | 'function' | 'block' | 'type'
  /** What is defined in it is nobody else's. */
  readonly isLocal: boolean
  /** Undefined as long as there are none. */
  names: Set<string> | undefined
}

interface OpenSymbol {
  readonly outer: OpenSymbol | undefined
  readonly index: number
  readonly after: number
}

export class FileIndexBuilder {
  readonly tree: FlatTree
  readonly symbols: Writable<CodeSymbol>[] = []
  /** Nodes that a visit has marked for visits of later ones; the language knows what for. */
  readonly marked = new Set<number>()
  readonly #imports: CodeImport[] = []
  readonly #references: CodeReference[] = []
  /** Where the references stand; undefined where nothing that is local can be meant. */
  readonly #referring: (Scope | undefined)[] = []
  readonly #bindings: CodeBinding[] = []
  readonly #exports: { readonly name: string; readonly as: string; readonly line: number }[] = []
  readonly #taken: Uint8Array
  readonly #builtins: ReadonlySet<string>
  /** Names of the file: what it imports and defines at its top. */
  readonly #fileNames = new Set<string>()
  #namespace: string | null = null
  #scope: Scope = {
    outer: undefined,
    after: Number.POSITIVE_INFINITY,
    kind: 'file',
    isLocal: false,
    names: this.#fileNames,
  }
  #open: OpenSymbol | undefined
  #outerBranches = 0
  #isCut = false

  /** @param builtins names that the language itself defines: no references, unless the file defines them anew */
  constructor(tree: FlatTree, builtins: ReadonlySet<string> = new Set()) {
    this.tree = tree
    this.#builtins = builtins
    this.#taken = new Uint8Array(tree.count)
  }

  // — For the engine —

  /** Leaves what ended before this node. */
  moveTo(node: number): void {
    while (this.#scope.after <= node) this.#scope = this.#scope.outer!
    while (this.#open !== undefined && this.#open.after <= node) this.#open = this.#open.outer
  }

  openScope(node: number, kind: 'function' | 'block' | 'type'): void {
    const isLocal = this.#scope.isLocal || kind !== 'type'
    this.#scope = {
      outer: this.#scope,
      after: this.tree.subtreeEnd(node),
      kind,
      isLocal,
      names: undefined,
    }
  }

  /** Counts a way through the function around. */
  addBranch(): void {
    for (let open = this.#open; open !== undefined; open = open.outer) {
      const symbol = this.symbols[open.index]!
      if (symbol.complexity > 0) {
        symbol.complexity++
        return
      }
    }
    this.#outerBranches++
  }

  // — For the specs of languages —

  /** Says that a node has been dealt with: it is visited no more (what is inside of it is), and opens no scope. */
  consume(node: number): void {
    if (node !== none) this.#taken[node] = 1
  }

  isConsumed(node: number): boolean {
    return this.#taken[node] === 1
  }

  /** Whether what is defined here is local to a function. */
  get isLocal(): boolean {
    return this.#scope.isLocal
  }

  /** The symbol around; undefined for none. */
  get enclosingSymbol(): Readonly<CodeSymbol> | undefined {
    return this.#open && this.symbols[this.#open.index]
  }

  /** The symbol around, or the one around that, whose kind is a class or something like it. */
  get enclosingType(): number {
    let open = this.#open
    while (open !== undefined && !typeKinds.has(this.symbols[open.index]!.kind)) open = open.outer
    return open?.index ?? none
  }

  get namespace(): string | null {
    return this.#namespace
  }

  /** What the file says to be a part of; the first counts. */
  setNamespace(name: string): void {
    this.#namespace ??= name.slice(0, maxNameLength)
  }

  /** The text of a node that is a name; empty for what can't be one. */
  nameOf(node: number): string {
    if (node === none || this.tree.end(node) - this.tree.start(node) > maxNameLength) return ''
    const name = this.tree.textOf(node)
    return name.includes('\n') ? '' : name
  }

  /**
   * Records a definition that lasts for the node; inside of a function only its name, as local there.
   *
   * @returns its index, or `none` where it wasn't recorded
   */
  define(node: number, definition: SymbolDefinition): number {
    const name = this.#takeName(definition.name)
    if (name === '') return none
    if (this.#scope.isLocal) {
      addName(this.#scope, name)
      return none
    }
    if (this.symbols.length >= maxSymbols) {
      this.#isCut = true
      return none
    }
    // A namespace or module is no obstacle: what it holds is the file's.
    if (this.#open === undefined || this.enclosingSymbol?.kind === 'module')
      this.#fileNames.add(name)
    const from = definition.startNode ?? node
    if ((definition.extends?.length ?? 0) > maxBases) this.#isCut = true
    const isCalled = definition.kind === 'function' || definition.kind === 'method'
    this.symbols.push({
      name,
      kind: definition.kind,
      startLine: this.tree.lineOf(from),
      endLine: this.tree.endLineOf(node),
      within: this.#open?.index ?? none,
      owner: definition.owner ?? null,
      exported: definition.exported ?? false,
      signature: this.#readSignature(from, node, definition.bodyNode ?? none),
      complexity: isCalled ? 1 : 0,
      parameters: definition.parameters ?? null,
      extends: (definition.extends ?? [])
        .slice(0, maxBases)
        .filter(({ length }) => length > 0 && length <= maxNameLength),
    })
    const index = this.symbols.length - 1
    if (!definition.isLeaf)
      this.#open = { outer: this.#open, index, after: this.tree.subtreeEnd(node) }
    return index
  }

  /** Makes a name local to the scope around, or to the function around; at the top of the file it is the file's. */
  declare(name: number | string, toFunction = false): void {
    const text = this.#takeName(name)
    let scope = this.#scope
    while (toFunction && scope.kind !== 'function' && scope.outer !== undefined) scope = scope.outer
    if (text !== '') addName(scope, text)
  }

  /** Whether the file imports or defines that name at its top, as far as it has been read. */
  isFileScopeName(name: string): boolean {
    return this.#fileNames.has(name)
  }

  /** The type that a name was last bound to in the symbol around; empty for none. */
  typeOf(name: string): string {
    const within = this.#open?.index ?? none
    const oldest = Math.max(0, this.#bindings.length - 50)
    for (let index = this.#bindings.length - 1; index >= oldest; index--) {
      const binding = this.#bindings[index]!
      if (binding.name === name && binding.within === within) return binding.type
    }
    return ''
  }

  addImport(item: CodeImport): void {
    const names = item.names.slice(0, maxNamesPerImport)
    if (names.length < item.names.length) this.#isCut = true
    if (item.kind !== 'reexport')
      for (const { local } of names) if (local !== '') this.#fileNames.add(local)
    if (item.from === '' || item.from.length > 1_000 || item.from.includes('\n')) return
    if (this.#imports.length < maxImports) this.#imports.push({ ...item, names })
    else this.#isCut = true
  }

  /** Records that something is named. `value`s count only where the file imports or defines that name, or what qualifies it. */
  addReference(naming: NameReference): void {
    const name = this.#takeName(naming.name)
    if (name === '') return
    if (this.#references.length >= maxReferences) {
      this.#isCut = true
      return
    }
    const at = typeof naming.name === 'number' ? naming.name : naming.at!
    this.#references.push({
      name,
      qualifier: naming.qualifier?.slice(0, maxNameLength) ?? null,
      kind: naming.kind,
      line: this.tree.lineOf(at),
      within: this.#open?.index ?? none,
      arguments: naming.arguments ?? null,
    })
    this.#referring.push(naming.isNeverLocal ? undefined : this.#scope)
  }

  /** Records the type of a name: of the symbol around unless told otherwise. */
  addBinding(name: number | string, type: string, within = this.#open?.index ?? none): void {
    const text = typeof name === 'number' ? this.nameOf(name) : name
    if (text === '' || type === '' || type.length > maxNameLength || this.#builtins.has(type))
      return
    if (this.#bindings.length < maxBindings) this.#bindings.push({ name: text, type, within })
    else this.#isCut = true
  }

  /** Says that a name of the file is exported: what is defined under it, before or after, or passed on from an import. */
  exportName(name: string, as: string, line: number): void {
    if (this.#exports.length < maxImports) this.#exports.push({ name, as, line })
    else this.#isCut = true
  }

  /** All that was found. */
  finish(): FileIndex {
    this.#settleExports()
    for (const symbol of this.symbols)
      if (symbol.within !== none && !this.symbols[symbol.within]!.exported) symbol.exported = false
    const called = this.symbols.reduce((sum, { complexity }) => sum + complexity, 0)
    return {
      lines: this.tree.lines,
      complexity: 1 + this.#outerBranches + called,
      namespace: this.#namespace,
      symbols: this.symbols,
      imports: this.#imports,
      references: this.#keepReferences(),
      bindings: this.#bindings,
      incomplete: this.tree.hasErrors || this.#isCut,
    }
  }

  #settleExports(): void {
    if (this.#exports.length === 0) return
    const names = new Set(this.#exports.map(({ name }) => name))
    for (const symbol of this.symbols)
      if (symbol.within === none && names.has(symbol.name)) symbol.exported = true
    const sources = new Map(
      this.#imports.flatMap(({ from, names }) =>
        names.map(({ name, local }) => [local, { from, name }] as const),
      ),
    )
    for (const { name, as, line } of this.#exports) {
      const source = sources.get(name)
      if (source !== undefined)
        this.addImport({
          line,
          from: source.from,
          names: [{ name: source.name, local: as }],
          kind: 'reexport',
        })
    }
  }

  #takeName(name: number | string): string {
    if (typeof name === 'string') return name.length > maxNameLength ? '' : name
    this.consume(name)
    return this.nameOf(name)
  }

  #readSignature(from: number, node: number, body: number): string {
    const end = body === none ? this.tree.end(node) : this.tree.start(body)
    return this.tree.text
      .slice(this.tree.start(from), Math.min(end, this.tree.start(from) + 4 * maxSignatureLength))
      .replaceAll(/\s+/g, ' ')
      .replace(/ ?(=>?|:|\{)? ?$/, '')
      .trim()
      .slice(0, maxSignatureLength)
  }

  /** Without those to what is local, and without repetitions; by line. */
  #keepReferences(): CodeReference[] {
    const kept = this.#references.filter((reference, place) =>
      this.#isKept(reference, this.#referring[place]),
    )
    kept.sort((one, other) => one.line - other.line)
    const seen = new Set<string>()
    return kept.filter(({ line, kind, qualifier, name }, place) => {
      if (kept[place - 1]?.line !== line) {
        seen.clear()
        // Most stand alone on their line.
        if (kept[place + 1]?.line !== line) return true
      }
      const count = seen.size
      return seen.add(`${kind} ${qualifier ?? ''} ${name}`).size > count
    })
  }

  #isKept({ name, qualifier, kind }: CodeReference, scope: Scope | undefined): boolean {
    const first = kind === 'value' ? (qualifier ?? name) : name
    if (kind === 'value' && !this.#fileNames.has(first)) return false
    if (qualifier === null && this.#builtins.has(name) && !this.#fileNames.has(name)) return false
    return !(scope && (qualifier === null || kind === 'value') && isLocalName(scope, first))
  }
}

const typeKinds: ReadonlySet<string> = new Set(['class', 'interface', 'enum', 'type', 'module'])

function addName(scope: Scope, name: string): void {
  scope.names ??= new Set()
  scope.names.add(name)
}

/** Asked when all names are known: scopes without any are passed by from then on, however deep they lie in each other. */
function isLocalName(from: Scope, name: string): boolean {
  for (let scope: Scope = from; scope.outer !== undefined; scope = scope.outer) {
    if (scope.names?.has(name)) return true
    while (scope.outer.outer !== undefined && scope.outer.names === undefined)
      scope.outer = scope.outer.outer
  }
  return false
}
