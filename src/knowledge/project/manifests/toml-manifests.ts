// Reads manifests in TOML: pyproject.toml, Cargo.toml, Pipfile.
import { entriesOf, fieldOf, stringsOf } from '../../../languages/common/parse-jsonc.ts'
import { parseToml } from '../../../languages/common/parse-toml.ts'
import { listCrateDependencies } from '../../../languages/rust/read-crate.ts'
import type { Command, ManifestParts } from './project-manifest.ts'

/** Tools that are dependencies if they are configured. */
const configuredTools = ['ruff', 'black', 'mypy', 'pytest', 'pyright', 'isort', 'pylint']
const maxScripts = 20

/** Reads the tables of all common Python build tools. */
export function readPyproject(text: string): ManifestParts {
  const manifest = parseToml(text)
  const project = fieldOf(manifest, 'project')
  const tool = fieldOf(manifest, 'tool')
  const poetry = fieldOf(tool, 'poetry')
  const listed = [
    fieldOf(project, 'dependencies'),
    ...valuesOf(fieldOf(project, 'optional-dependencies')),
    ...valuesOf(fieldOf(manifest, 'dependency-groups')),
    fieldOf(manifest, 'build-system', 'requires'),
    fieldOf(tool, 'uv', 'dev-dependencies'),
  ]
  const keyed = [
    fieldOf(poetry, 'dependencies'),
    fieldOf(poetry, 'dev-dependencies'),
    ...valuesOf(fieldOf(poetry, 'group')).map((group) => fieldOf(group, 'dependencies')),
  ]
  const scripts = [fieldOf(project, 'scripts'), fieldOf(poetry, 'scripts')]
  return {
    ...readMetadata([project, poetry]),
    dependencies: [
      ...[...listed.flatMap(stringsOf), ...keysOf(keyed)].map(pythonName),
      ...configuredTools.filter((name) => fieldOf(tool, name) !== undefined),
    ],
    commands: readCommands([...scripts, fieldOf(tool, 'pdm', 'scripts')]),
    entryPoints: [...scripts, fieldOf(project, 'gui-scripts')]
      .flatMap(valuesOf)
      .flatMap((reference) => moduleFile(firstText(reference) ?? '') ?? []),
  }
}

export function readPipfile(text: string): ManifestParts {
  const manifest = parseToml(text)
  const tables = [fieldOf(manifest, 'packages'), fieldOf(manifest, 'dev-packages')]
  return {
    dependencies: keysOf(tables).map(pythonName),
    commands: readCommands([fieldOf(manifest, 'scripts')]),
  }
}

/** The entry points are the binaries and the library of the crate. */
export function readCargoToml(text: string): ManifestParts {
  const manifest = parseToml(text)
  const programs = [fieldOf(manifest, 'bin'), fieldOf(manifest, 'lib')].flat()
  return {
    ...readMetadata([fieldOf(manifest, 'package')]),
    dependencies: listCrateDependencies(manifest).map(([name]) => name),
    entryPoints: programs.flatMap((program) => stringsOf(fieldOf(program, 'path'))),
  }
}

function readMetadata(tables: readonly unknown[]): ManifestParts {
  const read = (key: string) =>
    tables.map((table) => firstText(fieldOf(table, key))).find((text) => text) ?? null
  return { name: read('name'), description: read('description'), license: read('license') }
}

function readCommands(tables: readonly unknown[]): Command[] {
  return tables
    .flatMap(entriesOf)
    .slice(0, maxScripts)
    .map(([name, script]) => ({ commandLine: name, script: firstText(script) ?? '' }))
}

/** Returns a text, or the first one of a table such as `{ text = "MIT" }`. */
function firstText(value: unknown): string | undefined {
  return [value, ...valuesOf(value)].flatMap(stringsOf)[0]
}

function keysOf(tables: readonly unknown[]): string[] {
  return tables.flatMap(entriesOf).map(([key]) => key)
}

function valuesOf(table: unknown): unknown[] {
  return entriesOf(table).map(([, value]) => value)
}

/** Turns `shop.cli:main` into `shop/cli.py`; undefined for other references. */
export function moduleFile(reference: string): string | undefined {
  const module = /^\s{0,9}([A-Za-z_][\w.]{0,150})\s{0,9}:\s{0,9}[A-Za-z_]/.exec(reference)?.[1]
  return module && `${module.replaceAll('.', '/')}.py`
}

/** Turns `Django>=4.2 ; python_version > "3"` into `django`. */
export function pythonName(requirement: string): string {
  return (/^[\w.-]+/.exec(requirement.trim())?.[0] ?? '').toLowerCase().replaceAll('_', '-')
}
