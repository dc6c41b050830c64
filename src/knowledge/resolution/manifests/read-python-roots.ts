// Reads from the manifests of Python which folders are roots of packages.
import { folderOf, joinPath } from '../paths.ts'
import type { ManifestFile } from './manifest-file.ts'
import { inlineString, readTomlEntries, stringsIn } from './toml-lines.ts'

/** Besides what it names, the manifest's own folder, and `src` in it, are tried anyway. */
export function readPythonRoots(manifest: ManifestFile): string[] {
  const named = manifest.path.endsWith('.toml')
    ? readTomlRoots(manifest.text)
    : manifest.path.endsWith('.py')
      ? readSetupRoots(manifest.text)
      : readIniRoots(manifest.text)
  const roots = ['', ...named].map((root) => joinPath(manifest.folder, root))
  return roots.filter((root) => root !== undefined).slice(0, 50)
}

function readTomlRoots(text: string): string[] {
  return readTomlEntries(text).flatMap(({ table, key, value }) => {
    const name = `${table}.${key}`
    if (
      /setuptools\.packages\.find\.where$|pytest\.ini_options\.pythonpath$|pyright\.extraPaths$/.test(
        name,
      )
    )
      return stringsIn(value)
    if (/setuptools\.package-dir(\.|$)/.test(name)) return stringsIn(value)
    if (/hatch\.build\.targets\.\w+\.packages$/.test(name)) return stringsIn(value).map(folderOf)
    if (name === 'tool.poetry.packages') return [inlineString(value, 'from') ?? '']
    if (
      /(hatch\.build|pdm\.build|maturin|uv\.build-backend)[\w.-]*\.(sources|package-dir|python-source|module-root)$/.test(
        name,
      )
    )
      return stringsIn(value)
    return []
  })
}

function readSetupRoots(text: string): string[] {
  const found = text
    .slice(0, 100_000)
    .matchAll(
      /package_dir\s{0,9}=\s{0,9}\{\s{0,9}["']{2}\s{0,9}:\s{0,9}["']([^"']+)|find_(?:namespace_)?packages\(\s{0,9}(?:where\s{0,9}=\s{0,9})?["']([^"']+)/g,
    )
  return [...found].map(([, one, other]) => one ?? other ?? '')
}

function readIniRoots(text: string): string[] {
  const found = text
    .slice(0, 100_000)
    .matchAll(/^(?:where|pythonpath)[ \t]*=[ \t]*(\S+)|^package_dir[ \t]*=\s{0,20}=[ \t]*(\S+)/gm)
  return [...found].map(([, one, other]) => one ?? other ?? '')
}
