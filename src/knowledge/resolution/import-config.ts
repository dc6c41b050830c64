// What the manifests of a repository say about where its imports lead. Plain data: it is kept as JSON beside the graph.

/** All folders and paths are from the root of the tree, without a slash at either end; the root itself is `''`. */
export interface ImportConfig {
  /** Submodules and symbolic links: what lies below them isn't in the tree. */
  readonly closed: readonly string[]
  /** What each `.gitignore` keeps out of the tree, negations left out: there may be files that the tree doesn't show. */
  readonly ignored: readonly { readonly folder: string; readonly globs: readonly string[] }[]
  readonly scriptConfigs: readonly ScriptConfig[]
  /** Files that configurations extend, whose names don't tell what they are. */
  readonly extended: readonly string[]
  readonly scriptPackages: readonly ScriptPackage[]
  readonly goModules: readonly GoModule[]
  /** Folders that manifests name as roots of Python's packages. */
  readonly pythonRoots: readonly string[]
  readonly phpPrefixes: readonly PhpPrefix[]
  readonly rustCrates: readonly RustCrate[]
}

/** A pattern with at most one `*`, and where it leads: the first that exists counts. */
export type PathPattern = readonly [pattern: string, targets: readonly string[]]

/** A tsconfig or jsconfig file with all that it extends. */
export interface ScriptConfig {
  readonly folder: string
  readonly baseUrl: string | null
  readonly paths: readonly PathPattern[]
}

/** A package.json. */
export interface ScriptPackage {
  readonly folder: string
  readonly name: string
  /** It is one of a workspace's packages, or at the root. */
  readonly isMember: boolean
  /** What `main` and its relatives name. */
  readonly entries: readonly string[]
  /** By subpath (`.`, `./part`), the targets of all conditions, sources and types first. Targets are from the tree's root. */
  readonly exports: readonly PathPattern[]
  /** The same of `#part`. */
  readonly imports: readonly PathPattern[]
}

export interface GoModule {
  readonly folder: string
  /** Its import path. */
  readonly path: string
  /** Import paths that it replaces by folders. */
  readonly replaced: readonly (readonly [path: string, folder: string])[]
}

/** A prefix of namespaces and the folders that hold their classes; under psr-0 a class's whole name is its path. */
export interface PhpPrefix {
  readonly prefix: string
  readonly folders: readonly string[]
  readonly isPsr0: boolean
}

export interface RustCrate {
  readonly folder: string
  /** As code names it: with underscores. */
  readonly name: string
  /** The file of its library, where it says so itself. */
  readonly library: string | null
  /** Other crates under the names that this one gives them. */
  readonly aliases: readonly (readonly [alias: string, name: string])[]
}

/** Of a repository without manifests. */
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
