// Chooses the parts that a map of a directory shows: not all on one level, but each about as large as the others.

/** A directory that has files itself. */
export interface Folder {
  /** Its path from the one that is mapped, with a slash at its end; empty for that one itself. */
  readonly folder: string
  readonly files: number
  readonly lines: number
}

interface Branch {
  /** Directories right below it. */
  readonly below: Set<string>
  /** Files right in it, and lines of all below it. */
  files: number
  lines: number
}

/**
 * What stands for the files of each folder: a directory (without the slash), or null where each file stands for itself. What is
 * right below the directory is opened, again and again, where the largest parts come of it, as long as there are no more of them
 * in all than `most`.
 */
export function chooseMapParts(
  folders: readonly Folder[],
  most: number,
): ReadonlyMap<string, string | null> {
  const tree = buildTree(folders)
  const opened = openDirectories(tree, most)
  return new Map(folders.map(({ folder }) => [folder, partOf(folder, opened)]))
}

function buildTree(folders: readonly Folder[]): ReadonlyMap<string, Branch> {
  const tree = new Map<string, Branch>([['', { below: new Set(), files: 0, lines: 0 }]])
  for (const { folder, files, lines } of folders) {
    let parent = tree.get('') as Branch
    parent.lines += lines
    for (const path of pathsTo(folder)) {
      parent.below.add(path)
      const branch = tree.get(path) ?? { below: new Set(), files: 0, lines: 0 }
      tree.set(path, branch)
      branch.lines += lines
      parent = branch
    }
    parent.files += files
  }
  return tree
}

/** `a/`, `a/b/` and `a/b/c/` for `a/b/c/`. */
function pathsTo(folder: string): string[] {
  const paths: string[] = []
  for (let end = folder.indexOf('/'); end !== -1; end = folder.indexOf('/', end + 1))
    paths.push(folder.slice(0, end + 1))
  return paths
}

function openDirectories(tree: ReadonlyMap<string, Branch>, most: number): ReadonlySet<string> {
  const branchOf = (path: string) => tree.get(path) as Branch
  const sizeOf = ({ below, files }: Branch) => below.size + files
  const opened = new Set([''])
  let parts = sizeOf(branchOf(''))
  let waiting = [...branchOf('').below]
  while (parts <= most) {
    // What doesn't fit now never will.
    waiting = waiting.filter((path) => parts - 1 + sizeOf(branchOf(path)) <= most)
    const partLines = (path: string) => branchOf(path).lines / sizeOf(branchOf(path))
    const next = waiting.reduce<string | null>(
      (best, path) => (best === null || partLines(path) > partLines(best) ? path : best),
      null,
    )
    if (next === null) break
    opened.add(next)
    parts += sizeOf(branchOf(next)) - 1
    waiting = [...waiting.filter((path) => path !== next), ...branchOf(next).below]
  }
  return opened
}

function partOf(folder: string, opened: ReadonlySet<string>): string | null {
  return (
    pathsTo(folder)
      .find((path) => !opened.has(path))
      ?.slice(0, -1) ?? null
  )
}
