// Reads the root folders of packages from Python's manifests.
import { folderOf, joinPath } from '../../lib/tree-paths.ts'
import type { ManifestFile } from '../common/manifest-file.ts'
import { entriesOf, fieldOf, stringsOf } from '../common/parse-jsonc.ts'
import { parseToml } from '../common/parse-toml.ts'

const maxRoots = 50
const maxTextLength = 100_000

/** Fields of build tools that contain root folders. */
const buildKeys = ['sources', 'package-dir', 'python-source', 'module-root']

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
  const tool = fieldOf(parseToml(text), 'tool')
  const targets = entriesOf(fieldOf(tool, 'hatch', 'build', 'targets')).map(([, target]) => target)
  const builds = [
    fieldOf(tool, 'hatch', 'build'),
    ...targets,
    fieldOf(tool, 'pdm', 'build'),
    fieldOf(tool, 'maturin'),
    fieldOf(tool, 'uv', 'build-backend'),
  ]
  const poetryPackages = fieldOf(tool, 'poetry', 'packages')
  const named = [
    fieldOf(tool, 'setuptools', 'packages', 'find', 'where'),
    ...entriesOf(fieldOf(tool, 'setuptools', 'package-dir')).map(([, root]) => root),
    fieldOf(tool, 'pytest', 'ini_options', 'pythonpath'),
    fieldOf(tool, 'pyright', 'extraPaths'),
    ...builds.flatMap((build) => buildKeys.map((key) => fieldOf(build, key))),
    ...(Array.isArray(poetryPackages) ? poetryPackages : []).map((each) => fieldOf(each, 'from')),
  ]
  const packages = targets.flatMap((target) => stringsOf(fieldOf(target, 'packages')))
  return [...named.flatMap(stringsOf), ...packages.map(folderOf)]
}

function matchRoots(text: string, pattern: RegExp): string[] {
  const matches = text.slice(0, maxTextLength).matchAll(pattern)
  return [...matches].map(([, first, second]) => first ?? second ?? '')
}
