// Reads manifests in JSON: package.json, composer.json, deno.json.
import { entriesOf, fieldOf, parseJsonc, stringsOf } from '../../../languages/common/parse-jsonc.ts'
import { type Command, type ManifestParts, maxCommands } from './project-manifest.ts'

/** The commands use npm, independent of the repository's package manager. */
export function readPackageJson(text: string): ManifestParts {
  const data = parseJsonc(text)
  const fields = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies']
  return {
    ...readCommon(data),
    dependencies: [
      ...fields.flatMap((field) => keysOf(fieldOf(data, field))),
      // Extensions of VS Code are only recognizable by their engine.
      ...keysOf(fieldOf(data, 'engines')).filter((name) => name === 'vscode'),
    ],
    commands: readCommands(fieldOf(data, 'scripts'), (name) => `npm run ${name}`),
    entryPoints: [
      ...stringsOf(fieldOf(data, 'main')),
      ...stringsOf(fieldOf(data, 'module')),
      ...stringsOf(fieldOf(data, 'bin')),
      ...entriesOf(fieldOf(data, 'bin')).flatMap(([, path]) => stringsOf(path)),
      ...entriesOf(fieldOf(data, 'exports')).flatMap(([, target]) => leavesOf(target, 4)),
    ].slice(0, 30),
  }
}

export function readComposerJson(text: string): ManifestParts {
  const data = parseJsonc(text)
  return {
    ...readCommon(data),
    dependencies: [...keysOf(fieldOf(data, 'require')), ...keysOf(fieldOf(data, 'require-dev'))],
    commands: readCommands(fieldOf(data, 'scripts'), (name) => `composer ${name}`).filter(
      ({ commandLine }) => !/^composer (pre|post)-/.test(commandLine),
    ),
    entryPoints: stringsOf(fieldOf(data, 'bin')),
  }
}

export function readDenoJson(text: string): ManifestParts {
  const data = parseJsonc(text)
  return {
    ...readCommon(data),
    dependencies: keysOf(fieldOf(data, 'imports')),
    commands: readCommands(fieldOf(data, 'tasks'), (name) => `deno task ${name}`),
  }
}

function readCommon(data: unknown): ManifestParts {
  const text = (key: string) => {
    const value = fieldOf(data, key)
    return typeof value === 'string' && value.trim() !== '' ? value : null
  }
  return { name: text('name'), description: text('description'), license: text('license') }
}

function readCommands(scripts: unknown, formatCommand: (name: string) => string): Command[] {
  return entriesOf(scripts)
    .slice(0, maxCommands)
    .map(([name, value]) => ({
      commandLine: formatCommand(name),
      script: stringsOf(value).join(' && '),
    }))
}

function keysOf(table: unknown): string[] {
  return entriesOf(table).map(([key]) => key)
}

function leavesOf(value: unknown, depth: number): readonly string[] {
  if (typeof value === 'string') return [value]
  return depth === 0 ? [] : entriesOf(value).flatMap(([, inner]) => leavesOf(inner, depth - 1))
}
