// Reads the autoload rules of a composer.json.

import { joinPath } from '../../lib/tree-paths.ts'
import type { PhpPrefix } from '../common/import-config.ts'
import type { ManifestFile } from '../common/manifest-file.ts'
import { entriesOf, fieldOf, parseJsonc, stringsOf } from '../common/parse-jsonc.ts'

const maxPrefixes = 200

export function readComposer({ folder, text }: ManifestFile): PhpPrefix[] {
  const json = parseJsonc(text)
  const sections = ['autoload', 'autoload-dev'].map((key) => fieldOf(json, key))
  const read = (key: string, isPsr0: boolean) =>
    sections.flatMap((section) =>
      entriesOf(fieldOf(section, key)).map(([prefix, targets]) => ({
        prefix,
        isPsr0,
        folders: stringsOf(targets).flatMap((target) => joinPath(folder, target) ?? []),
      })),
    )
  return [...read('psr-4', false), ...read('psr-0', true)].slice(0, maxPrefixes)
}
