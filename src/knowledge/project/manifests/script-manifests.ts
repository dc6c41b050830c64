// Manifests in JSON: package.json, composer.json, deno.json.
import {
  entriesOf,
  fieldOf,
  parseLooseJson,
  textsOf,
} from '../../resolution/manifests/loose-json.ts'
import { type Command, type ManifestParts, mostCommands, mostDependencies } from './manifest.ts'

/** npm's. Its commands are typed with npm, whatever installs its packages. */
export function readPackageJson(text: string): ManifestParts {
  const data = parseLooseJson(text)
  const fields = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies']
  const engines = entriesOf(fieldOf(data, 'engines')).map(([name]) => name)
  return {
    ...readCommon(data),
    dependencies: [
      ...fields.flatMap((field) => entriesOf(fieldOf(data, field)).map(([name]) => name)),
      // An extension of the editor says so nowhere else.
      ...(engines.includes('vscode') ? ['vscode'] : []),
    ].slice(0, mostDependencies),
    commands: readCommands(fieldOf(data, 'scripts'), (name) => `npm run ${name}`),
    entryPoints: [
      ...textsOf(fieldOf(data, 'main')),
      ...textsOf(fieldOf(data, 'module')),
      ...textsOf(fieldOf(data, 'bin')),
      ...entriesOf(fieldOf(data, 'bin')).flatMap(([, path]) => textsOf(path)),
      ...entriesOf(fieldOf(data, 'exports')).flatMap(([, target]) => leavesOf(target, 4)),
    ].slice(0, 30),
  }
}

/** PHP's. */
export function readComposerJson(text: string): ManifestParts {
  const data = parseLooseJson(text)
  const dependencies = ['require', 'require-dev'].flatMap((field) =>
    entriesOf(fieldOf(data, field)).map(([name]) => name),
  )
  return {
    ...readCommon(data),
    dependencies: dependencies.slice(0, mostDependencies),
    commands: readCommands(fieldOf(data, 'scripts'), (name) => `composer ${name}`).filter(
      ({ typed }) => !/^composer (pre|post)-/.test(typed),
    ),
    entryPoints: textsOf(fieldOf(data, 'bin')),
  }
}

export function readDenoJson(text: string): ManifestParts {
  const data = parseLooseJson(text)
  return {
    ...readCommon(data),
    dependencies: entriesOf(fieldOf(data, 'imports')).map(([name]) => name),
    commands: readCommands(fieldOf(data, 'tasks'), (name) => `deno task ${name}`),
  }
}

function readCommon(data: unknown): ManifestParts {
  const text = (key: string) => {
    const value = fieldOf(data, key)
    return typeof value === 'string' && value.trim() !== '' ? value : null
  }
  return { name: text('name'), description: text('description'), licence: text('license') }
}

function readCommands(scripts: unknown, typed: (name: string) => string): Command[] {
  return entriesOf(scripts)
    .slice(0, mostCommands)
    .map(([name, runs]) => ({ typed: typed(name), runs: textsOf(runs).join(' && ') }))
}

function leavesOf(value: unknown, depth: number): readonly string[] {
  if (typeof value === 'string') return [value]
  return depth === 0 ? [] : entriesOf(value).flatMap(([, inner]) => leavesOf(inner, depth - 1))
}
