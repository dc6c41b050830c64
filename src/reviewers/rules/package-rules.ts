// Rules about packages of npm that aren't what their name says.

import { listNames } from './list-names.ts'
import { type LockedPackage, registryPathOf } from './package-lock.ts'
import type { ChangedManifest, ManifestHit, Rule } from './rule.ts'

/** One file's findings of a rule. */
const maxHits = 20

async function checkLockedPackages(file: ChangedManifest): Promise<ManifestHit[]> {
  const [renamed, changed] = [await findRenamed(file), findChanged(file)]
  return [...renamed, ...changed].slice(0, maxHits)
}

/** Entries that are downloaded as another package than anybody asked for. */
async function findRenamed({
  path,
  head,
  base,
  readHead,
}: ChangedManifest): Promise<ManifestHit[]> {
  const before = new Set(base.packages.map(({ name, resolved }) => `${name} ${resolved}`))
  const suspects = head.packages.flatMap((entry) => {
    const found = before.has(`${entry.name} ${entry.resolved}`)
      ? undefined
      : registryPathOf(entry.resolved)
    return found === undefined || isPathOf(found, entry.name) ? [] : [{ entry, found }]
  })
  if (suspects.length === 0) return []
  // Overrides aren't in the lock file.
  const declared = await readHead(path.replace(/[^/]+$/, 'package.json'))
  const isDeclared = (alias: string) => head.aliases.has(alias) || declared.aliases.has(alias)
  return suspects
    .filter(
      ({ entry: { name, alias }, found }) =>
        !(alias && isPathOf(found, alias) && isDeclared(`${name}=${alias}`)),
    )
    .map(({ entry, found }) => ({
      text: entry.resolved,
      title: `${listNames([entry.name])} is downloaded as another package, ${listNames([packageOf(found)])}`,
      body: 'When this is installed, code of the other package runs wherever this one is asked for. No manifest names it so. Make the lock file again, and see who changed it.',
    }))
}

/** A registry may lie below the root of its host. */
function isPathOf(path: string, name: string): boolean {
  return path === name || path.endsWith(`/${name}`)
}

function packageOf(path: string): string {
  const [scope = '', name = ''] = path.split('/').slice(-2)
  return scope.startsWith('@') ? `${scope}/${name}` : name || scope
}

/** Versions whose content is another one than on the base. */
function findChanged({ head, base }: ChangedManifest): ManifestHit[] {
  const before = Map.groupBy(base.packages, identify)
  return head.packages.flatMap((entry) => {
    const known = before.get(identify(entry)) ?? []
    const isOther =
      known.length > 0 && known.every(({ integrity }) => contradicts(integrity, entry.integrity))
    if (!isOther || !/^https?:|^$/.test(entry.resolved)) return []
    return {
      text: entry.integrity,
      title: `The content of ${listNames([entry.name])} changed, and its version did not`,
      body: 'When a version is published, its content is fixed. Another checksum means that somebody put in another content, or that the checksum was made to fit one. Compare it with what the registry says.',
    }
  })
}

/** Only a registry has one content for a version. */
function identify({ name, alias, version, resolved }: LockedPackage): string {
  const place = resolved === '' || registryPathOf(resolved) !== undefined ? '' : resolved
  return JSON.stringify([alias ?? name, version, place])
}

/** Whether two checksums can't be of one content. A stronger one in place of a weak one says nothing. */
function contradicts(one: string, other: string): boolean {
  const hashes = (text: string) => text.split(/\s+/).filter(Boolean)
  const algorithm = (hash: string) => hash.slice(0, hash.indexOf('-'))
  const known = new Set(hashes(one))
  const algorithms = new Set(hashes(one).map(algorithm))
  const comparable = hashes(other).filter((hash) => algorithms.has(algorithm(hash)))
  return comparable.length > 0 && !comparable.some((hash) => known.has(hash))
}

async function checkAliases({ head, base }: ChangedManifest): Promise<ManifestHit[]> {
  if (head.packages.length > 0) return []
  const fresh = [...head.aliases].filter(([alias]) => !base.aliases.has(alias))
  return fresh.slice(0, maxHits).map(([alias, key]) => {
    const at = alias.indexOf('=')
    return {
      text: `"${key}": "npm:`,
      title: `${listNames([alias.slice(0, at)])} is an alias of another package, ${listNames([alias.slice(at + 1)])}`,
      body: 'When code asks for the one name, it gets the other package, and whoever reads the code does not see it. See that it is meant.',
    }
  })
}

export const packageRules: readonly Rule[] = [
  {
    id: 'lock-mismatch',
    summary:
      "An entry of npm's lock file is downloaded as another package than it is named, or has another checksum at the same version.",
    severity: 'moderate',
    category: 'security',
    confidence: 0.9,
    manifest: checkLockedPackages,
  },
  {
    id: 'package-alias',
    summary:
      'A dependency or override in `package.json` newly stands for another package (`npm:` alias).',
    severity: 'minor',
    category: 'security',
    confidence: 0.9,
    manifest: checkAliases,
  },
]
