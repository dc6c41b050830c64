// Looks up the functions that a script imports by name from its own repository.
import type { Node } from 'web-tree-sitter'
import { fieldText, findNodes } from '../../languages/rules/syntax-nodes.ts'
import type { AsyncFunction } from './async-callees.ts'
import type { AsyncCallee } from './rule.ts'

/** Limits the modules that are asked for. */
const maxModules = 12

/** A name as the module exports it. */
export interface ImportedName {
  /** A relative path, as the import has it. */
  readonly from: string
  readonly name: string
}

/** A module that was read; it has no functions if it wasn't found. */
export interface KnownModule {
  readonly from: string
  readonly path: string
  readonly functions: readonly AsyncFunction[]
}

interface ImportLookup {
  find(local: string): AsyncCallee | undefined
  /** Gets the names that were looked up in other modules than the known ones. */
  readonly unread: readonly ImportedName[]
}

/** Creates a lookup of what a file imports. It follows only relative paths, and no re-exports. */
export function createImportLookup(root: Node, modules: readonly KnownModule[]): ImportLookup {
  const unread: ImportedName[] = []
  let imports: ReadonlyMap<string, ImportedName> | undefined
  return {
    unread,
    find(local) {
      imports ??= listNamedImports(root)
      const imported = imports.get(local)
      if (!imported) return undefined
      const module = modules.find(({ from }) => from === imported.from)
      if (module) {
        const found = module.functions.find(({ name }) => name === imported.name)
        return found && { path: module.path, line: found.line, neverFails: found.neverFails }
      }
      const isAsked = unread.some(({ from }) => from === imported.from)
      const isNew = !unread.includes(imported)
      if (isNew && (isAsked || new Set(unread.map(({ from }) => from)).size < maxModules))
        unread.push(imported)
      return undefined
    },
  }
}

/** Returns what `import { … } from './path'` imports, by its local name. */
function listNamedImports(root: Node): Map<string, ImportedName> {
  const names = new Map<string, ImportedName>()
  for (const statement of root.namedChildren) {
    const from = fieldText(statement, 'source').slice(1, -1)
    if (statement.type !== 'import_statement' || !/^\.{1,2}\//.test(from)) continue
    for (const specifier of findNodes(statement, 'import_specifier')) {
      const name = fieldText(specifier, 'name')
      names.set(fieldText(specifier, 'alias') || name, { from, name })
    }
  }
  return names
}
