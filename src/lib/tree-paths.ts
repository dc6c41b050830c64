// Splits and joins paths within a tree, without ever leaving it.

/** Returns the parent folder; `''` is the root. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

/** Returns the parent directory; `.` is the root. */
export function directoryOf(path: string): string {
  return folderOf(path) || '.'
}

export function filenameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** Joins two paths without `.` and `..`; either may be empty. */
export function joinFolder(folder: string, name: string): string {
  if (folder === '') return name
  return name === '' ? folder : `${folder}/${name}`
}

/** Resolves a relative path from a folder; undefined if it leaves the tree. */
export function joinPath(folder: string, relative: string): string | undefined {
  const parts = folder === '' ? [] : folder.split('/')
  for (const part of relative.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') parts.push(part)
    else if (parts.pop() === undefined) return undefined
  }
  return parts.join('/')
}

/** Collects the folder and its ancestors up to the root, the nearest first. */
export function enclosingFolders(folder: string): string[] {
  const folders = [folder]
  let current = folder
  while (current !== '') {
    current = folderOf(current)
    folders.push(current)
  }
  return folders
}

/** Checks whether a path is the folder itself or lies below it. */
export function isWithin(path: string, folder: string): boolean {
  return (
    folder === '' || path === folder || (path.startsWith(folder) && path[folder.length] === '/')
  )
}

/** Counts the folders that two paths share from the root. */
export function countSharedFolders(a: string, b: string): number {
  let shared = 0
  for (let index = 0; index < a.length && index < b.length; index++) {
    if (a[index] !== b[index]) break
    if (a[index] === '/') shared++
  }
  return shared
}
