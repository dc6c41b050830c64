// Reads the crate name, the library path and renamed dependencies of a Cargo.toml.

import { joinPath } from '../../lib/tree-paths.ts'
import type { RustCrate } from '../common/import-config.ts'
import type { ManifestFile } from '../common/manifest-file.ts'
import { inlineString, readTomlEntries, stringsIn } from '../common/toml-lines.ts'

export function readRustCrate({ folder, text }: ManifestFile): RustCrate[] {
  const entries = readTomlEntries(text)
  const findString = (table: string, key: string) => {
    const entry = entries.find((each) => each.table === table && each.key === key)
    return entry && stringsIn(entry.value)[0]
  }
  const name = findString('lib', 'name') ?? findString('package', 'name')
  if (name === undefined) return []
  const libraryPath = findString('lib', 'path')
  const library = libraryPath === undefined ? undefined : joinPath(folder, libraryPath)
  const aliases = entries
    .filter(({ table }) => /(^|\.)(dev-|build-)?dependencies$/.test(table))
    .flatMap(({ key, value }) => {
      const crate = inlineString(value, 'package')
      return crate === undefined ? [] : [[toIdentifier(key), toIdentifier(crate)] as const]
    })
  return [{ folder, name: toIdentifier(name), library: library ?? null, aliases }]
}

function toIdentifier(name: string): string {
  return name.replaceAll('-', '_')
}
