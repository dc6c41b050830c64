// Reads from a composer.json which namespaces lie in which folders.
import { joinPath } from '../paths.ts'
import type { PhpPrefix } from '../resolution.ts'
import { entriesOf, fieldOf, parseLooseJson, textsOf } from './loose-json.ts'
import type { Manifest } from './manifest.ts'

const mostPrefixes = 200

export function readComposer({ folder, text }: Manifest): PhpPrefix[] {
  const json = parseLooseJson(text)
  const sections = ['autoload', 'autoload-dev'].map((key) => fieldOf(json, key))
  const read = (key: string, isPsr0: boolean) =>
    sections.flatMap((section) =>
      entriesOf(fieldOf(section, key)).map(([prefix, targets]) => ({
        prefix,
        isPsr0,
        folders: textsOf(targets).flatMap((target) => joinPath(folder, target) ?? []),
      })),
    )
  return [...read('psr-4', false), ...read('psr-0', true)].slice(0, mostPrefixes)
}
