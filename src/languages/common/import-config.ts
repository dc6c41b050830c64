// The settings of a repository that imports are resolved with, stored as JSON with the code graph.

/** Paths are relative to the root of the tree, which is `''`, and don't end with a slash. */
export interface ImportConfig {
  /** Submodules and symbolic links, whose files aren't in the tree. */
  readonly closed: readonly string[]
  /** Contains the globs of each `.gitignore` that exclude files, without negations. */
  readonly ignored: readonly { readonly folder: string; readonly globs: readonly string[] }[]
  readonly scriptConfigs: readonly ScriptConfig[]
  /** Extended configurations that can't be recognized by their names. */
  readonly extended: readonly string[]
  readonly scriptPackages: readonly ScriptPackage[]
  readonly goModules: readonly GoModule[]
  /** Root folders of Python packages according to manifests. */
  readonly pythonRoots: readonly string[]
  readonly phpPrefixes: readonly PhpPrefix[]
  readonly rustCrates: readonly RustCrate[]
}

/** A pattern with at most one `*`; the first existing target is used. */
export type PathPattern = readonly [pattern: string, targets: readonly string[]]

/** A tsconfig or jsconfig file, merged with the files that it extends. */
export interface ScriptConfig {
  readonly folder: string
  readonly baseUrl: string | null
  readonly paths: readonly PathPattern[]
}

export interface ScriptPackage {
  readonly folder: string
  readonly name: string
  /** Is true for packages of a workspace and for the root package. */
  readonly isMember: boolean
  /** Contains the values of `main` and similar fields. */
  readonly entries: readonly string[]
  /** Maps subpaths (`.`, `./part`) to the targets of all conditions, sources first. */
  readonly exports: readonly PathPattern[]
  /** Maps `#part` to the targets of all conditions, sources first. */
  readonly imports: readonly PathPattern[]
}

export interface GoModule {
  readonly folder: string
  readonly path: string
  /** Contains the `replace` directives that have local targets. */
  readonly replaced: readonly (readonly [path: string, folder: string])[]
}

/** An autoload rule of Composer. Under PSR-0 the whole class name is part of the path. */
export interface PhpPrefix {
  readonly prefix: string
  readonly folders: readonly string[]
  readonly isPsr0: boolean
}

export interface RustCrate {
  readonly folder: string
  /** Contains underscores instead of hyphens, as in code. */
  readonly name: string
  /** Contains the path in `[lib]`, or null if the default applies. */
  readonly library: string | null
  /** Renamed dependencies. */
  readonly aliases: readonly (readonly [alias: string, name: string])[]
}

/** The configuration of a repository without manifests. */
export const emptyImportConfig: ImportConfig = {
  closed: [],
  ignored: [],
  scriptConfigs: [],
  extended: [],
  scriptPackages: [],
  goModules: [],
  pythonRoots: [],
  phpPrefixes: [],
  rustCrates: [],
}
