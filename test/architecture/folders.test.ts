// Checks the inside of folders: layers, public files, and exports that no other file imports.
import { matchesGlob } from 'node:path'
import { describe, expect, it } from 'vitest'
import { exportsForTests, innerLayers, maxFilesWithoutLayers, publicFiles } from './layers.ts'
import { belowSource, listImports, readSources, type SourceFile } from './sources.ts'

/** Their paths and those of their imports are below src/. */
const files = readSources('src').map(belowSource)

/** The file's layer in a folder, 0 for the top; -1 if no layer names it. */
function layerOf(folder: string, path: string): number {
  const name = path.slice(folder.length + 1)
  const rows = innerLayers[folder] as (typeof innerLayers)[string]
  const named = rows.findIndex((row) => row.some((pattern) => namesFile(pattern, name)))
  return named === -1 ? rows.findIndex((row) => row.includes('*')) : named
}

function namesFile(pattern: string, name: string): boolean {
  if (pattern.endsWith('/')) return name.startsWith(pattern)
  return pattern !== '*' && matchesGlob(name, pattern)
}

const filesIn = (folder: string) => files.filter(({ path }) => path.startsWith(`${folder}/`))

describe('inner layers', () => {
  it('exist in every large folder', () => {
    const paths = files.filter(({ path }) => path.includes('/')).map(({ path }) => path)
    const counts = new Map<string, number>()
    for (const path of paths) {
      const topFolder = path.split('/')[0] as string
      const folder = path.split('/').slice(0, -1).join('/')
      for (const each of new Set([topFolder, folder])) counts.set(each, (counts.get(each) ?? 0) + 1)
    }
    const large = [...counts].filter(([, count]) => count > maxFilesWithoutLayers)
    expect(large.map(([folder]) => folder).filter((folder) => !(folder in innerLayers))).toEqual([])
  })

  it('name every file, and none that is gone', () => {
    const problems = Object.entries(innerLayers).flatMap(([folder, rows]) => {
      const inside = filesIn(folder).map(({ path }) => path)
      const names = inside.map((path) => path.slice(folder.length + 1))
      const patterns = rows.flat().filter((pattern) => pattern !== '*')
      return [
        ...inside.filter((path) => layerOf(folder, path) === -1),
        ...patterns
          .filter((pattern) => !names.some((name) => namesFile(pattern, name)))
          .map((pattern) => `${folder}: ${pattern}`),
      ]
    })
    expect(problems).toEqual([])
  })

  it.each(Object.keys(innerLayers))('of %s allow no upward imports', (folder) => {
    const upward = filesIn(folder).flatMap((file) =>
      listImports(
        file,
        (imported) =>
          imported.startsWith(`${folder}/`) &&
          layerOf(folder, imported) < layerOf(folder, file.path),
      ),
    )
    expect(upward).toEqual([])
  })
})

/** The subfolder that contains the file, such as `db/embedded`; null outside of subfolders. */
function subfolderOf(path: string): string | null {
  const parts = path.split('/')
  return parts.length > 2 ? parts.slice(0, 2).join('/') : null
}

/** The subfolder, or `languages/*` if it isn't listed by its name. */
function entryOf(subfolder: string): string {
  const others = `${topFolderOf(subfolder)}/*`
  return !(subfolder in publicFiles) && others in publicFiles ? others : subfolder
}

const topFolderOf = (path: string) => path.split('/')[0]

describe('public files', () => {
  const entered = files.flatMap(({ path, imports }) =>
    imports
      .filter((imported) => topFolderOf(imported.path) !== topFolderOf(path))
      .map((imported) => ({ from: path, to: imported.path, folder: subfolderOf(imported.path) })),
  )

  it('are listed for every subfolder', () => {
    const folders = new Set(files.flatMap(({ path }) => subfolderOf(path) ?? []))
    const listed = new Set([...folders].map(entryOf))
    expect(Object.keys(publicFiles).toSorted()).toEqual([...listed].toSorted())
  })

  it('are the only files of a subfolder that other folders import', () => {
    const isPublic = (folder: string, path: string) =>
      publicFiles[entryOf(folder)]?.some((name) => name === '*' || `${folder}/${name}` === path)
    const offenders = entered.filter(({ to, folder }) => folder !== null && !isPublic(folder, to))
    expect(offenders.map(({ from, to }) => `${from} → ${to}`)).toEqual([])
  })

  it('are used', () => {
    const isUsed = (folder: string, name: string) =>
      entered.some((one) => (name === '*' ? one.folder === folder : one.to === `${folder}/${name}`))
    const idle = Object.entries(publicFiles).flatMap(([folder, names]) =>
      names.filter((name) => !isUsed(folder, name)).map((name) => `${folder}/${name}`),
    )
    expect(idle).toEqual([])
  })
})

describe('exports', () => {
  const readAll = (folders: readonly string[]) => folders.flatMap(readSources).map(belowSource)
  const unusedBy = (importing: readonly SourceFile[]) => {
    const used = new Set(
      importing.flatMap(({ imports }) =>
        imports.flatMap(({ path, names }) => (names ?? ['*']).map((name) => `${path} ${name}`)),
      ),
    )
    return files.flatMap(({ path, exports }) =>
      used.has(`${path} *`)
        ? []
        : exports.map((name) => `${path} ${name}`).filter((each) => !used.has(each)),
    )
  }
  const users = [...files, ...readAll(['web/src', 'demo', 'scripts'])]

  it('are imported by another file', () => {
    expect(unusedBy([...users, ...readAll(['test', 'bench'])])).toEqual([])
  })

  it('exist for tests only where the table says so', () => {
    expect(unusedBy(users).toSorted()).toEqual(exportsForTests.toSorted())
  })
})
