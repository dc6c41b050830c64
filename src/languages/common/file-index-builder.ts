// Collects the definitions, imports, references and bindings of one file.
import type {
  CodeBinding,
  CodeImport,
  CodeReference,
  CodeSymbol,
  FileIndex,
} from '../code-index.ts'
import { type FlatTree, none } from './flat-tree.ts'

// Files written by people stay below these limits. Longer lists are cut.
const maxSymbols = 5_000
const maxImports = 5_000
const maxReferences = 50_000
const maxBindings = 20_000
const maxNamesPerImport = 1_000
const maxBases = 50
const maxNameLength = 200
const maxSignatureLength = 300
const maxSourceLength = 1_000
/** The number of bindings that `typeOf` searches. */
const maxRecentBindings = 50

type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] }

interface SymbolDefinition {
  /** The node that contains the name, or the name; by default the field `name`. */
  readonly name?: number | string
  readonly kind: CodeSymbol['kind']
  /**
   * The signature ends before this node, which is the field `body` by default. Without it, the
   * signature ends with the definition.
   */
  readonly bodyNode?: number
  /** The signature and the lines start at this node if it isn't the definition (`export`). */
  readonly startNode?: number
  readonly exported?: boolean
  /** The symbol contains no others: later definitions belong to its enclosing symbol. */
  readonly isLeaf?: boolean
  readonly owner?: string | null
  readonly extends?: readonly string[]
  readonly parameters?: CodeSymbol['parameters']
  /** The type that a function returns; empty if unknown. It is bound to `()`. */
  readonly returns?: string
}

/** What a language says about a definition, unless its visit says something else. */
export interface DefinitionDefaults {
  /** Whether other files can name it; false without the function. */
  readonly isExported?: (builder: FileIndexBuilder, node: number, name: string) => boolean
  /** Returns the node with which its signature starts: after annotations. */
  readonly findStart?: (tree: FlatTree, node: number) => number
}

interface NameReference {
  readonly kind: CodeReference['kind']
  /** The node that contains the name, or the name, which then needs `at` for its line. */
  readonly name: number | string
  readonly at?: number
  readonly qualifier?: string | null
  /** The number of arguments of a call; null if one is spread. */
  readonly argumentCount?: number | null
  /** A local variable of that name is something else, as in C's `struct cart *cart`. */
  readonly isNeverLocal?: boolean
}

interface Scope {
  outer: Scope | undefined
  readonly after: number
  readonly kind: 'file' | 'function' | 'block' | 'type'
  /** Whether other code can't name its definitions. */
  readonly isLocal: boolean
  /** Undefined if there are none, to save memory. */
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
  /** Nodes that a visit marks for later visits. The meaning depends on the language. */
  readonly marked = new Set<number>()
  readonly #imports: CodeImport[] = []
  readonly #references: CodeReference[] = []
  /** The scope of each reference; undefined for those that can't mean a local name. */
  readonly #referenceScopes: (Scope | undefined)[] = []
  readonly #bindings: CodeBinding[] = []
  readonly #exports: { readonly name: string; readonly as: string; readonly line: number }[] = []
  readonly #consumed: Uint8Array
  readonly #builtins: ReadonlySet<string>
  readonly #defaults: DefinitionDefaults
  /** The names that the file imports, or defines at its top level. */
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

  /** @param builtins names of the language: references only if the file defines them itself */
  constructor(tree: FlatTree, builtins: ReadonlySet<string>, defaults: DefinitionDefaults) {
    this.tree = tree
    this.#builtins = builtins
    this.#defaults = defaults
    this.#consumed = new Uint8Array(tree.count)
  }

  /** Closes the scopes and symbols that end before this node. */
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

  /** Adds one to the complexity of the enclosing function, or of the file. */
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

  /**
   * Marks a node as processed. It isn't visited later and opens no scope; its descendants are still
   * visited.
   */
  consume(node: number): void {
    if (node !== none) this.#consumed[node] = 1
  }

  isConsumed(node: number): boolean {
    return this.#consumed[node] === 1
  }

  /** Whether a definition here is local to a function. */
  get isLocal(): boolean {
    return this.#scope.isLocal
  }

  get enclosingSymbol(): Readonly<CodeSymbol> | undefined {
    return this.#open && this.symbols[this.#open.index]
  }

  /** The index of the innermost enclosing class, interface, enum, type or module, or `none`. */
  get enclosingType(): number {
    let open = this.#open
    while (open !== undefined && !typeKinds.has(this.symbols[open.index]!.kind)) open = open.outer
    return open?.index ?? none
  }

  get namespace(): string | null {
    return this.#namespace
  }

  /** Sets the namespace of the file; only the first call has an effect. */
  setNamespace(name: string): void {
    this.#namespace ??= name.slice(0, maxNameLength)
  }

