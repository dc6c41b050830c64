// Reads the root folders of packages from Python's manifests.
import { folderOf, joinPath } from '../../lib/tree-paths.ts'
import type { ManifestFile } from '../common/manifest-file.ts'
import { inlineString, readTomlEntries, stringsIn } from '../common/toml-lines.ts'

const maxRoots = 50
const maxTextLength = 100_000

/** Keys of pyproject.toml that contain root folders. */
const rootKeys: readonly RegExp[] = [
  /setuptools\.packages\.find\.where$/,
  /setuptools\.package-dir(\.|$)/,
  /pytest\.ini_options\.pythonpath$/,
  /pyright\.extraPaths$/,
  /(hatch|pdm)\.build[\w.-]*\.(sources|package-dir|python-source|module-root)$/,
  /(maturin|uv\.build-backend)[\w.-]*\.(sources|package-dir|python-source|module-root)$/,
]
/** Keys of pyproject.toml that contain package folders, whose parents are roots. */
const packageKey = /hatch\.build\.targets\.\w+\.packages$/

// Repetitions are bounded, so that the expressions take linear time on untrusted input.
/** Matches `package_dir={"": "src"}`. */
const packageDirArgument = /package_dir\s{0,9}=\s{0,9}\{\s{0,9}["']{2}\s{0,9}:\s{0,9}["']([^"']+)/
/** Matches `find_packages(where="src")`. */
const findPackagesCall =
  /find_(?:namespace_)?packages\(\s{0,9}(?:where\s{0,9}=\s{0,9})?["']([^"']+)/
const setupRoot = new RegExp(`${packageDirArgument.source}|${findPackagesCall.source}`, 'g')
const iniRoot = /^(?:where|pythonpath)[ \t]*=[ \t]*(\S+)|^package_dir[ \t]*=\s{0,20}=[ \t]*(\S+)/gm

/** The manifest's own folder is always a root. */
export function readPythonRoots({ folder, path, text }: ManifestFile): string[] {
  const roots = ['', ...listNamedRoots(path, text)].map((root) => joinPath(folder, root))
  return roots.filter((root) => root !== undefined).slice(0, maxRoots)
}

function listNamedRoots(path: string, text: string): string[] {
  if (path.endsWith('.toml')) return readTomlRoots(text)
  return matchRoots(text, path.endsWith('.py') ? setupRoot : iniRoot)
}

function readTomlRoots(text: string): string[] {
  return readTomlEntries(text).flatMap(({ table, key, value }) => {
    const name = `${table}.${key}`
    if (name === 'tool.poetry.packages') return [inlineString(value, 'from') ?? '']
    if (packageKey.test(name)) return stringsIn(value).map(folderOf)
    return rootKeys.some((rootKey) => rootKey.test(name)) ? stringsIn(value) : []
  })
}

function matchRoots(text: string, pattern: RegExp): string[] {
  const matches = text.slice(0, maxTextLength).matchAll(pattern)
  return [...matches].map(([, first, second]) => first ?? second ?? '')
}
