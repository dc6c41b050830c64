// Finds the entry points of programs and packages.

import { posix } from 'node:path'
import { longPattern } from '../../lib/long-pattern.ts'
import { directoryOf } from '../../lib/tree-paths.ts'
import type { ProjectManifest } from './manifests/project-manifest.ts'
import {
  isSource,
  lastPathSegments,
  type Project,
  type ProjectFile,
  sortByDepth,
} from './project.ts'

const conventionalPath = longPattern()`
  ^(.*/)?(cmd/[^/]+/main\.go|src/main\.rs|src/bin/[^/]+(/main)?\.rs|__main__\.py|manage\.py|wsgi\.py|asgi\.py|Program\.cs|config\.ru|artisan|\w*Application\.(java|kt))$
  |^(src/|app/|server/|backend/|frontend/src/|client/src/)?(main|index|server|app|cli)\.([cm]?[jt]sx?|py|go|rs|rb|php|c|cc|cpp|dart|swift|kt)$
  |^(src/)?lib\.rs$`

/** Source files of a built file can have these extensions. */
const sourceExtensions = ['.ts', '.tsx', '.mts', '.js', '.jsx', '.mjs', '.cjs']

/** Returns paths of existing files; those that manifests name come first. */
export function findEntryPoints(project: Project, manifests: readonly ProjectManifest[]): string[] {
  const files = project.files.filter(isSource)
  const sources = new Set(files.map(({ path }) => path))
  const named = manifests.flatMap(({ path, entryPoints }) =>
    entryPoints
      .slice(0, 10)
      .flatMap((entry) => findSource(directoryOf(path), entry, sources) ?? []),
  )
  const found = files.filter(
    (file) => conventionalPath.test(lastPathSegments(file.path)) || isGoProgram(file),
  )
  const paths = [...named, ...sortByDepth(found).map(({ path }) => path)]
  return [...new Set(paths)].slice(0, 100)
}

/** Whether a source file is a Go program. Examples have a `main` too, so the path counts. */
function isGoProgram({ path, language, symbols }: ProjectFile): boolean {
  return (
    language === 'Go' &&
    /(^|\/)(main\.go|cmd\/[^/]+\.go)$/.test(path) &&
    !/(^|\/)_?(examples?|samples?|testdata|tutorials?)\//i.test(path) &&
    symbols.some(({ name, kind }) => name === 'main' && kind === 'function')
  )
}

/** Returns the path of the file, or of the source that it is built from. */
function findSource(
  directory: string,
  entry: string,
  sources: ReadonlySet<string>,
): string | undefined {
  if (entry.includes('*') || entry.length > 300) return undefined
  const path = posix.join(directory, entry)
  if (sources.has(path)) return path
  if (path.endsWith('.py')) return findModule(directory, entry.slice(0, -'.py'.length), sources)
  const stem = path.replace(/(\.d)?\.[cm]?[jt]sx?$/, '')
  const bases = [
    stem,
    stem.replace(/(^|\/)(dist|build|lib|out)\//, '$1src/'),
    stem.replace(/(^|\/)(dist|build|lib|out)\//, '$1'),
  ]
  const candidates = bases.flatMap((base) =>
    sourceExtensions.flatMap((end) => [base + end, `${base}/index${end}`]),
  )
  return candidates.find((candidate) => sources.has(candidate))
}

/** Finds a Python module next to the manifest or in a conventional source directory. */
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