  /** Returns the text of a name's node; empty if it is too long or has several lines. */
  nameOf(node: number): string {
    if (node === none || this.tree.end(node) - this.tree.start(node) > maxNameLength) return ''
    const name = this.tree.textOf(node)
    return name.includes('\n') ? '' : name
  }

  /**
   * Records a definition, which contains the definitions inside of the node. Inside of a function
   * only its name is recorded, as a local name.
   *
   * @returns the index of the symbol, or `none` if there is no symbol
   */
  define(node: number, definition: SymbolDefinition): number {
    const name = this.#consumeName(definition.name ?? this.tree.field(node, 'name'))
    if (name === '') return none
    if (this.#scope.isLocal) {
      addName(this.#scope, name)
      return none
    }
    if (this.symbols.length >= maxSymbols) {
      this.#isCut = true
      return none
    }
    // The names in a namespace or module also count as names of the file.
    const isTopLevel = this.#open === undefined || this.enclosingSymbol?.kind === 'module'
    if (isTopLevel) this.#fileNames.add(name)
    this.symbols.push(this.#createSymbol(node, name, definition))
    const index = this.symbols.length - 1
    if (!definition.isLeaf)
      this.#open = { outer: this.#open, index, after: this.tree.subtreeEnd(node) }
    this.addBinding('()', definition.returns ?? '', index)
    return index
  }

  #createSymbol(node: number, name: string, definition: SymbolDefinition): CodeSymbol {
    const { kind, owner = null, parameters = null } = definition
    const startNode = definition.startNode ?? this.#findStart(node)
    return {
      name,
      kind,
      startLine: this.tree.lineOf(startNode),
      endLine: this.tree.endLineOf(node),
      within: this.#open?.index ?? none,
      owner,
      exported: definition.exported ?? this.#isExported(node, name),
      signature: this.#readSignature(
        startNode,
        node,
        definition.bodyNode ?? this.tree.field(node, 'body'),
      ),
      complexity: kind === 'function' || kind === 'method' ? 1 : 0,
      parameters,
      extends: this.#limitBases(definition.extends ?? []),
    }
  }

