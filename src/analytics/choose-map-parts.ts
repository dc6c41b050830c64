// Chooses the directories that a code map shows, so that its parts have similar sizes.

/** A directory that directly contains files. */
export interface Folder {
  /** Path relative to the mapped directory, with a slash at its end; empty for that directory. */
  readonly folder: string
  readonly files: number
  readonly lines: number
}

interface Branch {
  /** Contains the paths of the directories directly inside it. */
  readonly below: Set<string>
  /** Counts its direct files; `lines` counts all files below it. */
  files: number
  lines: number
}

/**
 * Assigns each folder to the part that shows its files. Starts with the direct children of the
 * mapped directory, then keeps opening the directory whose children have the most lines on average,
 * while there are at most `maxParts` parts.
 *
 * @returns by folder the directory (without a slash) that shows it; null if its files are shown
 * singly
 */
export function chooseMapParts(
  folders: readonly Folder[],
  maxParts: number,
): ReadonlyMap<string, string | null> {
  const tree = buildTree(folders)
  const opened = openDirectories(tree, maxParts)
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

/** Returns `a/`, `a/b/` and `a/b/c/` for `a/b/c/`. */
function pathsTo(folder: string): string[] {
  const paths: string[] = []
  for (let end = folder.indexOf('/'); end !== -1; end = folder.indexOf('/', end + 1))
    paths.push(folder.slice(0, end + 1))
  return paths
}

function openDirectories(tree: ReadonlyMap<string, Branch>, maxParts: number): ReadonlySet<string> {
  const getBranch = (path: string) => tree.get(path) as Branch
  const countChildren = ({ below, files }: Branch) => below.size + files
  const getLinesPerChild = (path: string) => {
    const branch = getBranch(path)
    return branch.lines / countChildren(branch)
  }
  const opened = new Set([''])
  let parts = countChildren(getBranch(''))
  let candidates = [...getBranch('').below]
  while (parts <= maxParts) {
    // The number of parts only grows, so a directory that doesn't fit now never will.
    candidates = candidates.filter((path) => parts - 1 + countChildren(getBranch(path)) <= maxParts)
    const [first, ...others] = candidates
    if (first === undefined) break
    const next = others.reduce(
      (best, path) => (getLinesPerChild(path) > getLinesPerChild(best) ? path : best),
      first,
    )
    opened.add(next)
    parts += countChildren(getBranch(next)) - 1
    candidates = [...candidates.filter((path) => path !== next), ...getBranch(next).below]
  }
  return opened
}

function partOf(folder: string, opened: ReadonlySet<string>): string | null {
  const part = pathsTo(folder).find((path) => !opened.has(path))
  return part?.slice(0, -1) ?? null
}
