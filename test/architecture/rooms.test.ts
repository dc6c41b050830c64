// Checks the inside of rooms: floors, doors, and exports that no other file imports.
import { matchesGlob } from 'node:path'
import { describe, expect, it } from 'vitest'
import { doors, exportsForTests, floors, maxFilesWithoutFloors } from './rooms.ts'
import { belowSource, listImports, readSources, type SourceFile } from './sources.ts'

/** Their paths and those of their imports are below src/. */
const files = readSources('src').map(belowSource)

/** The file's place in a folder with floors, 0 for the top; -1 if no floor names it. */
function floorOf(folder: string, path: string): number {
  const name = path.slice(folder.length + 1)
  const rows = floors[folder] as (typeof floors)[string]
  const named = rows.findIndex((row) => row.some((pattern) => namesFile(pattern, name)))
  return named === -1 ? rows.findIndex((row) => row.includes('*')) : named
}

function namesFile(pattern: string, name: string): boolean {
  if (pattern.endsWith('/')) return name.startsWith(pattern)
  return pattern !== '*' && matchesGlob(name, pattern)
}

const filesIn = (folder: string) => files.filter(({ path }) => path.startsWith(`${folder}/`))

describe('floors', () => {
  it('exist in every large room and folder', () => {
    const rooms = files.filter(({ path }) => path.includes('/')).map(({ path }) => path)
    const counts = new Map<string, number>()
    for (const path of rooms) {
      const room = path.split('/')[0] as string
      const folder = path.split('/').slice(0, -1).join('/')
      for (const each of new Set([room, folder])) counts.set(each, (counts.get(each) ?? 0) + 1)
    }
    const large = [...counts].filter(([, count]) => count > maxFilesWithoutFloors)
    expect(large.map(([folder]) => folder).filter((folder) => !(folder in floors))).toEqual([])
  })

  it('name every file, and none that is gone', () => {
    const problems = Object.entries(floors).flatMap(([folder, rows]) => {
      const inside = filesIn(folder).map(({ path }) => path)
      const names = inside.map((path) => path.slice(folder.length + 1))
      const patterns = rows.flat().filter((pattern) => pattern !== '*')
      return [
        ...inside.filter((path) => floorOf(folder, path) === -1),
        ...patterns
          .filter((pattern) => !names.some((name) => namesFile(pattern, name)))
          .map((pattern) => `${folder}: ${pattern}`),
      ]
    })
    expect(problems).toEqual([])
  })

  it.each(Object.keys(floors))('of %s allow no upward imports', (folder) => {
    const upward = filesIn(folder).flatMap((file) =>
      listImports(
        file,
        (imported) =>
          imported.startsWith(`${folder}/`) &&
          floorOf(folder, imported) < floorOf(folder, file.path),
      ),
    )
    expect(upward).toEqual([])
  })
})

/** The folder of a room that contains the file, such as `db/embedded`; null outside of folders. */
function folderOf(path: string): string | null {
  const parts = path.split('/')
  return parts.length > 2 ? parts.slice(0, 2).join('/') : null
}

const roomOf = (path: string) => path.split('/')[0]

describe('doors', () => {
  const entered = files.flatMap(({ path, imports }) =>
    imports
      .filter((imported) => roomOf(imported.path) !== roomOf(path))
      .map((imported) => ({ from: path, to: imported.path, folder: folderOf(imported.path) })),
  )

  it('are listed for every folder of a room', () => {
    const folders = new Set(files.flatMap(({ path }) => folderOf(path) ?? []))
    expect(Object.keys(doors).toSorted()).toEqual([...folders].toSorted())
  })

  it('are the only files of a folder that other rooms import', () => {
    const isDoor = (folder: string, path: string) =>
      doors[folder]?.some((door) => door === '*' || `${folder}/${door}` === path)
    const offenders = entered.filter(({ to, folder }) => folder !== null && !isDoor(folder, to))
    expect(offenders.map(({ from, to }) => `${from} → ${to}`)).toEqual([])
  })

  it('are used', () => {
    const isUsed = (folder: string, door: string) =>
      entered.some((one) => (door === '*' ? one.folder === folder : one.to === `${folder}/${door}`))
    const idle = Object.entries(doors).flatMap(([folder, names]) =>
      names.filter((door) => !isUsed(folder, door)).map((door) => `${folder}/${door}`),
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
