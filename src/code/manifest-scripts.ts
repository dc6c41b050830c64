// Compares the commands in a package manifest, such as install scripts.
import { basename } from 'node:path'

/** The key of the commands in each JSON manifest. */
const scriptKeys: Readonly<Record<string, string>> = {
  'package.json': 'scripts',
  'composer.json': 'scripts',
}

/** Other keys of manifests whose values name programs that tools run or load. */
const commandSettings = [
  'husky',
  'lint-staged',
  'gitHooks',
  'simple-git-hooks',
  'pre-commit',
  'wireit',
  'nodemonConfig',
  'targets',
  'jest',
  'babel',
  'eslintConfig',
  'mocha',
  'ava',
  'nyc',
  'config',
  'gypfile',
  'binary',
]

/** Returns the key of a manifest's commands; undefined for other files. */
export function scriptsKeyOf(path: string): string | undefined {
  return scriptKeys[basename(path)]
}

/**
 * The names of commands that a new version of a manifest adds or changes; undefined if a version
 * can't be parsed.
 *
 * @param before undefined if the manifest is new
 */
export function changedScripts(
  path: string,
  before: string | undefined,
  after: string,
): string[] | undefined {
  const oldScripts = before === undefined ? {} : readScripts(path, before)
  const newScripts = readScripts(path, after)
  if (oldScripts === undefined || newScripts === undefined) return undefined
  return Object.keys(newScripts).filter(
    (name) => JSON.stringify(newScripts[name]) !== JSON.stringify(oldScripts[name]),
  )
}

function readScripts(path: string, text: string): Record<string, unknown> | undefined {
  try {
    const manifest: unknown = JSON.parse(text)
    if (typeof manifest !== 'object' || manifest === null) return undefined
    const scripts = (manifest as Record<string, unknown>)[scriptsKeyOf(path) ?? '']
    const settings = commandSettings.flatMap((key) =>
      key in manifest ? [[key, Reflect.get(manifest, key)]] : [],
    )
    return {
      ...(typeof scripts === 'object' && scripts !== null ? scripts : {}),
      ...Object.fromEntries(settings),
    }
  } catch {
    return undefined
  }
}
