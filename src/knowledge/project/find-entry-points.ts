// Finds where a program starts, or what a package shows to others.
import { posix } from 'node:path'
import type { ProjectManifest } from './manifests/project-manifest.ts'
import { directoryOf, lastPathSegments, type Project, type ProjectFile } from './project.ts'

/** By custom. */
const conventionalPath = new RegExp(
  [
    String.raw`^(.*/)?(cmd/[^/]+/main\.go|src/main\.rs|src/bin/[^/]+(/main)?\.rs|__main__\.py|manage\.py|wsgi\.py|asgi\.py|Program\.cs|config\.ru|artisan|\w*Application\.(java|kt))$`,
    String.raw`^(src/|app/|server/|backend/|frontend/src/|client/src/)?(main|index|server|app|cli)\.([cm]?[jt]sx?|py|go|rs|rb|php|c|cc|cpp|dart|swift|kt)$`,
    String.raw`^(src/)?lib\.rs$`,
  ].join('|'),
)

/** Extensions that a built file has in the sources. */
const sourceExtensions = ['.ts', '.tsx', '.mts', '.js', '.jsx', '.mjs', '.cjs']

/** Paths of files that exist; those that manifests name come first. */
export function findEntryPoints(project: Project, manifests: readonly ProjectManifest[]): string[] {
  const sources = new Set(
    project.files
      .filter(({ kind, isTest }) => kind === 'source' && !isTest)
      .map(({ path }) => path),
  )
  const named = manifests.flatMap(({ path, entryPoints }) =>
    entryPoints
      .slice(0, 10)
      .flatMap((entry) => findSource(directoryOf(path), entry, sources) ?? []),
  )
  const found = [
    ...[...sources].filter((path) => conventionalPath.test(lastPathSegments(path))),
    ...project.files.filter(isGoProgram).map(({ path }) => path),
  ].sort(byDepth)
  return [...new Set([...named, ...found])].slice(0, 100)
}

/** By what it defines. Examples are programs of their own, and tools that generate code may lie anywhere. */
function isGoProgram({ path, language, kind, isTest, symbols }: ProjectFile): boolean {
  return (
    language === 'Go' &&
    kind === 'source' &&
    !isTest &&
    /(^|\/)(main\.go|cmd\/[^/]+\.go)$/.test(path) &&
    !/(^|\/)_?(examples?|samples?|testdata|tutorials?)\//i.test(path) &&
    symbols.some(({ name, kind: symbolKind }) => name === 'main' && symbolKind === 'function')
  )
}

/** The file itself, or the one that it is built from. */
function findSource(
  directory: string,
  entry: string,
  sources: ReadonlySet<string>,
): string | undefined {
  if (entry.includes('*') || entry.length > 300) return undefined
  const path = posix.join(directory, entry)
  if (sources.has(path)) return path
  if (path.endsWith('.py')) return findModule(directory, entry.slice(0, -'.py'.length), sources)
  const bare = path.replace(/(\.d)?\.[cm]?[jt]sx?$/, '')
  const bases = [
    bare,
    bare.replace(/(^|\/)(dist|build|lib|out)\//, '$1src/'),
    bare.replace(/(^|\/)(dist|build|lib|out)\//, '$1'),
  ]
  const candidates = bases.flatMap((base) =>
    sourceExtensions.flatMap((end) => [base + end, `${base}/index${end}`]),
  )
  return candidates.find((candidate) => sources.has(candidate))
}

/** A Python module, of a package beside the manifest or in the usual directory for sources. */
function findModule(
  directory: string,
  module: string,
  sources: ReadonlySet<string>,
): string | undefined {
  const bases = ['', 'src', 'lib', 'python'].map((root) => posix.join(directory, root, module))
  return bases
    .flatMap((base) => [`${base}.py`, `${base}/__init__.py`])
    .find((candidate) => sources.has(candidate))
}

function byDepth(one: string, other: string): number {
  return one.split('/').length - other.split('/').length || (one < other ? -1 : 1)
}
