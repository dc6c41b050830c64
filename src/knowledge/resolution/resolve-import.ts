// Resolves an import by path, or else by the namespaces that files declare.
import type { CodeImport } from '../../languages/code-index.ts'
import { type ResolvedImport, resolvedTo } from '../../languages/common/resolved-import.ts'
import { familyOfPath } from '../../languages/index.ts'
import type { CodeView } from './code-model.ts'

/** A namespace resolves to at most this number of files. */
const maxFiles = 500

export function resolveImport(view: CodeView, path: string, item: CodeImport): ResolvedImport {
  const resolvedByPath = view.imports.resolve(path, item)
  if (resolvedByPath.kind === 'inside') return resolvedByPath
  const namespaces = familyOfPath(path)?.importsNamespaces
  if (namespaces === undefined) return resolvedByPath
  // The files of a package can be in other folders than its name says, as in Kotlin.
  const namesWhole = namespaces === 'whole' || item.kind === 'all'
  const resolve = namesWhole ? resolveNamespace : resolveNamespaceMember
  return resolve(view, path, item.from) ?? resolvedByPath
}

/** Resolves `Namespace` to all of its files, and `Namespace.Type` to those that define the type. */
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
  const separator = Math.max(from.lastIndexOf('.'), from.lastIndexOf('\\'))
  if (separator <= 0) return undefined
  const family = familyOfPath(path)!
  const files = new Set(view.filesInNamespace(from.slice(0, separator), path))
  if (files.size === 0) return undefined
  const definingFiles = view
    .definitionsIn(family, from.slice(separator + 1))
    .map((location) => location.path)
    .filter((file) => files.has(file))
  return definingFiles.length === 0 ? undefined : resolvedTo([...new Set(definingFiles)], 0.95)
}
