// Resolves imports to files of the repository: each family of languages in its own way.
import type { CodeImport } from '../../../code/code-index.ts'
import type { ImportConfig } from '../import-config.ts'
import { familyOfPath, type LanguageFamily } from '../language-families.ts'
import { createFileTree, type FileTree } from './file-tree.ts'
import { createCImports } from './resolve-c-imports.ts'
import { createGoImports } from './resolve-go-imports.ts'
import { createJvmImports } from './resolve-jvm-imports.ts'
import { createPhpImports } from './resolve-php-imports.ts'
import { createPythonImports } from './resolve-python-imports.ts'
import { createRubyImports } from './resolve-ruby-imports.ts'
import { createRustImports } from './resolve-rust-imports.ts'
import { createScriptImports } from './resolve-script-imports.ts'
import { externalImport, type ResolvedImport, type ResolveImport } from './resolved-import.ts'

export interface ImportResolver {
  /**
   * Where an import of the file leads. Namespaces that are no folders (C#) can't be told by paths alone: see
   * `resolveImport`, which looks at the files' facts too.
   */
  resolve(path: string, item: CodeImport): ResolvedImport
  /** The files right in a folder. */
  filesIn(folder: string): readonly string[]
}

/** An import specifier that is longer means no file. */
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

/** Prepares for the files of one tree: all paths, also those of files that aren't source code. */
export function createImportResolver(
  paths: Iterable<string>,
  resolution: ImportConfig,
): ImportResolver {
  const tree = createFileTree(paths, resolution)
  const made = new Map<LanguageFamily, ResolveImport>()
  const resolverFor = (family: LanguageFamily) => {
    const resolve = made.get(family) ?? resolverFactories[family](tree, resolution)
    made.set(family, resolve)
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
