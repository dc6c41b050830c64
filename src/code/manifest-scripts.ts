// Reads the commands that a package's manifest has run by others: install scripts, and scripts by name.
import { basename } from 'node:path'

/** Manifests with commands in JSON, and the key that holds them. */
const scriptKeys: Readonly<Record<string, string>> = {
  'package.json': 'scripts',
  'composer.json': 'scripts',
}

/** Other keys of manifests whose values name what tools run or load. */
const commandSettings = [
  ...[
    'husky',
    'lint-staged',
    'gitHooks',
    'simple-git-hooks',
    'pre-commit',
    'wireit',
    'nodemonConfig',
    'targets',
  ],
  ...['jest', 'babel', 'eslintConfig', 'mocha', 'ava', 'nyc', 'config', 'gypfile', 'binary'],
]

/** The key of a manifest's commands by the file's name; undefined where the file is none of those. */
export function scriptsKeyOf(path: string): string | undefined {
  return scriptKeys[basename(path)]
}

/**
 * The names of the commands that differ between two versions of a manifest. Undefined where one can't be parsed, so
 * that nobody knows.
 *
 * @param before undefined where the manifest is new
 */
export function changedScripts(
  path: string,
  before: string | undefined,
  after: string,
): string[] | undefined {
  const [old, now] = [
    before === undefined ? {} : readScripts(path, before),
    readScripts(path, after),
  ]
  if (old === undefined || now === undefined) return undefined
  return Object.keys(now).filter((name) => JSON.stringify(now[name]) !== JSON.stringify(old[name]))
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
