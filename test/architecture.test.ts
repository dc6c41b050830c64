// Checks the architecture: layers, import cycles, and vendor names. See also architecture/.
import { describe, expect, it } from 'vitest'
import { languages } from '../src/languages/index.ts'
import { contextFile, layers } from './architecture/layers.ts'
import { belowSource, listImports, readSources } from './architecture/sources.ts'

/** Their paths and those of their imports are below src/. */
const files = readSources('src').map(belowSource)
/** Their paths and those of their imports are below the root of the project. */
const pageFiles = readSources('web/src')

function layerOf(path: string): number {
  const folder = path.split('/')[0] as string
  return layers.findIndex((folders) => folders.includes(folder))
}

describe('layers', () => {
  it('assigns every file to a layer', () => {
    expect(files.length).toBeGreaterThan(50)
    expect(
      files
        .filter(({ path }) => path !== contextFile && layerOf(path) === -1)
        .map(({ path }) => path),
    ).toEqual([])
  })

  it('allows imports only from lower layers', () => {
    const upward = files
      .filter(({ path }) => path !== contextFile)
      .flatMap((file) =>
        listImports(
          file,
          (imported) => imported !== contextFile && layerOf(imported) < layerOf(file.path),
        ),
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
})

describe('imports', () => {
  it('have no cycles, not even of types', () => {
    const importsOf = new Map(files.map(({ path, imports }) => [path, imports.map((i) => i.path)]))
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

  it('keeps the page separate from the service, except for addresses, names and types', () => {
    const shared = ['src/contract/addresses.ts', 'src/contract/repository-name.ts']
    expect(
      files
        .filter(({ imports }) => imports.some(({ path }) => path.includes('web/')))
        .map((f) => f.path),
    ).toEqual([])
    const offenders = pageFiles.flatMap(({ path, imports }) =>
      imports
        .filter((imported) => imported.path.startsWith('src/'))
        .filter(({ path: imported, typeOnly }) => {
          const isType = typeOnly && imported.startsWith('src/contract/')
          return !isType && !shared.includes(imported)
        })
        .map((imported) => `${path} → ${imported.path}`),
    )
    expect(pageFiles.length).toBeGreaterThan(20)
    expect(offenders).toEqual([])
    // The page's bundle must not contain schemas.
    for (const path of shared.map((file) => file.replace('src/', '')))
      expect(files.find((file) => file.path === path)).toMatchObject({ imports: [], packages: [] })
  })
})

describe('sources', () => {
  // These name file formats, packages and leaked keys, but connect to none of the vendors.
  const formats = [
    'reviewers/rules/',
    'reviewers/static-reviewer.ts',
    'code/classify-file.ts',
    'code/text-kind.ts',
    'code/binary-formats.ts',
    'code/find-secrets.ts',
    'knowledge/project/',
  ]

  it.each([
    [
      'a code-hosting platform',
      /\b(github|gitea|forgejo|gitlab|octokit)\b/i,
      ['platforms/', ...formats],
    ],
    [
      'the query builder',
      /from 'kysely'|\b(selectFrom|insertInto|updateTable|deleteFrom)\(/,
      ['db/', 'events/', 'accounts/', 'analytics/', 'work/', 'knowledge/'],
    ],
    ['a database product', /\b(pglite|from 'pg')\b/i, ['db/']],
    ['a model vendor', /@ai-sdk|\b(anthropic|openai)\b/i, ['models/', ...formats]],
    ['a library of metrics', /prom-client/, ['metrics/']],
    ['the environment', /\bprocess\.env\b/, ['config/environment.ts']],
  ])('names %s only in its own folders', (_what, pattern, folders) => {
    const offenders = files.filter(
      ({ path, text }) =>
        !folders.some((folder) => path.startsWith(folder)) && pattern.test(withoutComments(text)),
    )
    expect(offenders.map(({ path }) => path)).toEqual([])
  })

  // What they name would stay if a language were added, or is no list of languages.
  const namingLanguages = [
    'languages/',
    // Checks that several languages share list the grammars; another language brings its own.
    'reviewers/rules/',
    // It describes projects by their files, also those of languages without a folder.
    'knowledge/project/find-entry-points.ts',
    // It reads imports of files whose index isn't read.
    'workflows/packing/read-imports.ts',
  ]

  it('names grammars and extensions of a language only in its folder', () => {
    const grammars = languages.flatMap(({ grammars }) => grammars)
    const words = [
      ...grammars.map(({ name }) => name),
      ...grammars.flatMap(({ extensions }) => extensions),
    ]
    const literal = new RegExp(`(['"\`])(?:${words.map(RegExp.escape).join('|')})\\1`)
    const offenders = files
      .filter(({ path }) => !namingLanguages.some((allowed) => path.startsWith(allowed)))
      .filter(({ text }) => literal.test(withoutComments(text)))
    expect(offenders.map(({ path }) => path)).toEqual([])
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
