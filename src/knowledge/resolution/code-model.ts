// The types that references are resolved with: symbol locations, resolved names, files and views.
import type { CodeBinding, FileIndex } from '../../languages/code-index.ts'
import type { ResolvedImport } from '../../languages/common/resolved-import.ts'
import type { LanguageFamily } from '../../languages/language.ts'
import type { ImportResolver } from './import-resolver.ts'

export interface SymbolLocation {
  readonly path: string
  /** Index into the symbols of the file's index entry. */
  readonly ordinal: number
}

/** The definitions that a name refers to at the location of its use. */
export type ResolvedName =
  | {
      readonly kind: 'symbols'
      readonly locations: readonly SymbolLocation[]
      readonly confidence: number
    }
  /** A module or package, whose definitions are used as `name.member`. */
  | { readonly kind: 'modules'; readonly paths: readonly string[]; readonly confidence: number }
  /** The definition is outside of the repository. */
  | { readonly kind: 'outside' }

/** An imported name, with the import that binds it. */
export interface ImportedName {
  /** Index into the file's imports. */
  readonly importIndex: number
  /** The name that the imported file defines. */
  readonly name: string
}

/** A file's index entry, extended by lookup tables. */
export interface CodeFile {
  readonly path: string
  readonly folder: string
  readonly family: LanguageFamily
  readonly isTest: boolean
  readonly fileIndex: FileIndex
  /** Finds the ordinals of the symbols with this name. */
  symbolsNamed(name: string): readonly number[]
  /** Finds the origin of a name that an import binds. */
  importedName(name: string): ImportedName | undefined
  /** Finds the origin of a re-exported name: of `b` in `export { a as b } from`. */
  reexportedName(name: string): ImportedName | undefined
  /** Indexes of the imports that bind or re-export all names of their targets. */
  readonly wildcardImports: readonly number[]
  resolveImport(index: number): ResolvedImport
  /** Returns all directly and indirectly included files. */
  includedFiles(): ReadonlySet<string>
  /** Returns the bindings of a name to types. */
  bindings(name: string): readonly CodeBinding[]
  /**
   * Checks whether the file contains the call that the binding's type names, `shop.createCart()`.
   * Without one, a local definition has that name.
   */
  isCallOf(binding: CodeBinding): boolean
  /**
   * Returns the qualifier of a type name within a symbol: `cart` of `cart.Cart`.
   * Null if there is none, or if it differs between uses.
   */
  typeQualifier(name: string, within: number): string | null
  /** Finds the ordinal of the type or module that contains a symbol, or is it; -1 for none. */
  enclosingType(ordinal: number): number
  /** Cached members by `<ordinal>.<name>`. */
  readonly resolvedMembers: Map<string, readonly SymbolLocation[]>
  /** Cached type names that have a qualifier. */
  readonly resolvedTypes: Map<string, ResolvedName | undefined>
  /** Cached names without a qualifier. */
  readonly resolvedNames: Map<string, ResolvedName | undefined>
}

/** The data of a view. It may contain the index entries of some files only. */
export interface CodeSource {
  fileIndex(path: string): FileIndex | undefined
  /** Returns all symbols with a name, also those of files whose index entry isn't loaded. */
  definitionsOf(name: string): readonly SymbolLocation[]
  /** Returns the files that declare a namespace; in Go, only those in the folder of `near`. */
  filesInNamespace(namespace: string, near: string): readonly string[]
}

/** Caches its results, so that the source must not change. */
export interface CodeView extends CodeSource {
  readonly imports: ImportResolver
  /** Returns undefined if the file's index entry isn't loaded. */
  file(path: string): CodeFile | undefined
  /**
   * Resolves an unqualified name.
   *
   * @param within the symbol that contains the use; -1 for the top level of the file
   */
  resolveName(file: CodeFile, name: string, within: number): ResolvedName | undefined
  /** Resolves a type name with the qualifier that it has within the symbol. */
  resolveTypeName(file: CodeFile, name: string, within: number): ResolvedName | undefined
  /** Finds the symbols with a name in the loaded files of one language family. */
  definitionsIn(family: LanguageFamily, name: string): readonly SymbolLocation[]
}
