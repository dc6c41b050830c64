// Resolves an import with the help of what files say about themselves: namespaces that are no folders.
import type { CodeImport } from '../../workspace/code-facts.ts'
import type { CodeView } from './code-model.ts'
import { familyOf } from './families.ts'
import { inside, type ResolvedImport } from './imports/resolved-import.ts'

/** A namespace of more files is told by its first ones. */
const mostFiles = 500

/** Where an import of the file leads: as the view's import resolver says, and where that can't tell, by namespaces. */
export function resolveImport(view: CodeView, path: string, item: CodeImport): ResolvedImport {
  const found = view.imports.resolve(path, item)
  if (found.kind === 'inside') return found
  const family = familyOf(path)
  if (family === 'c-sharp') return resolveNamespace(view, path, item.from) ?? found
  // A function of Kotlin or PHP lies in whatever file of its namespace.
  if (family === 'jvm' || family === 'php') return resolveMember(view, path, item.from) ?? found
  return found
}

/** All files of a namespace; of `Namespace.Type` those that define the type. */
function resolveNamespace(view: CodeView, path: string, from: string): ResolvedImport | undefined {
  const name = from.replace(/^global::/, '')
  const files = view.filesOf(name, path)
  return files.length > 0 ? inside(files.slice(0, mostFiles), 0.9) : resolveMember(view, path, name)
}

function resolveMember(view: CodeView, path: string, from: string): ResolvedImport | undefined {
  const cut = Math.max(from.lastIndexOf('.'), from.lastIndexOf('\\'))
  if (cut <= 0) return undefined
  const family = familyOf(path)!
  const files = new Set(view.filesOf(from.slice(0, cut), path))
  if (files.size === 0) return undefined
  const definers = view
    .definersIn(family, from.slice(cut + 1))
    .filter((place) => files.has(place.path))
  return definers.length === 0
    ? undefined
    : inside([...new Set(definers.map((place) => place.path))], 0.95)
}
