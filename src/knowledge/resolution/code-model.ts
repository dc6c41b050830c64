// What references are resolved against: places of symbols, what names mean, files with indices, views over many files.
import type { CodeBinding, CodeFacts } from '../../workspace/code-facts.ts'
import type { Family } from './families.ts'
import type { ImportResolver } from './imports/import-resolver.ts'
import type { ResolvedImport } from './imports/resolved-import.ts'

/** A symbol by its file and its index there. */
export interface SymbolPlace {
  readonly path: string
  readonly ordinal: number
}

/** What a name stands for where it is used. */
export type Meaning =
  | {
      readonly kind: 'symbols'
      readonly places: readonly SymbolPlace[]
      readonly confidence: number
    }
  /** A module or package as a whole: what it defines is behind its name. */
  | { readonly kind: 'modules'; readonly paths: readonly string[]; readonly confidence: number }
  /** Something that isn't part of the repository. */
  | { readonly kind: 'outside' }

/** A name that an import binds, and what it is called where it comes from. */
export interface BoundName {
  /** Index into the file's imports. */
  readonly index: number
  readonly name: string
}

/** One file's facts with indices over them. */
export interface CodeFile {
  readonly path: string
  readonly folder: string
  readonly family: Family
  readonly isTest: boolean
  readonly facts: CodeFacts
  /** Indexes of the symbols with a name. */
  named(name: string): readonly number[]
  /** What an import binds a name to. */
  bound(name: string): BoundName | undefined
  /** The imports that pass on names under this one: `export { a as b } from`. */
  passed(name: string): BoundName | undefined
  /** Indexes of the imports that bind or pass on all names of what they lead to. */
  readonly wholes: readonly number[]
  imported(index: number): ResolvedImport
  /** All files that come with those that it includes. */
  included(): ReadonlySet<string>
  /** The types that the file gives to a name. */
  bindings(name: string): readonly CodeBinding[]
  /** Whether it is what the binding's type names that is called there, `shop.createCart()`, and nothing local of that name. */
  calls(binding: CodeBinding): boolean
  /**
   * What stands before the name of a type where a symbol names it (`cart` of `cart.Cart`); null for nothing, or for now this
   * and now that.
   */
  typeQualifier(name: string, within: number): string | null
  /** The symbol of a type, a module or something like it around a symbol, or that symbol itself; -1 for none. */
  typeAround(ordinal: number): number
  /** What was found out about members (`<ordinal>.<name>`), about names, and about types with something before them. */
  readonly members: Map<string, readonly SymbolPlace[]>
  readonly types: Map<string, Meaning | undefined>
  readonly meanings: Map<string, Meaning | undefined>
}

/** What a view is made of. It may know the facts of some files only, and definers of some names. */
export interface CodeSource {
  facts(path: string): CodeFacts | undefined
  /** All symbols with a name. Facts of their files need not be there. */
  definers(name: string): readonly SymbolPlace[]
  /** The files that say to be part of a namespace; `near` is the file that asks. */
  filesOf(namespace: string, near: string): readonly string[]
}

/** Made by `createCodeView` or `openCodeView`: it keeps what it has found out, so its source mustn't change. */
export interface CodeView extends CodeSource {
  readonly imports: ImportResolver
  /** The file with indices over its facts; undefined where its facts aren't there. */
  file(path: string): CodeFile | undefined
  /**
   * What a name without anything before it means where it stands in the file.
   *
   * @param within the symbol that it is used in; -1 for the top of the file
   */
  meaningOf(file: CodeFile, name: string, within: number): Meaning | undefined
  /** The same of the name of a type, with what stands before it there. */
  typeNamed(file: CodeFile, name: string, within: number): Meaning | undefined
  /** The symbols of a name in one family of languages whose files' facts are there. */
  definersIn(family: Family, name: string): readonly SymbolPlace[]
}
