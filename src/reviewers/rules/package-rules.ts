// Rules about npm packages that aren't the package of their name.

import { listNames } from './list-names.ts'
import { type LockedPackage, registryPathOf } from './package-lock.ts'
import type { ChangedManifest, ManifestHit, Rule } from './rule.ts'

/** Findings that a rule reports per file; further ones are left out. */
const maxHits = 20

async function checkLockedPackages(file: ChangedManifest): Promise<ManifestHit[]> {
  const renamed = await findRenamed(file)
  return [...renamed, ...findChanged(file)].slice(0, maxHits)
}

/** Finds added entries that are downloaded as a package that no manifest names. */
async function findRenamed({
  path,
  head,
  base,
  readHead,
}: ChangedManifest): Promise<ManifestHit[]> {
  const before = new Set(base.packages.map(({ name, resolved }) => `${name} ${resolved}`))
  const suspects = head.packages.flatMap((entry) => {
    if (before.has(`${entry.name} ${entry.resolved}`)) return []
    const registryPath = registryPathOf(entry.resolved)
    if (registryPath === undefined || isPathOf(registryPath, entry.name)) return []
    return [{ entry, registryPath }]
  })
  if (suspects.length === 0) return []
  // Overrides are only in the manifest, not in the lock file.
  const manifest = await readHead(path.replace(/[^/]+$/, 'package.json'))
  const isDeclared = (alias: string) => head.aliases.has(alias) || manifest.aliases.has(alias)
  return suspects.flatMap(({ entry, registryPath }) => {
    const { name, alias, resolved } = entry
    const isAlias = alias && isPathOf(registryPath, alias) && isDeclared(`${name}=${alias}`)
    if (isAlias) return []
    const actual = listNames([packageOf(registryPath)])
    return {
      text: resolved,
      title: `${listNames([name])} is downloaded as another package, ${actual}`,
      body:
        'When this is installed, code of the other package runs wherever this one is imported. ' +
        'No manifest declares this. Create the lock file again, and check who changed it.',
    }
  })
}

/** Whether the path belongs to the package. A registry may have a path before it. */
function isPathOf(path: string, name: string): boolean {
  return path === name || path.endsWith(`/${name}`)
}

function packageOf(path: string): string {
  const [scope = '', name = ''] = path.split('/').slice(-2)
  return scope.startsWith('@') ? `${scope}/${name}` : name || scope
}

/** Finds versions whose content differs from the same version on the base branch. */
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
      body:
        'When a version is published, its content is fixed. A different checksum means that ' +
        'the content was replaced, or that the checksum was adapted to other content. Compare ' +
        'it with the registry.',
    }
  })
}

/**
 * A key that entries with the same content share. A registry has one content per version; other
 * addresses may have different contents, so they are part of the key.
 */
function identify({ name, alias, version, resolved }: LockedPackage): string {
  const isOnRegistry = resolved === '' || registryPathOf(resolved) !== undefined
  return JSON.stringify([alias ?? name, version, isOnRegistry ? '' : resolved])
}

/** Whether two checksums belong to different contents. Different algorithms can't be compared. */
function contradicts(before: string, after: string): boolean {
  const known = splitHashes(before)
  const knownAlgorithms = new Set(known.map(algorithmOf))
  const comparable = splitHashes(after).filter((hash) => knownAlgorithms.has(algorithmOf(hash)))
  return comparable.length > 0 && !comparable.some((hash) => known.includes(hash))
}

function splitHashes(integrity: string): string[] {
  return integrity.split(/\s+/).filter(Boolean)
}

function algorithmOf(hash: string): string {
  return hash.slice(0, hash.indexOf('-'))
}

/** Whether an alias such as `react18=react` or `client8=@acme/client` only names a version. */
function isVersionOf(alias: string): boolean {
  const [name, actual] = alias.split('=')
  return name!.replace(/[-_]?v?\d+$/, '') === actual?.split('/').at(-1)
}

async function checkAliases({ head, base }: ChangedManifest): Promise<ManifestHit[]> {
  if (head.packages.length > 0) return []
  const addedAliases = [...head.aliases].filter(
    ([alias]) => !base.aliases.has(alias) && !isVersionOf(alias),
  )
  return addedAliases.slice(0, maxHits).map(([alias, key]) => {
    const separator = alias.indexOf('=')
    const name = listNames([alias.slice(0, separator)])
    const actual = listNames([alias.slice(separator + 1)])
    return {
      text: `"${key}": "npm:`,
      title: `${name} is an alias of another package, ${actual}`,
      body:
        'When code imports the one name, it gets the other package, and readers of the code do ' +
        'not notice it. Check that this is intended.',
    }
  })
}

export const packageRules: readonly Rule[] = [
  {
    id: 'lock-mismatch',
    summary:
      "An entry of npm's lock file resolves to a different package, or has a different " +
      'checksum at the same version.',
    seeAlso: ['lockfile-lint `validate-package-names`'],
    severity: 'moderate',
    category: 'security',
    confidence: 0.9,
    manifest: checkLockedPackages,
  },
  {
    id: 'package-alias',
    summary:
      'A dependency or override in `package.json` is a new alias of another package (`npm:`).',
    severity: 'minor',
    category: 'security',
    confidence: 0.9,
    manifest: checkAliases,
  },
]
