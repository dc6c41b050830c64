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

/** Prepares for the files of one tree: all paths, also those of files that aren't source code. */
export function createImportResolver(paths: Iterable<string>, resolution: Resolution): ImportResolver {
  const tree = createTree(paths, resolution)
  const families = createFamilies(tree, resolution)
  return {
    resolve(path, item) {
      const family = familyOf(path)
      if (family === undefined || item.from === '' || item.from.length > longestSpecifier) return outside
      return families[family](path, item)
    },
    filesIn: tree.filesIn,
  }
}

function createFamilies(tree: Tree, resolution: Resolution): Readonly<Record<Family, ResolveImport>> {
  return {
    script: createScriptImports(tree, resolution),
    python: createPythonImports(tree, resolution),
    go: createGoImports(tree, resolution),
    jvm: createJvmImports(tree),
    php: createPhpImports(tree, resolution),
    ruby: createRubyImports(tree),
    rust: createRustImports(tree, resolution),
    c: createCImports(tree),
    'c-sharp': () => outside,
  }
}
