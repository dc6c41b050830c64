// Reads the packages of npm's lock file: which package each entry is, and which one it is downloaded as.

/** A package as the lock file has it. */
export interface LockedPackage {
  /** What code imports it by: the last name in its path. */
  readonly name: string
  /** Where its name is an alias, the package that it stands for. */
  readonly alias: string | undefined
  readonly version: string
  readonly resolved: string
  readonly integrity: string
}

type Json = Readonly<Record<string, unknown>>

const textOf = (value: unknown) => (typeof value === 'string' ? value : '')
const folder = 'node_modules/'

/**
 * @param entries the `packages` of the lock file
 */
export function listLockedPackages(entries: Json): LockedPackage[] {
  return Object.entries(entries).flatMap(([path, value]) => {
    if (!path.includes(folder) || typeof value !== 'object' || value === null) return []
    const { name, version, resolved, integrity } = value as Json
    return {
      name: path.slice(path.lastIndexOf(folder) + folder.length),
      alias: typeof name === 'string' ? name : undefined,
      version: textOf(version),
      resolved: textOf(resolved),
      integrity: textOf(integrity),
    }
  })
}

/**
 * The path of a package on its registry, such as `npm/@acme/a`; undefined where the address isn't one of a registry.
 */
export function registryPathOf(resolved: string): string | undefined {
  const [, path] =
    /^https?:\/\/[^/]+\/(.+?)\/-\/(?:@[^/]+\/)?[^/]+\.tgz(?:[?#].*)?$/s.exec(resolved) ?? []
  try {
    return path && decodeURIComponent(path)
  } catch {
    return path
  }
}

/** The name of the package that an alias such as `npm:@acme/a@^1` stands for; undefined where a text is no alias. */
export function aliasedName(spec: unknown): string | undefined {
  return /^npm:(@?[^@]+)/.exec(textOf(spec))?.[1]
}

/** All aliases in a value of a manifest or lock file, each as `name=package`. */
export function listAliases(value: unknown): Map<string, string> {
  const found = new Map<string, string>()
  const open: unknown[] = [value]
  while (open.length > 0) {
    const next = open.pop()
    if (typeof next !== 'object' || next === null) continue
    for (const [key, child] of Object.entries(next)) {
      const target = aliasedName(child)
      // In `overrides`, `a@^1` is a name too.
      const at = key.indexOf('@', 1)
      const name = at < 0 ? key : key.slice(0, at)
      if (target !== undefined && target !== name) found.set(`${name}=${target}`, key)
      if (typeof child === 'object') open.push(child)
    }
  }
  return found
}
