// Resolves imports to files of the repository: each family of languages in its own way.
import type { CodeImport } from '../../../workspace/code-facts.ts'
import { type Family, familyOf } from '../families.ts'
import type { Resolution } from '../resolution.ts'
import { createCImports } from './c-imports.ts'
import { createGoImports } from './go-imports.ts'
import { createJvmImports } from './jvm-imports.ts'
import { createPhpImports } from './php-imports.ts'
import { createPythonImports } from './python-imports.ts'
import { outside, type ResolvedImport, type ResolveImport } from './resolved-import.ts'
import { createRubyImports } from './ruby-imports.ts'
import { createRustImports } from './rust-imports.ts'
import { createScriptImports } from './script-imports.ts'
import { createTree, type Tree } from './tree.ts'

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
const longestSpecifier = 500

const makers: Readonly<Record<Family, (tree: Tree, resolution: Resolution) => ResolveImport>> = {
  script: createScriptImports,
  python: createPythonImports,
  go: createGoImports,
  jvm: createJvmImports,
  php: createPhpImports,
  ruby: createRubyImports,
  rust: createRustImports,
  c: createCImports,
  'c-sharp': () => () => outside,
}

/** Prepares for the files of one tree: all paths, also those of files that aren't source code. */
export function createImportResolver(
  paths: Iterable<string>,
  resolution: Resolution,
): ImportResolver {
  const tree = createTree(paths, resolution)
  const made = new Map<Family, ResolveImport>()
  const resolverFor = (family: Family) => {
    const resolve = made.get(family) ?? makers[family](tree, resolution)
    made.set(family, resolve)
    return resolve
  }
  return {
    resolve(path, item) {
      const family = familyOf(path)
      if (family === undefined || item.from === '' || item.from.length > longestSpecifier)
        return outside
      return resolverFor(family)(path, item)
    },
    filesIn: tree.filesIn,
  }
}
