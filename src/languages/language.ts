// Defines what Umpire knows about a language. Each has a folder, and index.ts lists them.
import type { CallingConvention } from './common/calling-convention.ts'
import type { CommentStyle } from './common/comment-style.ts'
import type { Dialect } from './common/dialect.ts'
import type { FileTree } from './common/file-tree.ts'
import type { ImportConfig } from './common/import-config.ts'
import type { IndexSpec } from './common/index-spec.ts'
import type { ManifestFile } from './common/manifest-file.ts'
import type { ResolveImport } from './common/resolved-import.ts'
import type { LanguageRules } from './rules/language-rules.ts'

/**
 * A language. What the command line needs for every file is here. What is needed to read files is
 * loaded by functions, because most files of a language are read in other threads.
 */
export interface Language {
  /** Its names in GitHub's linguist. Documents use the first one. */
  readonly names: readonly string[]
  readonly family: LanguageFamily
  readonly grammars: readonly Grammar[]
  /** Extensions of files that no grammar reads. Their imports and names are resolved. */
  readonly unparsed?: readonly string[]
  /** Extensions of files that declare what other files define. */
  readonly headers?: readonly string[]
  /** Extensions of pages that contain scripts in this language. */
  readonly pages?: readonly string[]
  readonly comments: CommentStyle
  /** Whether test files are named like classes: `CartTest.java`. */
  readonly namesTestsLikeClasses?: true
  /** How definitions, imports and references are read from syntax trees. */
  readonly loadIndexSpec: () => Promise<IndexSpec>
  /** How calls must fit parameters; without it, calls aren't checked. */
  readonly loadCalls?: () => Promise<CallingConvention>
  /** Loads what it checks for the rules of the static reviewer. */
  readonly loadRules?: () => Promise<LanguageRules>
  /** How the attention check writes a file with a defect; without it, it writes settings. */
  readonly loadDialect?: (path: string) => Promise<Dialect>
}

/** A tree-sitter grammar, compiled to WebAssembly. */
export interface Grammar {
  /** Must stay stable: it is stored with the index of each file. */
  readonly name: string
  /** The file of the grammar, if it isn't in `@vscode/tree-sitter-wasm` by its name. */
  readonly file?: URL
  readonly extensions: readonly string[]
  /** Extensions of the files that syntax rules check; none if there are no rules. */
  readonly checked?: readonly string[]
  /**
   * Extensions of the files that rules search for known dangers only. They don't count as read by
   * rules: docs/decisions/2026-11-26-searched-languages.md says why.
   */
  readonly searched?: readonly string[]
  /** What a statement needs before and behind it, to be parsed without the rest of a file. */
  readonly statementFrame?: readonly [string, string]
}

/** Languages whose files can use each other's definitions, and how their names are resolved. */
export interface LanguageFamily {
  readonly id: string
  /** Resolves imports to files by paths and manifests. Without it, they name namespaces only. */
  readonly loadImports?: () => Promise<CreateImports>
  /** The manifests that imports depend on. */
  readonly manifests?: {
    readonly filename: RegExp
    readonly loadReader: () => Promise<ManifestReader>
  }
  /** Where names are searched that the file neither defines nor imports, in this order. */
  readonly scopes: readonly ScopeName[]
  /**
   * Other files can import only what a file exports. In other families they can also import what
   * the file imports itself, and single members.
   */
  readonly hasExports?: true
  /** Other files can import every name at the top level of a file, also those of variables. */
  readonly exportsAll?: true
  /** Files often re-export names of others. */
  readonly reexportsOften?: true
  /** Whether an import names the standard library or another package in any repository. */
  readonly isLibraryImport?: (from: string) => boolean
  /** An import without names binds a module instead of a definition. */
  readonly importsModules?: true
  /** Every import makes all definitions of its target visible. */
  readonly importsEverything?: true
  /** An imported name without a file is declared by an included file instead of a library. */
  readonly declaresInIncludes?: true
  /** An import may name a namespace that files declare, or only a member of one. */
  readonly importsNamespaces?: 'whole' | 'members'
  /**
   * Only the files of one folder share a namespace: many packages of Go are named `main`. Files
   * with the ending are visible only to each other.
   */
  readonly folderPackages?: { readonly testEnding: string }
  /** A package exports its submodules. */
  readonly submodules?: ModuleNames
  /** A file can use its child modules without an import. */
  readonly childModules?: ModuleNames
  /** Returns the name of the file that is loaded when a constant is first used. */
  readonly fileOfConstant?: (name: string) => string
  /** Members can be used without `this`. */
  readonly hasImplicitThis?: true
  /** A call without a receiver may call a method of any type. */
  readonly omitsReceivers?: true
  /** Modules have methods, as types do. */
  readonly modulesHaveMethods?: true
  /** Each part of a type can name base types, also in other files. */
  readonly typesHaveParts?: true
  /** Members can be defined outside of their type, also in other files. */
  readonly definesMembersOutside?: true
  /** Functions that extend a type are imported by their own names. */
  readonly importsExtensions?: true
  /** A capitalized qualifier is the name of a type. */
  readonly capitalizesTypes?: true
}

/** @param config is read from the manifests of the repository */
type CreateImports = (tree: FileTree, config: ImportConfig) => ResolveImport

export interface ManifestReader {
  /** Manifests that can extend others, and the paths of those that one extends. */
  readonly extending?: {
    readonly filename: RegExp
    list(manifest: ManifestFile): readonly string[]
  }
  /** Reads what imports are resolved with. Invalid manifests are skipped. */
  read(manifests: readonly ManifestFile[], extended: readonly ManifestFile[]): Partial<ImportConfig>
}

/** See `knowledge/resolution/shared-scopes.ts`. */
export type ScopeName =
  | 'constants'
  | 'includes'
  | 'own namespace'
  | 'package'
  | 'unique symbols'
  | 'unique types'
  | 'used namespaces'
  | 'wildcard imports'

/** Modules that are files. */
interface ModuleNames {
  isModule(path: string, name: string): boolean
  /** Writes the import with which a file would import its module; undefined if it has none. */
  importOf(path: string, name: string): ModuleImport | undefined
}

interface ModuleImport {
  readonly from: string
  readonly names: readonly { readonly name: string; readonly local: string }[]
}
