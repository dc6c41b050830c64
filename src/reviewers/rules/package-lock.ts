// Reads the packages and aliases of npm's lock file.

/** An entry of the lock file. Texts that the file lacks are empty. */
export interface LockedPackage {
  /** The name that code imports: the last name in the path of the entry. */
  readonly name: string
  /** The package that is installed, if the name is an alias of it. */
  readonly alias: string | undefined
  readonly version: string
  readonly resolved: string
  readonly integrity: string
}

type Json = Readonly<Record<string, unknown>>

const packageFolder = 'node_modules/'

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** @param entries the field `packages` of the lock file */
export function listLockedPackages(entries: Json): LockedPackage[] {
  return Object.entries(entries).flatMap(([path, value]) => {
    if (!path.includes(packageFolder) || typeof value !== 'object' || value === null) return []
    const { name, version, resolved, integrity } = value as Json
    return {
      name: path.slice(path.lastIndexOf(packageFolder) + packageFolder.length),
      alias: typeof name === 'string' ? name : undefined,
      version: textOf(version),
      resolved: textOf(resolved),
      integrity: textOf(integrity),
    }
  })
}

/** Matches the address of a package on a registry. Its group is the path. */
const registryAddress = /^https?:\/\/[^/]+\/(.+?)\/-\/(?:@[^/]+\/)?[^/]+\.tgz(?:[?#].*)?$/s

/**
 * The path of a package on its registry, such as `npm/@acme/a`; undefined if the address isn't one
 * of a registry.
 */
export function registryPathOf(resolved: string): string | undefined {
  const path = registryAddress.exec(resolved)?.[1]
  try {
    return path && decodeURIComponent(path)
  } catch {
    return path
  }
}

/** Returns `@acme/a` for the alias `npm:@acme/a@^1`; undefined for other values. */
function aliasedName(spec: unknown): string | undefined {
  return /^npm:(@?[^@]+)/.exec(textOf(spec))?.[1]
}

/**
 * Lists all aliases in a value of a manifest or lock file, at any depth.
 *
 * @returns for each `name=package` its key in the file
 */
export function listAliases(value: unknown): Map<string, string> {
  const found = new Map<string, string>()
  const open: unknown[] = [value]
  while (open.length > 0) {
    const next = open.pop()
    if (typeof next !== 'object' || next === null) continue
    for (const [key, child] of Object.entries(next)) {
      const target = aliasedName(child)
      // In `overrides`, the name can have a range: `a@^1`.
      const rangeIndex = key.indexOf('@', 1)
      const name = rangeIndex < 0 ? key : key.slice(0, rangeIndex)
      if (target !== undefined && target !== name) found.set(`${name}=${target}`, key)
      if (typeof child === 'object') open.push(child)
    }
  }
  return found
}
