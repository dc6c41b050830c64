// Checks the architecture: imports go down only, without cycles, and vendor names stay local.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../src/', import.meta.url))

/** Layers from top to bottom. A file may import from its own layer and from those below it. */
const layers: readonly (readonly string[])[] = [
  ['cli'],
  ['app.ts'],
  ['review-context.ts', 'read-config.ts'],
  ['worker'],
  ['http', 'mcp'],
  ['workflows'],
  ['reviewers'],
  ['tools'],
  ['events', 'accounts', 'knowledge', 'analytics', 'jobs'],
  ['db', 'platforms', 'models'],
  // Everything that calls external services records metrics.
  ['git', 'code', 'config', 'lib', 'metrics'],
  ['domain'],
  ['contract'],
]

/** It holds types only, so every layer may import it. */
const contextFile = 'context.ts'

interface SourceFile {
  readonly path: string
  readonly text: string
  /** Imported paths below src/, and whether only types are imported. */
  readonly imports: readonly { path: string; typeOnly: boolean }[]
  /** Lists the packages that it imports. */
  readonly packages: readonly string[]
}

const files = readSources(root)
/** Their paths are below web/src/. */
const pageFiles = readSources(fileURLToPath(new URL('../web/src/', import.meta.url)))

function readSources(folder: string): readonly SourceFile[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => readSource(folder, relative(folder, join(entry.parentPath, entry.name))))
}

function readSource(folder: string, path: string): SourceFile {
  const text = readFileSync(join(folder, path), 'utf8')
  const found = [
    ...text.matchAll(/^(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?'([^']+)'/gm),
    ...text.matchAll(/\b(never)?import\('([^']+)'\)/g),
    ...text.matchAll(/\b(never)?new URL\('(\.[^']+\.ts)', import\.meta\.url\)/g),
  ].map((match) => ({ name: match[2] as string, typeOnly: match[1] !== undefined }))
  return {
    path,
    text,
    imports: found
      .filter(({ name }) => name.startsWith('.'))
      .map(({ name, typeOnly }) => ({ path: join(dirname(path), name), typeOnly })),
    packages: found
      .filter(({ name }) => !name.startsWith('.') && !name.startsWith('node:'))
      .map(({ name }) => name),
  }
}

function layerOf(path: string): number {
  const folder = path.split('/')[0] as string
  return layers.findIndex((folders) => folders.includes(folder))
}

describe('architecture', () => {
  it('assigns every file to a layer', () => {
    expect(files.length).toBeGreaterThan(50)
    expect(
      files
        .filter(({ path }) => path !== contextFile && layerOf(path) === -1)
        .map(({ path }) => path),
    ).toEqual([])
  })

  it('allows imports only from lower layers', () => {
    const upward = files.flatMap((file) =>
      file.imports
        .filter(
          ({ path }) =>
            path !== contextFile && file.path !== contextFile && layerOf(path) < layerOf(file.path),
        )
        .map(({ path }) => `${file.path} → ${path}`),
    )
    expect(upward).toEqual([])
  })

  it('allows only type imports to and from the context', () => {
    const context = files.find(({ path }) => path === contextFile)
    expect(context?.imports.filter(({ typeOnly }) => !typeOnly)).toEqual([])
    const users = files.filter(({ imports }) =>
      imports.some(({ path, typeOnly }) => path === contextFile && !typeOnly),
    )
    expect(users.map(({ path }) => path)).toEqual([])
  })

  it('has no import cycles', () => {
    const importsOf = new Map(
      files.map(({ path, imports }) => [
        path,
        imports.filter((i) => !i.typeOnly).map((i) => i.path),
      ]),
    )
    const done = new Set<string>()
    const cycles: string[] = []
    const visit = (path: string, trail: readonly string[]) => {
      if (trail.includes(path)) cycles.push([...trail.slice(trail.indexOf(path)), path].join(' → '))
      else if (!done.has(path))
        for (const next of importsOf.get(path) ?? []) visit(next, [...trail, path])
      done.add(path)
    }
    for (const { path } of files) visit(path, [])
    expect(cycles).toEqual([])
  })

  // These name file formats, packages and leaked keys, but connect to none of the vendors.
  const formats = [
    'reviewers/rules/',
    'reviewers/static-reviewer.ts',
    'code/classify-file.ts',
    'code/text-kind.ts',
    'code/binary-formats.ts',
    'knowledge/project/',
  ]

  it.each([
    [
      'a code-hosting platform',
      /\b(github|gitea|forgejo|gitlab|octokit)\b/i,
      ['platforms/', ...formats],
    ],
    ['a database product', /\b(pglite|from 'pg')\b/i, ['db/', 'jobs/queue.ts']],
    ['a model vendor', /@ai-sdk|\b(anthropic|openai)\b/i, ['models/', ...formats]],
    ['a library of metrics', /prom-client/, ['metrics/']],
    ['the environment', /\bprocess\.env\b/, ['config/environment.ts']],
  ])('names %s only in its own directory', (_what, pattern, folders) => {
    const offenders = files.filter(
      ({ path, text }) =>
        !folders.some((folder) => path.startsWith(folder)) && pattern.test(withoutComments(text)),
    )
    expect(offenders.map(({ path }) => path)).toEqual([])
  })

  it('keeps the page separate from the service, except for contract types', () => {
    expect(
      files
        .filter(({ imports }) => imports.some(({ path }) => path.includes('web/')))
        .map((f) => f.path),
    ).toEqual([])
    const offenders = pageFiles.flatMap(({ path, imports }) =>
      imports
        .filter((imported) => imported.path.startsWith('../../src/'))
        .filter(
          (imported) => !(imported.typeOnly && imported.path.startsWith('../../src/contract/')),
        )
        .map((imported) => `${path} → ${imported.path}`),
    )
    expect(pageFiles.length).toBeGreaterThan(20)
    expect(offenders).toEqual([])
  })

  it('opens every file with a comment about its duty', () => {
    const silent = files.filter(({ text }) => !/^(#!.*\n)?(\/\/ |\/\*\* ?)\S/.test(text))
    expect(silent.map(({ path }) => path)).toEqual([])
  })

  it('never calls process.exit', () => {
    // In a worker thread, process.exit ends only the thread.
    const threads = ['db/embedded/embedded-thread.ts']
    const rude = files.filter(
      ({ path, text }) => !threads.includes(path) && /process\.exit\(/.test(withoutComments(text)),
    )
    expect(rude.map(({ path }) => path)).toEqual([])
  })
})

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, '')
}
