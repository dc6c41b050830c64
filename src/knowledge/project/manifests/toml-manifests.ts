// Reads manifests in TOML: pyproject.toml, Cargo.toml, Pipfile.
import { readTomlEntries, stringsIn, type TomlEntry } from '../../../languages/common/toml-lines.ts'
import { type Command, type ManifestParts, maxDependencies } from './project-manifest.ts'

/** Reads the tables of all common Python build tools. */
export function readPyproject(text: string): ManifestParts {
  const entries = readTomlEntries(text)
  const listed = entries.filter(
    ({ table, key }) =>
      (table === 'project' && key === 'dependencies') ||
      /^(project\.optional-dependencies|dependency-groups)$/.test(table) ||
      (table === 'build-system' && key === 'requires') ||
      (table === 'tool.uv' && key === 'dev-dependencies'),
  )
  const keyed = entries.filter(({ table }) =>
    /^tool\.poetry\.(dev-|group\.[\w-]+\.)?dependencies$/.test(table),
  )
  const tools = entries.flatMap(
    ({ table }) => /^tool\.(ruff|black|mypy|pytest|pyright|isort|pylint)\b/.exec(table)?.[1] ?? [],
  )
  return {
    ...readMetadata(entries, ['project', 'tool.poetry']),
    dependencies: [
      ...listed.flatMap(({ value }) => stringsIn(value)).map(pythonName),
      ...keyed.map(({ key }) => pythonName(key)),
      ...new Set(tools),
    ].slice(0, maxDependencies),
    commands: commandsOf(entries, /^(project|tool\.poetry|tool\.pdm)\.scripts$/),
    entryPoints: entries
      .filter(({ table }) => /^(project\.(gui-)?|tool\.poetry\.)scripts$/.test(table))
      .flatMap(({ value }) => moduleFile(stringsIn(value)[0] ?? '') ?? []),
  }
}

export function readPipfile(text: string): ManifestParts {
  const entries = readTomlEntries(text)
  return {
    dependencies: entries
      .filter(({ table }) => /^(dev-)?packages$/.test(table))
      .map(({ key }) => pythonName(key)),
    commands: commandsOf(entries, /^scripts$/),
  }
}

/** The entry points are the binaries and the library of the crate. */
export function readCargoToml(text: string): ManifestParts {
  const entries = readTomlEntries(text)
  const isDependencies = /(^|\.)(dev-|build-)?dependencies$/
  const named = entries.flatMap(
    ({ table }) => /(^|\.)(?:dev-|build-)?dependencies\.([\w-]+)$/.exec(table)?.[2] ?? [],
  )
  const keyed = entries
    .filter(({ table }) => isDependencies.test(table))
    .map(({ key }) => key.split('.')[0]!)
  const bins = entries.filter(
    ({ table, key }) => (table === 'bin' || table === 'lib') && key === 'path',
  )
  return {
    ...readMetadata(entries, ['package']),
    dependencies: [...keyed, ...named].slice(0, maxDependencies),
    entryPoints: bins.flatMap(({ value }) => stringsIn(value).slice(0, 1)),
  }
}

function readMetadata(entries: readonly TomlEntry[], tables: readonly string[]): ManifestParts {
  const text = (key: string) => {
    const entry = entries.find(
      (candidate) => tables.includes(candidate.table) && candidate.key === key,
    )
    return (entry && stringsIn(entry.value)[0]) || null
  }
  return { name: text('name'), description: text('description'), license: text('license') }
}

function commandsOf(entries: readonly TomlEntry[], table: RegExp): Command[] {
  return entries
    .filter((entry) => table.test(entry.table))
    .slice(0, 20)
    .map(({ key, value }) => ({ commandLine: key, script: stringsIn(value)[0] ?? '' }))
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
