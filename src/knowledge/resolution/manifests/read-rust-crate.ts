// Reads from a Cargo.toml what its crate is called and where its library begins.

import type { RustCrate } from '../import-config.ts'
import { joinPath } from '../paths.ts'
import type { ManifestFile } from './manifest-file.ts'
import { inlineString, readTomlEntries, stringsIn } from './toml-lines.ts'

export function readRustCrate({ folder, text }: ManifestFile): RustCrate[] {
  const entries = readTomlEntries(text)
  const find = (table: string, key: string) => {
    const entry = entries.find((one) => one.table === table && one.key === key)
    return entry && stringsIn(entry.value)[0]
  }
  const name = find('lib', 'name') ?? find('package', 'name')
  if (name === undefined) return []
  const library = find('lib', 'path')
  const aliases = entries.flatMap(({ table, key, value }) => {
    const renamed = /(^|\.)(dev-|build-)?dependencies$/.test(table)
      ? inlineString(value, 'package')
      : undefined
    return renamed === undefined ? [] : [[asIdentifier(key), asIdentifier(renamed)] as const]
  })
  return [
    {
      folder,
      name: asIdentifier(name),
      library: (library !== undefined ? joinPath(folder, library) : undefined) ?? null,
      aliases,
    },
  ]
}

function asIdentifier(name: string): string {
  return name.replaceAll('-', '_')
}
