// Reads source files with their imports and exports, for the test of the architecture.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))

interface Import {
  /** The imported file, below the root of the project. */
  readonly path: string
  readonly typeOnly: boolean
  /** Null for everything that the file exports. */
  readonly names: readonly string[] | null
}

export interface SourceFile {
  /** Below the root of the project. */
  readonly path: string
  readonly text: string
  readonly imports: readonly Import[]
  /** Lists the packages that it imports. */
  readonly packages: readonly string[]
  /** The names that it exports. */
  readonly exports: readonly string[]
}

/** Shortens paths to those below src/, in a file and its imports. */
export function belowSource(file: SourceFile): SourceFile {
  const shorten = (path: string) => path.replace(/^src\//, '')
  const imports = file.imports.map((one) => ({ ...one, path: shorten(one.path) }))
  return { ...file, path: shorten(file.path), imports }
}

/** Lists the imports of a file as `importing → imported`. */
export function listImports(
  { path, imports }: SourceFile,
  isListed: (imported: string) => boolean,
): string[] {
  return imports
    .filter((imported) => isListed(imported.path))
    .map((imported) => `${path} → ${imported.path}`)
}

/** Reads all sources below a folder of the project. */
export function readSources(folder: string): readonly SourceFile[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length))
    .filter((path) => !path.includes('node_modules/'))
    .map(readSource)
}

/** `import { a, type b } from 'c'`, `export * from 'c'`, `import 'c'`. */
const statement = /^(?:import|export)\s+(type\s+)?(?:([^'";]*?)\sfrom\s+)?'([^']+)'/gm
/** `const { a } = await import('c')`, `(await import('c')).a`, and files of threads. */
const loading =
  /(?:\{([^{}]*)\} = (?:await )?)?\b(?:import|new URL)\('(\.[^']+\.ts)'[^)]*\)(?:\)?\.(?!then)(\w+))?/g
const declaration =
  /^export\s+(?:declare\s+|async\s+|abstract\s+)*(?:function\*?|const|let|class|interface|type|enum)\s+(\w+)/gm
const exportList = /^export\s+(?:type\s+)?\{([^}]*)\}/gm

function readSource(path: string): SourceFile {
  const text = readFileSync(join(root, path), 'utf8')
  const statements = [...text.matchAll(statement)].map(([, type, list, from]) => ({
    from: from as string,
    typeOnly: type !== undefined,
    names: list?.includes('{') ? namesOf(list.replace(/^[^{]*\{|\}[^}]*$/g, ''), 0) : null,
  }))
  const loadings = [...text.matchAll(loading)].map(([, list, from, member]) => ({
    from: from as string,
    typeOnly: false,
    names: member ? [member] : list === undefined ? null : namesOf(list, 0),
  }))
  const found = [...statements, ...loadings]
  return {
    path,
    text,
    imports: found
      .filter(({ from }) => from.startsWith('.'))
      .map(({ from, ...imported }) => ({ path: join(path, '..', from), ...imported })),
    packages: found
      .filter(({ from }) => !from.startsWith('.') && !from.startsWith('node:'))
      .map(({ from }) => from),
    exports: [
      ...[...text.matchAll(declaration)].map(([, name]) => name as string),
      ...[...text.matchAll(exportList)].flatMap(([, list]) => namesOf(list as string, -1)),
    ],
  }
}

/** Splits `a, type b as c`: side 0 is the name in the other file (`b`), and -1 the one here. */
function namesOf(list: string, side: 0 | -1): string[] {
  return list
    .split(',')
    .map((item) => item.trim().replace(/^type\s+/, ''))
    .filter((item) => item !== '')
    .map((item) => item.split(/\s+as\s+|:\s*/).at(side) as string)
}
