// Reads the imports of a source file from single lines.

/** A name in code, with the qualifier before its dot. */
export interface NameUse {
  readonly name: string
  readonly qualifier: string | undefined
  readonly weight: number
}

interface Import {
  /** Its name where it is defined. */
  readonly name: string
  /** The module specifier as written. */
  readonly from: string
}

interface Imports {
  /**
   * Where a used name comes from: undefined where nothing says it, `elsewhere` where it can't be
   * from another file of the repository.
   */
  find(use: NameUse): Import | 'elsewhere' | undefined
}

/** Imports stand at the beginning. */
const longestHead = 20_000

/** Reads the imports of a file. */
export function readImports(path: string, head: readonly string[]): Imports {
  const text = head.slice(0, 400).join('\n').slice(0, longestHead)
  if (/\.([cm]?[jt]sx?|vue|svelte|astro)$/.test(path))
    return lookUp(readScript(text), (from) => from.startsWith('node:'))
  if (path.endsWith('.py')) return lookUp(readPython(text), () => false)
  if (path.endsWith('.go')) return lookUpGo(readGo(text))
  if (/\.(java|kt|scala|php|cs|rs)$/.test(path)) return lookUpLoosely(readQualified(text))
  return { find: () => undefined }
}

type ByName = ReadonlyMap<string, Import>

/** Where every name of another file must be imported, or be a member of something. */
function lookUp(imports: ByName, isForeign: (from: string) => boolean): Imports {
  return {
    find: ({ name, qualifier }) => {
      const own = qualifier === undefined ? imports.get(name) : undefined
      const through = qualifier === undefined ? undefined : imports.get(qualifier)
      const found = own ?? (through && { name, from: through.from })
      if (found) return isForeign(found.from) ? 'elsewhere' : found
      return qualifier === undefined && imports.size > 0 ? 'elsewhere' : undefined
    },
  }
}

/** A package's own names need no import; those of others stand behind the package's name. */
function lookUpGo(imports: ByName): Imports {
  return {
    find: ({ name, qualifier }) => {
      const found = qualifier === undefined ? undefined : imports.get(qualifier)
      if (!found) return undefined
      // Only what comes with the language has no host in its path.
      return found.from.split('/', 1)[0]!.includes('.') ? { name, from: found.from } : 'elsewhere'
    },
  }
}

function lookUpLoosely(imports: ByName): Imports {
  return {
    find: ({ name, qualifier }) => {
      const found = imports.get(qualifier ?? name) ?? imports.get(name)
      if (!found) return undefined
      return /^(java|javax|kotlin|scala|std|core|alloc|System)\b/.test(found.from)
        ? 'elsewhere'
        : { ...found, name }
    },
  }
}

/** Takes `a, b as c` apart. */
function readList(imports: Map<string, Import>, list: string, from: string): void {
  for (const item of list.split(',')) {
    const [name = '', alias] = item
      .replaceAll(/[{}()*]|\btype\b/g, ' ')
      .trim()
      .split(/\s*(?:\bas\b|:)\s*/)
    const local = alias ?? name
    if (/^[\w$]+$/.test(local)) imports.set(local, { name: name === '' ? local : name, from })
  }
}

function readScript(text: string): ByName {
  const imports = new Map<string, Import>()
  for (const [, list = '', from = ''] of text.matchAll(
    /^\s*(?:im|ex)port\s+([^'";]{1,4000}?)\s+from\s+['"]([^'"\n]+)['"]/gm,
  ))
    readList(imports, list, from)
  for (const [, list = '', from = ''] of text.matchAll(
    /^\s*(?:const|let|var)\s+([^=;]{1,500}?)\s*=\s*(?:await\s+)?(?:require|import)\(['"]([^'"\n]+)['"]/gm,
  ))
    readList(imports, list, from)
  return imports
}

function readPython(text: string): ByName {
  const imports = new Map<string, Import>()
  for (const [, from = '', list = ''] of text.matchAll(
    /^\s*from\s+(\S+)\s+import\s+(\([^)]{1,4000}\)|.+)$/gm,
  ))
    readList(imports, list, from)
  for (const [, from = '', alias] of text.matchAll(
    /^\s*import\s+([\w.]+)(?:\s+as\s+(\w+))?\s*$/gm,
  )) {
    const name = from.slice(from.lastIndexOf('.') + 1)
    imports.set(alias ?? name, { name, from })
  }
  return imports
}

function readGo(text: string): ByName {
  const imports = new Map<string, Import>()
  for (const [, alias, from = ''] of text.matchAll(
    /^(?:import)?\s*(?:([\w.]+)\s+)?"([\w./~-]+)"\s*(?:\/\/.*)?$/gm,
  )) {
    const name = from.replace(/\/v\d+$/, '').replace(/^.*\//, '')
    imports.set(alias ?? name, { name, from })
  }
  return imports
}

/** Languages whose imports are one path that ends in the name. */
function readQualified(text: string): ByName {
  const imports = new Map<string, Import>()
  const statement =
    /^\s*(?:import|use|using)\s+(?:static\s+)?([\w.:\\]{1,300}?)[.:\\]+(\w+)\s*;?\s*$/gm
  for (const [, from = '', name = ''] of text.matchAll(statement))
    imports.set(name, { name, from: `${from}.${name}` })
  return imports
}
