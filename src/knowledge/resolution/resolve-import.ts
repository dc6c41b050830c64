// Resolves an import with the help of what files say about themselves: namespaces that are no folders.
import type { CodeImport } from '../../code/code-index.ts'
import type { CodeView } from './code-model.ts'
import { type ResolvedImport, resolvedTo } from './imports/resolved-import.ts'
import { familyOfPath } from './language-families.ts'

/** A namespace of more files is told by its first ones. */
const maxFiles = 500

/** Where an import of the file leads: as the view's import resolver says, and where that can't tell, by namespaces. */
export function resolveImport(view: CodeView, path: string, item: CodeImport): ResolvedImport {
  const found = view.imports.resolve(path, item)
  if (found.kind === 'inside') return found
  const family = familyOfPath(path)
  if (family === 'c-sharp') return resolveNamespace(view, path, item.from) ?? found
  // A function of Kotlin or PHP lies in whatever file of its namespace.
  if (family === 'jvm' || family === 'php')
    return resolveNamespaceMember(view, path, item.from) ?? found
  return found
}

/** All files of a namespace; of `Namespace.Type` those that define the type. */
function resolveNamespace(view: CodeView, path: string, from: string): ResolvedImport | undefined {
  const name = from.replace(/^global::/, '')
  const files = view.filesInNamespace(name, path)
  return files.length > 0
    ? resolvedTo(files.slice(0, maxFiles), 0.9)
    : resolveNamespaceMember(view, path, name)
}

function resolveNamespaceMember(
  view: CodeView,
  path: string,
  from: string,
): ResolvedImport | undefined {
  const cut = Math.max(from.lastIndexOf('.'), from.lastIndexOf('\\'))
  if (cut <= 0) return undefined
  const family = familyOfPath(path)!
  const files = new Set(view.filesInNamespace(from.slice(0, cut), path))
  if (files.size === 0) return undefined
  const definers = view
    .definitionsIn(family, from.slice(cut + 1))
    .filter((place) => files.has(place.path))
  return definers.length === 0
    ? undefined
    : resolvedTo([...new Set(definers.map((place) => place.path))], 0.95)
}
