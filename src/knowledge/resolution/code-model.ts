// What references are resolved against: places of symbols, what names mean, files with indices, views over many files.
import type { CodeBinding, FileIndex } from '../../code/code-index.ts'
import type { ImportResolver } from './imports/import-resolver.ts'
import type { ResolvedImport } from './imports/resolved-import.ts'
import type { LanguageFamily } from './language-families.ts'

/** A symbol by its file and its index there. */
export interface SymbolLocation {
  readonly path: string
  readonly ordinal: number
}

/** What a name stands for where it is used. */
export type ResolvedName =
  | {
      readonly kind: 'symbols'
      readonly places: readonly SymbolLocation[]
      readonly confidence: number
    }
  /** A module or package as a whole: what it defines is behind its name. */
  | { readonly kind: 'modules'; readonly paths: readonly string[]; readonly confidence: number }
  /** Something that isn't part of the repository. */
  | { readonly kind: 'outside' }

/** A name that an import binds, and what it is called where it comes from. */
export interface ImportedName {
  /** Index into the file's imports. */
  readonly importIndex: number
  readonly name: string
}

/** One file's facts with indices over them. */
export interface CodeFile {
  readonly path: string
  readonly folder: string
  readonly family: LanguageFamily
  readonly isTest: boolean
  readonly fileIndex: FileIndex
  /** Indexes of the symbols with a name. */
  symbolsNamed(name: string): readonly number[]
  /** What an import binds a name to. */
  importedName(name: string): ImportedName | undefined
  /** The imports that pass on names under this one: `export { a as b } from`. */
  reexportedName(name: string): ImportedName | undefined
  /** Indexes of the imports that bind or pass on all names of what they lead to. */
  readonly wildcardImports: readonly number[]
  resolveImport(index: number): ResolvedImport
  /** All files that come with those that it includes. */
  includedFiles(): ReadonlySet<string>
  /** The types that the file gives to a name. */
  bindings(name: string): readonly CodeBinding[]
  /** Whether it is what the binding's type names that is called there, `shop.createCart()`, and nothing local of that name. */
  isCallOf(binding: CodeBinding): boolean
  /**
   * What stands before the name of a type where a symbol names it (`cart` of `cart.Cart`); null for nothing, or for now this
   * and now that.
   */
  typeQualifier(name: string, within: number): string | null
  /** The symbol of a type, a module or something like it around a symbol, or that symbol itself; -1 for none. */
  enclosingType(ordinal: number): number
  /** What was found out about members (`<ordinal>.<name>`), about names, and about types with something before them. */
  readonly resolvedMembers: Map<string, readonly SymbolLocation[]>
  readonly resolvedTypes: Map<string, ResolvedName | undefined>
  readonly resolvedNames: Map<string, ResolvedName | undefined>
}

/** What a view is made of. It may know the facts of some files only, and definers of some names. */
export interface CodeSource {
  fileIndex(path: string): FileIndex | undefined
  /** All symbols with a name. Facts of their files need not be there. */
  definitionsOf(name: string): readonly SymbolLocation[]
  /** The files that say to be part of a namespace; `near` is the file that asks. */
  filesInNamespace(namespace: string, near: string): readonly string[]
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
  resolveName(file: CodeFile, name: string, within: number): ResolvedName | undefined
  /** The same of the name of a type, with what stands before it there. */
  resolveTypeName(file: CodeFile, name: string, within: number): ResolvedName | undefined
  /** The symbols of a name in one family of languages whose files' facts are there. */
  definitionsIn(family: LanguageFamily, name: string): readonly SymbolLocation[]
}
