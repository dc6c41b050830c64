// Paths within a tree: joined without ever leaving it.

/** The folder of a path; `''` is the root. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

/** The name of a file, with its extension. */
export function filenameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** A folder and what is below it. */
export function joinFolder(folder: string, name: string): string {
  return folder === '' ? name : name === '' ? folder : `${folder}/${name}`
}

/** Where a relative path leads from a folder; undefined where it leaves the tree. */
export function joinPath(folder: string, relative: string): string | undefined {
  const parts = folder === '' ? [] : folder.split('/')
  for (const part of relative.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') parts.push(part)
    else if (parts.pop() === undefined) return undefined
  }
  return parts.join('/')
}

/** The folder itself and those around it, the nearest first; the root is the last. */
export function enclosingFolders(folder: string): string[] {
  const folders = [folder]
  for (let at = folder; at !== ''; ) {
    at = folderOf(at)
    folders.push(at)
  }
  return folders
}

/** Whether a path is the folder or lies below it. */
export function isWithin(path: string, folder: string): boolean {
  return (
    folder === '' || path === folder || (path.startsWith(folder) && path[folder.length] === '/')
  )
}

/** How many folders two paths share from the root. */
export function countSharedFolders(one: string, other: string): number {
  let shared = 0
  for (let at = 0; at < one.length && at < other.length && one[at] === other[at]; at++)
    if (one[at] === '/') shared++
  return shared
}
