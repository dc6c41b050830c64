// Resolves imports to files of the repository by the rules of each language family.

import type { CodeImport } from '../../languages/code-index.ts'
import type { ImportConfig } from '../../languages/common/import-config.ts'
import {
  externalImport,
  type ResolvedImport,
  type ResolveImport,
} from '../../languages/common/resolved-import.ts'
import { familyOfPath, languageFamilies } from '../../languages/index.ts'
import type { LanguageFamily } from '../../languages/language.ts'
import { createFileTree } from './file-tree.ts'

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

// They are loaded with this file, because most commands resolve no imports.
const loadings = languageFamilies.map(
  async (family) => [family, await family.loadImports?.()] as const,
)
const factories = new Map(await Promise.all(loadings))

/** @param paths must contain all files of the tree, including those that aren't source code */
export function createImportResolver(
  paths: Iterable<string>,
  resolution: ImportConfig,
): ImportResolver {
  const tree = createFileTree(paths, resolution)
  const resolvers = new Map<LanguageFamily, ResolveImport>()
  const resolverFor = (family: LanguageFamily) => {
    const resolve =
      resolvers.get(family) ?? factories.get(family)?.(tree, resolution) ?? (() => externalImport)
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
