// Resolves imports to files of the repository by the rules of each language family.

import { createCImports } from '../../languages/c/imports.ts'
import type { CodeImport } from '../../languages/code-index.ts'
import type { ImportConfig } from '../../languages/common/import-config.ts'
import {
  externalImport,
  type ResolvedImport,
  type ResolveImport,
} from '../../languages/common/resolved-import.ts'
import { createGoImports } from '../../languages/go/imports.ts'
import { createJvmImports } from '../../languages/java/imports.ts'
import { createScriptImports } from '../../languages/javascript/imports.ts'
import { familyOfPath, type LanguageFamily } from '../../languages/language-families.ts'
import { createPhpImports } from '../../languages/php/imports.ts'
import { createPythonImports } from '../../languages/python/imports.ts'
import { createRubyImports } from '../../languages/ruby/imports.ts'
import { createRustImports } from '../../languages/rust/imports.ts'
import { createFileTree, type FileTree } from './file-tree.ts'

export interface ImportResolver {
  /**
   * Resolves an import of the file at `path` by paths and manifests alone. See `resolveImport` for
   * namespaces that aren't folders, as in C#.
   */
  resolve(path: string, item: CodeImport): ResolvedImport
  /** Finds the files directly in a folder. */
  filesIn(folder: string): readonly string[]
}

/** A longer import specifier can't be a path. */
const maxSpecifierLength = 500

const resolverFactories: Readonly<
  Record<LanguageFamily, (tree: FileTree, resolution: ImportConfig) => ResolveImport>
> = {
  script: createScriptImports,
  python: createPythonImports,
  go: createGoImports,
  jvm: createJvmImports,
  php: createPhpImports,
  ruby: createRubyImports,
  rust: createRustImports,
  c: createCImports,
  'c-sharp': () => () => externalImport,
}

/** @param paths must contain all files of the tree, including those that aren't source code */
export function createImportResolver(
  paths: Iterable<string>,
  resolution: ImportConfig,
): ImportResolver {
  const tree = createFileTree(paths, resolution)
  const resolvers = new Map<LanguageFamily, ResolveImport>()
  const resolverFor = (family: LanguageFamily) => {
    const resolve = resolvers.get(family) ?? resolverFactories[family](tree, resolution)
    resolvers.set(family, resolve)
    return resolve
  }
  return {
    resolve(path, item) {
      const family = familyOfPath(path)
      if (family === undefined || item.from === '' || item.from.length > maxSpecifierLength)
        return externalImport
      return resolverFor(family)(path, item)
    },
    filesIn: tree.filesIn,
  }
}