  #findStart(node: number): number {
    return this.#defaults.findStart?.(this.tree, node) ?? node
  }

  #isExported(node: number, name: string): boolean {
    return this.#defaults.isExported?.(this, node, name) ?? false
  }

  #limitBases(bases: readonly string[]): string[] {
    if (bases.length > maxBases) this.#isCut = true
    return bases.slice(0, maxBases).filter(({ length }) => length > 0 && length <= maxNameLength)
  }

  /** Adds a name to the enclosing scope, or to that of the enclosing function or file. */
  declare(name: number | string, toFunction = false): void {
    const text = this.#consumeName(name)
    let scope = this.#scope
    while (toFunction && scope.kind !== 'function' && scope.outer !== undefined) scope = scope.outer
    if (text !== '') addName(scope, text)
  }

  /** Whether the part of the file before this node imports or defines that name. */
  isFileScopeName(name: string): boolean {
    return this.#fileNames.has(name)
  }

  /** Returns the type of the name's last binding in the enclosing symbol; empty if unknown. */
  typeOf(name: string): string {
    const within = this.#open?.index ?? none
    const first = Math.max(0, this.#bindings.length - maxRecentBindings)
    for (let index = this.#bindings.length - 1; index >= first; index--) {
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
    const isSource =
      item.from !== '' && item.from.length <= maxSourceLength && !item.from.includes('\n')
    if (!isSource) return
    if (this.#imports.length < maxImports) this.#imports.push({ ...item, names })
    else this.#isCut = true
  }

  /**
   * Records a reference. A `value` is dropped at the end unless the file imports or defines its
   * qualifier, or its name if it has none.
   */
  addReference(reference: NameReference): void {
    const name = this.#consumeName(reference.name)
    if (name === '') return
    if (this.#references.length >= maxReferences) {
      this.#isCut = true
      return
    }
    const at = typeof reference.name === 'number' ? reference.name : reference.at!
    this.#references.push({
      name,
      qualifier: reference.qualifier?.slice(0, maxNameLength) ?? null,
      kind: reference.kind,
      line: this.tree.lineOf(at),
      within: this.#open?.index ?? none,
      arguments: reference.argumentCount ?? null,
    })
    this.#referenceScopes.push(reference.isNeverLocal ? undefined : this.#scope)
  }

  /** Records the type of a name in a symbol, by default in the enclosing one. */
  addBinding(name: number | string, type: string, within = this.#open?.index ?? none): void {
    const text = typeof name === 'number' ? this.nameOf(name) : name
    if (text === '' || type === '' || type.length > maxNameLength || this.#builtins.has(type))
      return
    if (this.#bindings.length < maxBindings) this.#bindings.push({ name: text, type, within })
    else this.#isCut = true
  }

  /** Exports a name that the file defines, before or after this call, or imports. */
  exportName(name: string, as: string, line: number): void {
    if (this.#exports.length < maxImports) this.#exports.push({ name, as, line })
    else this.#isCut = true
  }

  /** Returns the finished index. */
  finish(): FileIndex {
    this.#applyExports()
    for (const symbol of this.symbols)
      if (symbol.within !== none && !this.symbols[symbol.within]!.exported) symbol.exported = false
    const callableComplexity = this.symbols.reduce((sum, { complexity }) => sum + complexity, 0)
    return {
      lines: this.tree.lines,
      complexity: 1 + this.#outerBranches + callableComplexity,
      namespace: this.#namespace,
      symbols: this.symbols,
      imports: this.#imports,
      references: this.#selectReferences(),
      bindings: this.#bindings,
      incomplete: this.tree.hasErrors || this.#isCut,
    }
  }

  #applyExports(): void {
    if (this.#exports.length === 0) return
    const ownNames = new Set(
      this.#exports
        .filter(({ name, as }) => as === name || as === 'default')
        .map(({ name }) => name),
    )
    const topLevel = this.symbols.filter(({ within }) => within === none)
    for (const symbol of topLevel) if (ownNames.has(symbol.name)) symbol.exported = true
    const names = new Set(topLevel.filter((symbol) => symbol.exported).map(({ name }) => name))
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
      else if (as !== 'default' && !names.has(as)) this.#defineAlias(name, as, line)
    }
  }

  /** Defines the other name of `export { name as other }`. */
  #defineAlias(name: string, as: string, line: number): void {
    if (as === '' || as.length > maxNameLength || this.symbols.length >= maxSymbols) return
    this.symbols.push({
      name: as,
      kind: 'value',
      exported: true,
      signature: `${name} as ${as}`,
      startLine: line,
      endLine: line,
      within: none,
      owner: null,
      complexity: 0,
      parameters: null,
      extends: [],
    })
  }

  #consumeName(name: number | string): string {
    if (typeof name === 'string') return name.length > maxNameLength ? '' : name
    this.consume(name)
    return this.nameOf(name)
  }

  #readSignature(startNode: number, node: number, bodyNode: number): string {
    const start = this.tree.start(startNode)
    const end = bodyNode === none ? this.tree.end(node) : this.tree.start(bodyNode)
    // The limit is generous because whitespace is removed later.
    const limit = start + 4 * maxSignatureLength
    return this.tree.text
      .slice(start, Math.min(end, limit))
      .replaceAll(/\s+/g, ' ')
      .replace(/ ?(=>?|:|\{)? ?$/, '')
      .trim()
      .slice(0, maxSignatureLength)
  }

  /** Sorts references by line, and drops repetitions and references to local names. */
  #selectReferences(): CodeReference[] {
    const references = this.#references.filter((reference, index) =>
      this.#isRelevant(reference, this.#referenceScopes[index]),
    )
    references.sort((one, other) => one.line - other.line)
    const seenOnLine = new Set<string>()
    return references.filter(({ line, kind, qualifier, name }, index) => {
      if (references[index - 1]?.line !== line) {
        seenOnLine.clear()
        // Most references are alone on their line, so building their key would be wasted time.
        if (references[index + 1]?.line !== line) return true
      }
      const key = `${kind} ${qualifier ?? ''} ${name}`
      if (seenOnLine.has(key)) return false
      seenOnLine.add(key)
      return true
    })
  }

  #isRelevant({ name, qualifier, kind }: CodeReference, scope: Scope | undefined): boolean {
    const isValue = kind === 'value'
    const firstName = isValue ? (qualifier ?? name) : name
    if (isValue && !this.#fileNames.has(firstName)) return false
    if (qualifier === null && this.#builtins.has(name) && !this.#fileNames.has(name)) return false
    const canBeLocal = scope !== undefined && (qualifier === null || isValue)
    return !canBeLocal || !isLocalName(scope, firstName)
  }
}

const typeKinds: ReadonlySet<string> = new Set(['class', 'interface', 'enum', 'type', 'module'])

function addName(scope: Scope, name: string): void {
  scope.names ??= new Set()
  scope.names.add(name)
}

/**
 * Whether a scope or an outer one, except the file, has that name. Must be called after all names
 * are added: it unlinks scopes without names, so that deep nesting is searched only once.
 */
function isLocalName(from: Scope, name: string): boolean {
  for (let scope: Scope = from; scope.outer !== undefined; scope = scope.outer) {
    if (scope.names?.has(name)) return true
    while (scope.outer.outer !== undefined && scope.outer.names === undefined)
      scope.outer = scope.outer.outer
  }
  return false
}
