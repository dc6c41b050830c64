// Reads the crate name, the library path and renamed dependencies of a Cargo.toml.

import { joinPath } from '../../lib/tree-paths.ts'
import type { RustCrate } from '../common/import-config.ts'
import type { ManifestFile } from '../common/manifest-file.ts'
import { entriesOf, fieldOf, stringsOf } from '../common/parse-jsonc.ts'
import { parseToml } from '../common/parse-toml.ts'

const dependencyTables = ['dependencies', 'dev-dependencies', 'build-dependencies']

export function readRustCrate({ folder, text }: ManifestFile): RustCrate[] {
  const manifest = parseToml(text)
  const findString = (table: string, key: string) => stringsOf(fieldOf(manifest, table, key))[0]
  const name = findString('lib', 'name') ?? findString('package', 'name')
  if (name === undefined) return []
  const libraryPath = findString('lib', 'path')
  const library = libraryPath === undefined ? undefined : joinPath(folder, libraryPath)
  const aliases = listCrateDependencies(manifest).flatMap(([alias, dependency]) =>
    stringsOf(fieldOf(dependency, 'package')).map(
      (crate) => [toIdentifier(alias), toIdentifier(crate)] as const,
    ),
  )
  return [{ folder, name: toIdentifier(name), library: library ?? null, aliases }]
}

/** Lists the dependencies of a parsed Cargo.toml, of its workspace and of single targets too. */
export function listCrateDependencies(
  manifest: unknown,
): readonly (readonly [name: string, dependency: unknown])[] {
  const targets = entriesOf(fieldOf(manifest, 'target')).map(([, target]) => target)
  return [manifest, fieldOf(manifest, 'workspace'), ...targets].flatMap((section) =>
    dependencyTables.flatMap((table) => entriesOf(fieldOf(section, table))),
  )
}

function toIdentifier(name: string): string {
  return name.replaceAll('-', '_')
}
